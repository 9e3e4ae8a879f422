/** How long requests hold up the event loop of a real daemon. */

import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { writeHostileModels } from '../../test/hostile/modelFolders.ts';
import { startDaemon } from '../soak/daemon.ts';
import { units } from './models.ts';

/** No request may hold the loop longer. */
export const maxHoldMs = 50;

export interface HostileRequest {
	readonly name: string;
	readonly path: string;
	readonly body: string;
}

export interface Holds {
	/** Longest stretch of the daemon's own computing. */
	readonly longestMs: number;
	readonly slow: readonly { readonly name: string; readonly ms: number }[];
}

/** Requests that are measured together; those of a slow group are asked again one by one. */
const groupSize = 12;
/** An answer that takes longer is no longer waited for. */
const patienceMs = 30_000;

/** Sends requests to a daemon of its own, one after the other. */
export async function holdsOf(requests: readonly HostileRequest[]): Promise<Holds> {
	const folder = mkdtempSync(join(tmpdir(), 'nearglot-hostile-'));
	writeHostileModels(folder, units);
	const models = readdirSync(folder).map((name) => [name, join(folder, name)]);
	const daemon = await startDaemon({ models: Object.fromEntries(models) });
	const send = async ({ path, body }: HostileRequest) => {
		const headers = { authorization: `Bearer ${daemon.key}`, 'content-type': 'application/json' };
		const signal = AbortSignal.timeout(patienceMs);
		await fetch(daemon.url + path, { method: 'POST', headers, body, signal })
			.then((response) => response.arrayBuffer())
			.catch(() => {});
	};
	const hold = async (group: readonly HostileRequest[]) => {
		// Blocks are noted once a second, so those of a group lie wholly inside its seconds.
		await wait(1100);
		const since = Date.now() - 1000;
		for (const request of group) await send(request);
		await wait(1100);
		return Math.max(0, ...daemon.blocks('serve', since).map(({ busyMs }) => busyMs));
	};
	try {
		// The first requests load and compile what all others use.
		for (const request of requests.slice(0, 3)) await send(request);
		let longestMs = 0;
		const slow: { name: string; ms: number }[] = [];
		for (let at = 0; at < requests.length; at += groupSize) {
			const group = requests.slice(at, at + groupSize);
			const all = await hold(group);
			if (all <= maxHoldMs) {
				longestMs = Math.max(longestMs, all);
				continue;
			}
			for (const request of group) {
				const ms = Math.min(await hold([request]), await hold([request]));
				longestMs = Math.max(longestMs, ms);
				if (ms > maxHoldMs) slow.push({ name: request.name, ms });
			}
		}
		return { longestMs, slow };
	} finally {
		await daemon.stop();
		rmSync(folder, { recursive: true, force: true });
	}
}
