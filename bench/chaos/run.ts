/** `npm run bench -- chaos [--minutes 15] [--seed N]`: exit code 1 when anything did not hold. */

import { parseArgs } from 'node:util';
import { runChaos } from './chaos.ts';

export async function chaosCommand(args: string[]): Promise<number> {
	const { values } = parseArgs({
		args,
		options: {
			minutes: { type: 'string', default: '15' },
			seed: { type: 'string', default: '1' },
		},
	});
	if (process.platform !== 'linux') {
		console.error('It needs Linux, where /proc tells what a process holds.');
		return 2;
	}
	const { taken, failures } = await runChaos({
		seed: Number(values.seed),
		durationMs: Math.min(15, Number(values.minutes)) * 60_000,
		say: (line) => console.log(line),
	});
	console.log(JSON.stringify(taken));
	for (const text of failures) console.log(`DID NOT HOLD ${text}`);
	if (failures.length === 0) console.log(`All held, seed ${values.seed}.`);
	return failures.length === 0 ? 0 : 1;
}
