/** What a soak test reads off the processes once a minute, and what of it would be a leak. */

import { maxPrefixes } from '../../server/engine/schedule/prefixCache.ts';
import type { Client } from './client.ts';
import { filesBelow, type ProcessFacts, processFacts } from './held.ts';

export interface Reading {
	readonly atS: number;
	readonly name: string;
	readonly pid: number;
	readonly residentBytes: number;
	readonly handles: number;
	/** Files that were deleted and are still open. */
	readonly deleted: number;
	/** Of the daemon: files on their way. */
	readonly temporary: number;
}

/** A daemon as it can be looked at from outside. */
export interface Watched {
	readonly pid: number;
	readonly temporary: readonly string[];
}

/** What the daemon and every runner hold. */
export async function readProcesses(
	client: Client,
	daemon: Watched,
	atS: number,
): Promise<Reading[]> {
	const { runners } = JSON.parse(await client.get('/nearglot/runners')) as {
		runners: { model: string; pid: number }[];
	};
	return [{ model: 'daemon', pid: daemon.pid }, ...runners].flatMap(({ model, pid }) => {
		const facts = processFacts(pid);
		if (facts === undefined) return [];
		const temporary = pid === daemon.pid ? filesBelow(daemon.temporary).length : 0;
		return [{ atS, name: model, pid, ...facts, deleted: facts.deleted.length, temporary }];
	});
}

/** Gauges of `/metrics`: name and model → value. */
export async function readGauges(client: Client): Promise<Map<string, number>> {
	const found = new Map<string, number>();
	for (const line of (await client.get('/metrics')).split('\n')) {
		const match = /^nearglot_model_(\w+)\{model="([^"]+)"(?:,[^}]*)?\} (\S+)$/.exec(line);
		if (match) found.set(`${match[1]} of ${match[2]}`, Number(match[3]));
	}
	return found;
}

/** Sentences about what the gauges show that an idle daemon does not hold, beside kept prefixes. */
export function occupied(gauges: ReadonlyMap<string, number>): string[] {
	const found: string[] = [];
	for (const [name, value] of gauges) {
		const [, part = '', model = ''] = /^(\w+) of (.*)$/.exec(name) ?? [];
		const limit = gauges.get(`kv_limit_bytes of ${model}`) ?? 0;
		if (['running', 'waiting', 'open_sequences'].includes(part) && value !== 0)
			found.push(`At the end ${part} of ${model} is ${value}.`);
		if (part === 'cached_prefixes' && value > maxPrefixes)
			found.push(`${model} keeps ${value} prefixes; ${maxPrefixes} are allowed.`);
		if (part === 'kv_bytes' && value > limit)
			found.push(`${model} holds ${value} bytes of caches; ${limit} are allowed.`);
	}
	return found;
}

/** Bytes that a daemon may hold more after the load than before, its own caches of texts among them. */
const restBytes = 96 << 20;

/**
 * Unloads every model; sentences about what does not come back: processes that stay, memory, descriptors and
 * deleted files that the daemon keeps, temporary files.
 */
export async function stillHeld(
	client: Client,
	daemon: Watched,
	before: ProcessFacts | undefined,
): Promise<string[]> {
	const runners = (await readProcesses(client, daemon, 0)).filter(({ pid }) => pid !== daemon.pid);
	for (const { name } of runners)
		await client.get(`/openai/unload/${encodeURIComponent(name)}?force=true`);
	let found = heldNow(daemon, runners, before);
	// Processes take a moment to end, and connections that nobody uses a few seconds.
	for (const end = performance.now() + 20_000; found.length > 0 && performance.now() < end; ) {
		await new Promise((resolve) => setTimeout(resolve, 200));
		found = heldNow(daemon, runners, before);
	}
	return found;
}

function heldNow(
	daemon: Watched,
	runners: readonly Reading[],
	before: ProcessFacts | undefined,
): string[] {
	const found = runners
		.filter(({ pid }) => processFacts(pid) !== undefined)
		.map(({ pid, name }) => `The runner ${pid} of ${name} outlives its model.`);
	for (const path of filesBelow(daemon.temporary)) found.push(`${path} is left.`);
	const now = processFacts(daemon.pid);
	if (before === undefined || now === undefined) return found;
	for (const path of now.deleted) found.push(`The daemon keeps ${path} open.`);
	if (now.handles > before.handles)
		found.push(`The daemon holds ${now.handles - before.handles} handles more.`);
	const more = now.residentBytes - before.residentBytes;
	if (more > restBytes)
		found.push(`The daemon keeps ${(more / 1e6).toFixed(0)} MB more than before the load.`);
	return found;
}

/** How much more of each may be there at the end of a life than in its middle. */
const allowed = {
	handles: { more: 8, called: 'handles' },
	deleted: { more: 2, called: 'deleted files' },
	temporary: { more: 4, called: 'temporary files' },
} as const;

/**
 * Sentences about what grew between the second third and the end of a process's life, where caches
 * are full: more than an eighth and 24 MiB of memory, or more of the others than is {@link allowed}.
 */
export function leaks(readings: readonly Reading[]): string[] {
	const found: string[] = [];
	for (const pid of new Set(readings.map((reading) => reading.pid))) {
		const own = readings.filter((reading) => reading.pid === pid);
		if (own.length < 9) continue;
		const third = Math.floor(own.length / 3);
		const middle = own.slice(third, 2 * third);
		const end = own.slice(-third);
		const name = own[0]?.name;
		const grown = median(end, 'residentBytes') - median(middle, 'residentBytes');
		if (grown > Math.max(24 << 20, median(middle, 'residentBytes') / 8))
			found.push(`${name} grew by ${(grown / 1e6).toFixed(0)} MB.`);
		for (const key of ['handles', 'deleted', 'temporary'] as const) {
			const extra = median(end, key) - median(middle, key);
			if (extra > allowed[key].more)
				found.push(`${name} holds ${extra} ${allowed[key].called} more.`);
		}
	}
	return found;
}

type Counted = 'residentBytes' | keyof typeof allowed;

function median(readings: readonly Reading[], key: Counted): number {
	const sorted = readings.map((reading) => reading[key]).sort((a, b) => a - b);
	return sorted[sorted.length >> 1] ?? 0;
}
