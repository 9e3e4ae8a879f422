/** `nearglot models optimize FOLDER`: a smaller, faster variant of a model, made on this machine. */

import { resolve } from 'node:path';
import { optimizeModel } from '../engine/optimize.ts';
import { readArgs } from './args.ts';
import { type CommandIo, UsageError } from './command.ts';
import { byteText } from './textTable.ts';

/** Quantises the float graphs of a folder and prints what was made. */
export async function optimizeCommand(args: readonly string[], io: CommandIo): Promise<number> {
	const options = readArgs(args, { bits: { type: 'string' }, block: { type: 'string' } });
	const [folder, ...more] = options.positionals;
	if (folder === undefined || more.length > 0)
		throw new UsageError('models optimize takes one folder.');
	const bits = Number(options.text('bits') ?? 4);
	if (bits !== 4 && bits !== 8) throw new UsageError('--bits is 4 or 8.');
	const block = Number(options.text('block') ?? 32);
	const files = await optimizeModel(resolve(folder), { bits, block }, (file) => {
		io.stderr.write(`Quantising ${file} …\n`);
	});
	for (const { file, matrices, sizeBytes, relativeError } of files) {
		const error = (relativeError * 100).toFixed(2);
		io.stdout.write(
			`${file}: ${matrices} matrices, ${byteText(sizeBytes)}, weights off by ${error} % on average\n`,
		);
	}
	return 0;
}
