/** `nearglot models pull NAME`: licence first, then progress; Ctrl+C pauses, the next run resumes. */

import { findOrStartDaemon } from '../daemon/client.ts';
import { type DownloadProgress, downloadCut, type ModelInfo } from '../protocol/index.ts';
import { readArgs } from './args.ts';
import { type CommandIo, UsageError } from './command.ts';
import { ProgressBar } from './progressBar.ts';
import { sseEvents } from './sseEvents.ts';
import { byteText } from './tables.ts';

interface Start {
	readonly repository: string;
	readonly license?: string;
	readonly totalBytes: number;
	readonly unverified?: number;
}

/** Licence and size, said before the first byte. */
function startLine({ repository, license, totalBytes, unverified = 0 }: Start): string {
	const terms = license === undefined ? 'no licence is stated; see its page' : `licence ${license}`;
	const hashes =
		unverified === 0
			? ''
			: `The hub states no hash for ${unverified} of its files: damage on the way would not be noticed.\n`;
	return `${repository}: ${byteText(totalBytes)}, ${terms}.\n${hashes}`;
}

export async function pullModel(args: readonly string[], io: CommandIo): Promise<number> {
	const options = readArgs(args, {
		precision: { type: 'string' },
		revision: { type: 'string' },
		name: { type: 'string' },
		path: { type: 'string' },
		json: { type: 'boolean' },
	});
	const [name, ...more] = options.positionals;
	if (name === undefined || more.length > 0)
		throw new UsageError('models pull takes one name: of the catalogue, or owner/name of a hub.');
	const daemon = await findOrStartDaemon({ env: io.env }, io.signal);
	const bar = new ProgressBar(io.stderr);
	const own = options.text('name');
	const wishes = ['precision', 'revision', 'path'].flatMap((key) => {
		const value = options.text(key);
		return value === undefined ? [] : [[key, value]];
	});
	let isThere = false;
	try {
		const response = await daemon.post(
			'/nearglot/models/download',
			{
				...(own === undefined ? { model: name } : { model: own, uri: `hf://${name}` }),
				...Object.fromEntries(wishes),
			},
			io.signal,
		);
		for await (const event of sseEvents(response, downloadCut)) {
			if (event['start'] !== undefined) io.stderr.write(startLine(event['start'] as Start));
			if (event['progress'] !== undefined) bar.update(event['progress'] as DownloadProgress);
			if ('waitingFor' in event)
				io.stderr.write('Another process is downloading this model; waiting for it.\n');
			if (event['model'] === undefined) continue;
			bar.end();
			isThere = true;
			const model = event['model'] as ModelInfo;
			if (options.has('json')) io.stdout.data(`${JSON.stringify(model)}\n`);
			else
				io.stdout.write(
					`${model.id} is ready (${byteText(model.sizeBytes)}, ${model.folder ?? ''}).\n`,
				);
		}
		if (!isThere) throw downloadCut();
		return 0;
	} catch (error) {
		bar.end();
		if (!io.signal.aborted) throw error;
		io.stderr.write(`Paused. Run it again to resume: nearglot models pull ${name}\n`);
		return 130;
	}
}
