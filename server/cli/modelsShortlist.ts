/** `nearglot models shortlist FOLDER --text FILE`: makes a translation model's steps cheaper. */

import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { learnShortlist } from '../engine/learnShortlist.ts';
import { defined } from '../protocol/defined.ts';
import { AppError } from '../protocol/index.ts';
import { readArgs } from './args.ts';
import { type CommandIo, UsageError } from './command.ts';

/** Learns the table from a file of sentences, one in a line, and says how faithful it is. */
export async function shortlistCommand(args: readonly string[], io: CommandIo): Promise<number> {
	const options = readArgs(args, {
		text: { type: 'string' },
		from: { type: 'string' },
		to: { type: 'string' },
	});
	const [folder, ...more] = options.positionals;
	const file = options.text('text');
	if (folder === undefined || more.length > 0 || file === undefined)
		throw new UsageError('models shortlist takes one folder and --text FILE.');
	const lines = (
		await readFile(resolve(file), 'utf8').catch((error: unknown) => {
			throw new AppError('invalid_request', `The file ${file} cannot be read.`, { cause: error });
		})
	)
		.split('\n')
		.map((line) => line.trim())
		.filter((line) => line !== '');
	const from = options.text('from');
	const to = options.text('to');
	const { texts, changed, written } = await learnShortlist(
		{
			folder: resolve(folder),
			texts: lines,
			...defined({ sourceLanguage: from, targetLanguage: to }),
			onProgress: (done, total) => {
				io.stderr.status(`${done} of ${total} texts`);
			},
		},
		io.signal,
	);
	const share = (changed * 100).toFixed(1);
	io.stdout.write(
		written
			? `Learned from ${texts} texts; it changes ${share} % of the translations it was checked on.\n`
			: `Not written: learned from ${texts} texts, it would change ${share} % of the translations it was checked on, and 1 % is allowed. More texts help.\n`,
	);
	return written ? 0 : 1;
}
