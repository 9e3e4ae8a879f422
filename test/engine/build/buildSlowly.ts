/**
 * Builds the small decoder into the folder given, telling of every band, for tests that kill it. It is never more than a
 * few bands ahead of what the test has answered.
 */

import { memorySource } from './memorySource.ts';
import { build } from './rebuilt.ts';
import { smallCalibration, smallConfig, smallWeights } from './smallDecoder.ts';

const [target = ''] = process.argv.slice(2);
const maxAhead = 3;
let ahead = 0;
const waiting: (() => void)[] = [];
process.on('message', () => {
	ahead--;
	waiting.shift()?.();
});
const source = memorySource(smallWeights());
const slow = {
	...source,
	rows: async (name: string, from: number, to: number) => {
		const rows = await source.rows(name, from, to);
		process.send?.('read');
		if (++ahead > maxAhead) await new Promise<void>((resolve) => waiting.push(resolve));
		return rows;
	},
};
await build(slow, smallConfig, target, {
	noteBytes: 1,
	keep: false,
	calibration: async () => smallCalibration,
});
process.disconnect();
