/**
 * `npm run bench -- soak [--minutes 30] [--callers 4] [--pause MS]`, or `--burst [--requests 255] [--embeddings FOLDER]`: exit
 * code 1 when anything was wrong.
 */

import { parseArgs } from 'node:util';
import { onEndSignal } from '../chaos/endSignal.ts';
import { runBurst } from './burst.ts';
import { runSoak } from './soak.ts';

export async function soakCommand(args: string[]): Promise<number> {
	const { values } = parseArgs({
		args,
		options: {
			minutes: { type: 'string', default: '30' },
			callers: { type: 'string', default: '4' },
			pause: { type: 'string', default: '400' },
			burst: { type: 'boolean', default: false },
			requests: { type: 'string', default: '255' },
			embeddings: { type: 'string' },
		},
	});
	if (values.burst)
		return summed(
			await runBurst({
				requests: Number(values.requests),
				embeddings: values.embeddings,
				say: (line) => console.log(line),
			}),
		);
	const stop = new AbortController();
	using _stops = onEndSignal(() => stop.abort());
	const { counts, daemonBlockMs, problems } = await runSoak({
		minutes: Number(values.minutes),
		callers: Number(values.callers),
		pauseMs: Number(values.pause),
		killEveryS: 60,
		readEveryS: 60,
		signal: stop.signal,
		say: (line) => console.log(line),
	});
	console.log(JSON.stringify(counts));
	const { longest, busy } = daemonBlockMs;
	console.log(
		`event loop of the daemon: longest block ${longest.toFixed(0)} ms, ${busy.toFixed(0)} ms of it its own computing`,
	);
	return summed(problems);
}

/** Prints what was wrong; the exit code. */
function summed(problems: readonly string[]): number {
	for (const text of problems) console.log(`PROBLEM ${text}`);
	console.log(problems.length === 0 ? 'Nothing was wrong.' : `${problems.length} problems.`);
	return problems.length === 0 ? 0 : 1;
}
