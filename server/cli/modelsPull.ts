/** `nearglot models pull NAME`: licence first, then progress; Ctrl+C pauses, the next run resumes. */

import { findOrStartDaemon } from '../daemon/client.ts';
import { pullModel as pullModelRoute } from '../protocol/addresses.ts';
import type { Precision } from '../protocol/index.ts';
import type { EventOf } from '../protocol/routes/route.ts';
import { readArgs } from './args.ts';
import { type CommandIo, UsageError } from './command.ts';
import { hubOf } from './hubChoice.ts';
import { ProgressBar } from './progressBar.ts';
import { byteText } from './tables.ts';

type Start = Extract<EventOf<typeof pullModelRoute>, { start: unknown }>['start'];

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
	const hub = hubOf(io.env);
	const daemon = await findOrStartDaemon({ env: io.env }, io.signal);
	const bar = new ProgressBar(io.stderr);
	const own = options.text('name');
	try {
		const body = {
			...(own === undefined ? { model: name } : { model: own, uri: `hf://${name}` }),
			// A precision there is not, the daemon refuses with the list of those there are.
			precision: options.text('precision') as Precision | undefined,
			revision: options.text('revision'),
			path: options.text('path'),
			...hub,
		};
		for await (const event of daemon.stream(
			pullModelRoute,
			{ body },
			{ signal: io.signal, of: 'download' },
		)) {
			if ('start' in event) io.stderr.write(startLine(event.start));
			if ('progress' in event) bar.update(event.progress);
			if ('waitingFor' in event)
				io.stderr.write('Another process is downloading this model; waiting for it.\n');
			if ('notice' in event) {
				bar.end();
				io.stderr.write(`${event.notice}\n`);
			}
			if (!('model' in event)) continue;
			bar.end();
			const { model } = event;
			if (options.has('json')) io.stdout.data(`${JSON.stringify(model)}\n`);
			else
				io.stdout.write(
					`${model.id} is ready (${byteText(model.sizeBytes)}, ${model.folder ?? ''}).\n`,
				);
			return 0;
		}
		throw daemon.cut('download');
	} catch (error) {
		bar.end();
		if (!io.signal.aborted) throw error;
		io.stderr.write(`Paused. Run it again to resume: nearglot models pull ${name}\n`);
		return 130;
	}
}
