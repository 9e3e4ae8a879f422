/** Builds the small decoder into the folder given, telling of every band: for tests that kill it. */

import { memorySource } from './memorySource.ts';
import { build } from './rebuilt.ts';
import { smallCalibration, smallConfig, smallWeights } from './smallDecoder.ts';

const [target = ''] = process.argv.slice(2);
const source = memorySource(smallWeights());
const slow = {
	...source,
	rows: async (name: string, from: number, to: number) => {
		const rows = await source.rows(name, from, to);
		await new Promise((resolve) => process.send?.('read', resolve));
		return rows;
	},
};
await build(slow, smallConfig, target, {
	noteBytes: 1,
	keep: false,
	calibration: async () => smallCalibration,
});
process.disconnect();
