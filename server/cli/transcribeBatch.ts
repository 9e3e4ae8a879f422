/**
 * `nearglot transcribe --batch`: recordings go to the model server, which transcribes them beside what people ask it.
 * Nothing is noted here: each batch says of which recording it is, so the same command finds it again.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import { asAppError } from '../protocol/index.ts';
import type { ParsedArgs } from './args.ts';
import { type CommandIo, UsageError } from './command.ts';
import { FolderChanges } from './folderChanges.ts';
import { checkNoStandardOutput } from './outputFile.ts';
import { RecordingBatches, type RecordingOptions } from './recordingBatches.ts';
import { fieldsOf, fileFormatOf } from './transcriptRequest.ts';

const pollMs = 1000;

/** @returns the exit code */
export async function transcribeBatch(options: ParsedArgs, io: CommandIo): Promise<number> {
	const asked = askedOf(options);
	const work = new RecordingBatches(asked, io);
	using changes = new FolderChanges();
	try {
		/** A folder may be gone and come back while it is watched. */
		const lookAgain = () =>
			work.look().catch((error: unknown): readonly string[] => {
				if (!asked.isWatching || asAppError(error).code !== 'not_found') throw error;
				return [];
			});
		for (let isFirst = true; ; isFirst = false) {
			const folders = isFirst ? await work.look() : await lookAgain();
			changes.follow(folders);
			await work.step();
			while (work.isBusy) {
				await sleep(pollMs, undefined, { signal: io.signal });
				if (asked.isWatching) changes.follow(await lookAgain());
				await work.step();
			}
			const ended = work.end();
			if (!asked.isWatching) return ended;
			await changes.next(io.signal);
		}
	} catch (error) {
		if (io.signal.aborted) work.leave();
		throw error;
	}
}

function askedOf(options: ParsedArgs): RecordingOptions {
	const { positionals: names } = options;
	if (names.length === 0 || names.includes('-'))
		throw new UsageError('Name folders or recordings: nearglot transcribe meetings --batch');
	checkNoStandardOutput('out', options.text('out'), 'transcripts of a batch lie in a folder');
	for (const other of ['translate', 'seconds'])
		if (options.has(other) || options.text(other) !== undefined)
			throw new UsageError(`--${other} does not go with --batch.`);
	const format = fileFormatOf(options);
	const fields = new Map<string, string | string[]>();
	for (const [name, value] of fieldsOf(options, format))
		if (name.endsWith('[]')) {
			const list = name.slice(0, -2);
			fields.set(list, [...(fields.get(list) ?? []), value]);
		} else fields.set(name, value);
	return {
		...{ names, out: options.text('out'), format, body: Object.fromEntries(fields) },
		...{ force: options.has('force'), isWatching: options.has('watch') },
	};
}
