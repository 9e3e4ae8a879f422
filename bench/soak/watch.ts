/** What a soak test reads off the processes once a minute, and what of it would be a leak. */

import { mostPrefixes } from '../../server/engine/schedule/prefixCache.ts';
import type { Client } from './client.ts';
import { processFacts } from './daemon.ts';

export interface Reading {
	readonly atS: number;
	readonly name: string;
	readonly pid: number;
	readonly residentBytes: number;
	readonly handles: number;
}

/** Memory and handles of the daemon and of every runner. */
export async function readProcesses(
	client: Client,
	daemonPid: number,
	atS: number,
): Promise<Reading[]> {
	const { runners } = JSON.parse(await client.get('/nearglot/runners')) as {
		runners: { model: string; pid: number }[];
	};
	return [{ model: 'daemon', pid: daemonPid }, ...runners].flatMap(({ model, pid }) => {
		const facts = processFacts(pid);
		return facts === undefined ? [] : [{ atS, name: model, pid, ...facts }];
	});
}

/** Gauges of `/metrics`: name and model → value. */
export async function readGauges(client: Client): Promise<Map<string, number>> {
	const found = new Map<string, number>();
	for (const line of (await client.get('/metrics')).split('\n')) {
		const match = /^nearglot_model_(\w+)\{model="([^"]+)"\} (\S+)$/.exec(line);
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
		if (part === 'cached_prefixes' && value > mostPrefixes)
			found.push(`${model} keeps ${value} prefixes; ${mostPrefixes} are allowed.`);
		if (part === 'kv_bytes' && value > limit)
			found.push(`${model} holds ${value} bytes of caches; ${limit} are allowed.`);
	}
	return found;
}

/** Bytes that a daemon may hold more after the load than before, its own caches of texts among them. */
const restBytes = 96 << 20;

/**
 * Unloads every model; sentences about what does not come back: processes that stay, memory that the
 * daemon keeps.
 */
export async function memoryHeld(
	client: Client,
	daemonPid: number,
	before: Pick<Reading, 'residentBytes'> | undefined,
): Promise<string[]> {
	const runners = (await readProcesses(client, daemonPid, 0)).filter(
		({ pid }) => pid !== daemonPid,
	);
	for (const { name } of runners)
		await client.get(`/openai/unload/${encodeURIComponent(name)}?force=true`);
	const alive = (): Reading[] => runners.filter(({ pid }) => processFacts(pid) !== undefined);
	for (let wait = 0; wait < 100 && alive().length > 0; wait++)
		await new Promise((resolve) => setTimeout(resolve, 100));
	const found = alive().map(({ name, pid }) => `The runner ${pid} of ${name} outlives its model.`);
	const now = processFacts(daemonPid);
	const more = (now?.residentBytes ?? 0) - (before?.residentBytes ?? 0);
	if (before !== undefined && more > restBytes)
		found.push(`The daemon keeps ${(more / 1e6).toFixed(0)} MB more than before the load.`);
	return found;
}

/**
 * Sentences about what grew between the second third and the end of a process's life, where caches
 * are full: more than an eighth and 24 MiB of memory, or more than 8 handles.
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
		const handles = median(end, 'handles') - median(middle, 'handles');
		if (handles > 8) found.push(`${name} holds ${handles} handles more.`);
	}
	return found;
}

function median(readings: readonly Reading[], key: 'residentBytes' | 'handles'): number {
	const sorted = readings.map((reading) => reading[key]).sort((a, b) => a - b);
	return sorted[sorted.length >> 1] ?? 0;
}
