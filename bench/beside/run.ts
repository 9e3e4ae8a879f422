/**
 * `bench -- beside [OPTIONS]`: how long a short request waits for its first text alone and beside three that never
 * end, for every kind of request, over HTTP.
 */

import { cpus, loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { startDaemon } from '../soak/daemon.ts';
import { type Kind, kinds, type Server } from './kinds.ts';

const usage = `Usage: npm run bench -- beside [OPTIONS]

  --only A,B        kinds whose names begin so (default: all)
  --requests N      short requests that are timed (default 30)
  --beside N        long requests at once (default 3)
  --chat DIR        folder of a chat model (default: the built-in one)
  --embeddings DIR  folder of an embedding model, for that kind
  --server URL,KEY  a server that runs already
  --bars            fails where the first text comes after 150 ms in more than 5 of 100`;

const barMs = 150;

interface Row {
	readonly name: string;
	readonly alone: readonly number[];
	readonly beside: readonly number[];
}

/** Runs the bench; returns the exit code. */
export async function runBeside(args: readonly string[]): Promise<number> {
	const { values } = parseArgs({
		args: [...args],
		options: {
			only: { type: 'string' },
			requests: { type: 'string', default: '30' },
			beside: { type: 'string', default: '3' },
			chat: { type: 'string' },
			embeddings: { type: 'string' },
			server: { type: 'string' },
			bars: { type: 'boolean', default: false },
			help: { type: 'boolean', default: false },
		},
	});
	if (values.help) {
		console.log(usage);
		return 0;
	}
	const models: Record<string, string> = {};
	if (values.chat !== undefined) models['beside-chat'] = values.chat;
	if (values.embeddings !== undefined) models['beside-embedder'] = values.embeddings;
	const all = kinds({
		chat: values.chat === undefined ? 'starter-chat' : 'beside-chat',
		embedder: values.embeddings === undefined ? undefined : 'beside-embedder',
	});
	const wanted = values.only?.split(',');
	const chosen = all.filter(
		({ name }) => wanted === undefined || wanted.some((begin) => name.startsWith(begin)),
	);
	const [load = 0] = loadavg();
	console.log(`${cpus()[0]?.model}, ${cpus().length} cores, load ${load.toFixed(1)} before\n`);
	console.log(`first text, ms              alone p50    p95   beside p50    p95    max`);
	const [url, key] = values.server?.split(',') ?? [];
	const daemon = url === undefined || key === undefined ? await startDaemon({ models }) : undefined;
	const server = daemon ?? { url: url ?? '', key: key ?? '' };
	let missed = 0;
	try {
		for (const kind of chosen) {
			const row = await measure(kind, server, {
				requests: Number(values.requests),
				beside: Number(values.beside),
				// No text is asked for twice: it would come from a cache.
				turn: 1_000_000 * (all.indexOf(kind) + 1),
			});
			const shown = [
				...[0.5, 0.95].map((share) => quantile(row.alone, share)),
				...[0.5, 0.95, 1].map((share) => quantile(row.beside, share)),
			].map((value) => value.toFixed(0));
			console.log(
				`${row.name.padEnd(26)} ${shown[0]?.padStart(10)} ${shown[1]?.padStart(6)} ${shown[2]?.padStart(12)} ${shown[3]?.padStart(6)} ${shown[4]?.padStart(6)}`,
			);
			if (quantile(row.beside, 0.95) > barMs) missed++;
		}
	} finally {
		await daemon?.stop();
	}
	return values.bars && missed > 0 ? 1 : 0;
}

async function measure(
	kind: Kind,
	server: Server,
	options: { readonly requests: number; readonly beside: number; readonly turn: number },
): Promise<Row> {
	const { requests, beside } = options;
	let { turn } = options;
	const timed = async (count: number): Promise<number[]> => {
		const times: number[] = [];
		for (let at = 0; at < count; at++) times.push(await kind.short(server, turn++));
		return times;
	};
	// The model is loaded and warm before anything counts.
	await timed(3);
	const alone = await timed(requests);
	const stop = new AbortController();
	const endless = Array.from({ length: beside }, async (_, lane) => {
		for (let round = 0; !stop.signal.aborted; round++) {
			try {
				await kind.long(server, options.turn + 100_000 * (lane + 1) + round, stop.signal);
			} catch (error) {
				if (!stop.signal.aborted) throw error;
			}
		}
	});
	try {
		const failed = Promise.all(endless).then(() => Promise.reject(new Error('They ended.')));
		// They are under way when the first short one comes.
		await Promise.race([timed(2), failed]);
		const times = await Promise.race([timed(requests), failed]);
		return { name: kind.name, alone, beside: times };
	} finally {
		stop.abort();
		await Promise.allSettled(endless);
	}
}

function quantile(values: readonly number[], share: number): number {
	const sorted = [...values].sort((a, b) => a - b);
	return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
