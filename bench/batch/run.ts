/**
 * `npm run bench -- batch [--seed N] [--runs N] [--items N] [--lines N] [--redis]`: chaos of workers (and of a Redis), and what bulk work costs;
 * `npm run bench -- batch beside`: people beside a batch, and its throughput.
 */

import { parseArgs } from 'node:util';
import { runBesideBatch } from './beside.ts';
import { chaosRun } from './chaos.ts';
import { emptyBatchAlone, manifestRate } from './figures.ts';

/** @returns exit code: 1 when a row was lost, doubled or wrong */
export async function runBatch(args: readonly string[]): Promise<number> {
	if (args[0] === 'beside') return runBesideBatch(args.slice(1));
	const { values } = parseArgs({
		args: [...args],
		options: {
			seed: { type: 'string', default: '1' },
			runs: { type: 'string', default: '10' },
			items: { type: 'string', default: '5000' },
			lines: { type: 'string', default: '1000000' },
			redis: { type: 'boolean', default: false },
		},
	});
	const rate = await manifestRate(50_000);
	console.log(`manifest: ${Math.round(rate)} lines a second of processor time`);
	const small = emptyBatchAlone(20_000, 8);
	const { shards, seconds, processorS, peakMb } = small;
	console.log(
		`20,000 empty items: ${shards} shards in ${seconds.toFixed(1)} s, ${(shards / seconds).toFixed(0)} shards/s, ${((processorS / shards) * 1000).toFixed(1)} ms of processor time each: ${((processorS / shards / 30) * 100).toFixed(3)} % of a shard of 30 s; peak ${peakMb.toFixed(0)} MB`,
	);
	const lines = Number(values.lines);
	if (lines > 0) {
		const large = emptyBatchAlone(lines, 8);
		console.log(
			`${lines} lines: ${large.shards} shards in ${large.seconds.toFixed(0)} s, peak ${large.peakMb.toFixed(0)} MB`,
		);
	}
	let bad = 0;
	for (let run = 0; run < Number(values.runs); run++) {
		const done = await chaosRun(Number(values.seed) + run, Number(values.items), 3, values.redis);
		if (done.lost + done.doubled + done.wrong > 0) bad++;
		console.log(JSON.stringify(done));
	}
	console.log(`chaos: ${Number(values.runs) - bad} of ${values.runs} exact`);
	return bad === 0 ? 0 : 1;
}
