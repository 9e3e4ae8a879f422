/**
 * One flood: few callers before and after it, for comparison on a machine that has other work, too; between them many
 * at once, each until it has its answers.
 */

import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import type { MeasuredDaemon } from '../soak/daemon.ts';
import { processFacts } from '../soak/held.ts';
import type { FloodCase } from './cases.ts';

export interface FloodRow {
	readonly name: string;
	readonly unit: string;
	readonly callers: number;
	readonly seconds: number;
	/** Answers by status, those that were asked again among them. */
	readonly statuses: Readonly<Record<string, number>>;
	readonly perSecond: number;
	readonly fewPerSecond: number;
	readonly healthMs: { readonly median: number; readonly max: number; readonly count: number };
	/** Longest time of its own computing without a turn of the daemon's loop. */
	readonly heldMs: number;
	readonly megabytes: {
		readonly before: number;
		readonly few: number;
		readonly peak: number;
		readonly after: number;
	};
	/** What was promised and not kept. */
	readonly faults: readonly string[];
}

export interface FloodOptions {
	readonly callers: number;
	readonly rounds: number;
	readonly restS: number;
	/** Nothing is begun or asked again after so many seconds. */
	readonly maxS: number;
}

const maxHeldMs = 50;
const maxGrowthMb = 200;
/** What stays of a flood: caches of sentences and what the heap has learnt. */
const maxKeptMb = 64;
const everyMs = 200;

export async function flood(
	one: FloodCase,
	daemon: MeasuredDaemon,
	{ callers, rounds, restS, maxS }: FloodOptions,
): Promise<FloodRow> {
	const headers = { authorization: `Bearer ${daemon.key}` };
	const statuses: Record<string, number> = {};
	const faults: string[] = [];
	let next = 0;
	let answered = 0;
	let endMs = Number.POSITIVE_INFINITY;

	/** Asks until there is an answer that is none of an overload. */
	const ask = async (count: Record<string, number>): Promise<void> => {
		const { path, init } = one.request(next++);
		const all = { ...init, headers: { ...init.headers, ...headers } };
		for (;;) {
			if (performance.now() > endMs) return;
			const asked = await fetch(daemon.url + path, all).then(
				async (response) => ({ response, text: await response.text() }),
				(error: unknown) => String((error as Error).cause ?? error),
			);
			if (typeof asked === 'string') {
				faults.push(`no answer: ${asked.slice(0, 200)}`);
				return;
			}
			const { response, text } = asked;
			count[response.status] = (count[response.status] ?? 0) + 1;
			if (response.ok) {
				answered++;
				return;
			}
			if (response.status !== 503) {
				faults.push(`${response.status}: ${text.slice(0, 200)}`);
				return;
			}
			const wait = Number(response.headers.get('retry-after'));
			if (!(wait > 0)) faults.push(`503 without Retry-After: ${text.slice(0, 200)}`);
			// As clients do, a little apart.
			await sleep((Math.max(1, wait) + Math.random()) * 1000);
		}
	};
	/** Units a second of so many requests by so many callers. */
	const run = async (atOnce: number, requests: number, count: Record<string, number>) => {
		const began = performance.now();
		let left = requests;
		answered = 0;
		const caller = async () => {
			while (left-- > 0) await ask(count);
		};
		await Promise.all(Array.from({ length: atOnce }, caller));
		const seconds = (performance.now() - began) / 1000;
		return { seconds, perSecond: (answered * one.units) / seconds };
	};
	const megabytes = () => Math.round((processFacts(daemon.pid)?.residentBytes ?? 0) / 1e6);

	await ask({});
	await sleep(1000);
	const before = megabytes();
	const calm = await run(one.few, one.fewRequests, {});
	const few = megabytes();

	const begunMs = Date.now();
	const watch = watchDaemon(daemon.url, megabytes);
	endMs = performance.now() + maxS * 1000;
	const busy = await run(callers, callers * rounds, statuses);
	const { peak, healthMs } = await watch.stop();
	endMs = Number.POSITIVE_INFINITY;
	const again = await run(one.few, one.fewRequests, {});
	await sleep(restS * 1000);
	const after = megabytes();
	const fewPerSecond = (calm.perSecond + again.perSecond) / 2;
	const heldMs = Math.max(0, ...daemon.blocks('serve', begunMs).map(({ busyMs }) => busyMs));

	if (heldMs > maxHeldMs) faults.push(`the loop was held for ${heldMs.toFixed(0)} ms`);
	if (peak - before > maxGrowthMb) faults.push(`the daemon took ${peak - before} MB more`);
	if (after - before > maxKeptMb) faults.push(`the daemon kept ${after - before} MB`);
	const share = busy.perSecond / fewPerSecond;
	if (share < 0.9) faults.push(`${(share * 100).toFixed(0)} % of what few callers get done`);
	return {
		...{ name: one.name, unit: one.unit, callers, statuses, healthMs, heldMs },
		...{ seconds: busy.seconds, perSecond: busy.perSecond, fewPerSecond },
		megabytes: { before, few, peak, after },
		faults: [...new Set(faults)],
	};
}

/** Looks at the daemon's memory and asks whether it is well, until it is stopped. */
function watchDaemon(url: string, megabytes: () => number) {
	const file = new URL('./healthWorker.ts', import.meta.url);
	const worker = new Worker(file, { workerData: { url, everyMs } });
	let peak = 0;
	const timer = setInterval(() => {
		peak = Math.max(peak, megabytes());
	}, everyMs);
	return {
		stop: async () => {
			clearInterval(timer);
			worker.postMessage('stop');
			const [waits] = (await once(worker, 'message')) as [number[]];
			waits.sort((a, b) => a - b);
			const median = waits[waits.length >> 1] ?? 0;
			return { peak, healthMs: { median, max: waits.at(-1) ?? 0, count: waits.length } };
		},
	};
}
