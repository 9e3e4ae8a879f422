/** Which requests hold the loop of a real daemon, judged by the daemon's own processor time. */

import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type MeasuredDaemon, startDaemon } from '../../bench/soak/daemon.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { writeHostileModels } from './modelFolders.ts';

/** No request may hold the loop longer; the bounds of the metric's buckets are among what can be asked. */
export const maxHoldMs = 50;

export interface HostileRequest {
	readonly name: string;
	readonly path: string;
	/** Absent: the path is read. Made for each time it is sent: what is to be new is new at every try. */
	readonly body?: string | (() => string);
	/** As long as its answer takes, where that is what is looked at; default: that of all. */
	readonly patienceMs?: number;
}

export interface Hold {
	readonly name: string;
	/** All the time the request held the loop, but for short moments. */
	readonly ms: number;
}

export interface HoldsOptions {
	/** Units of what the hostile models hold. */
	readonly units: number;
	/** Milliseconds after which nobody waits for an answer any more. */
	readonly patienceMs: number;
	/** Default: {@link maxHoldMs}. */
	readonly maxMs?: number;
	/** What counts is the first time, so each try gets a daemon of its own. */
	readonly isFirst: boolean;
}

/** Tries that have to agree: a busy machine makes a processor slower, too. */
const tries = 3;

/**
 * Sends requests one after the other to a daemon that nobody else asks, and those that held its loop again.
 *
 * @returns those that held it longer than `maxMs` at every try
 */
export async function holdsOf(
	requests: readonly HostileRequest[],
	{ units, patienceMs, isFirst, maxMs = maxHoldMs }: HoldsOptions,
): Promise<readonly Hold[]> {
	const folder = temporaryFolder('hostile');
	writeHostileModels(folder, units);
	const models = Object.fromEntries(readdirSync(folder).map((name) => [name, join(folder, name)]));
	let daemon = await startDaemon({ models });
	try {
		let held = await holdsIn(daemon, requests, { patienceMs, maxMs });
		for (let more = 1; more < tries && held.length > 0; more++) {
			const names = new Set(held.map(({ name }) => name));
			if (isFirst) {
				await daemon.stop();
				daemon = await startDaemon({ models });
			}
			const again = requests.filter(({ name }) => names.has(name));
			held = await holdsIn(daemon, again, { patienceMs, maxMs });
		}
		return held;
	} finally {
		await daemon.stop();
	}
}

async function holdsIn(
	{ url, key }: MeasuredDaemon,
	requests: readonly HostileRequest[],
	{ patienceMs, maxMs }: { readonly patienceMs: number; readonly maxMs: number },
): Promise<Hold[]> {
	const held: Hold[] = [];
	let before = await heldSoFar(url, key, maxMs);
	for (const request of requests) {
		await send(url, key, request, AbortSignal.timeout(request.patienceMs ?? patienceMs));
		const now = await heldSoFar(url, key, maxMs);
		if (now.long > before.long)
			held.push({ name: request.name, ms: Math.round(1000 * (now.seconds - before.seconds)) });
		before = now;
	}
	return held;
}

async function send(
	url: string,
	key: string,
	{ path, body }: HostileRequest,
	signal: AbortSignal,
): Promise<void> {
	const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
	const sent = typeof body === 'function' ? body() : body;
	const how = sent === undefined ? {} : { method: 'POST', body: sent };
	try {
		const response = await fetch(url + path, { headers, signal, ...how });
		for await (const _ of response.body ?? []);
	} catch (error) {
		if (!signal.aborted) throw error;
	}
}

/** How often the loop was held for too long since the daemon's start, and the seconds of all holds. */
async function heldSoFar(
	url: string,
	key: string,
	maxMs: number,
): Promise<{ long: number; seconds: number }> {
	const response = await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${key}` } });
	const text = await response.text();
	if (!response.ok) throw new Error(text);
	const value = (name: string) => {
		const start = `nearglot_loop_held_seconds${name} `;
		const line = text.split('\n').find((each) => each.startsWith(start));
		return Number(line?.slice(start.length) ?? 0);
	};
	const short = value(`_bucket{le="${maxMs / 1000}"}`);
	return { long: value('_count') - short, seconds: value('_sum') };
}
