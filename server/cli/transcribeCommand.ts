/** `nearglot transcribe`: recordings to text, subtitles or JSON. */

import { constants, createWriteStream, openAsBlob } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { DaemonConnection } from '../daemon/daemonConnection.ts';
import { findOrStartDaemon } from '../daemon/findDaemon.ts';
import { thisMachine } from '../daemon/machine.ts';
import { dataDir } from '../daemon/paths.ts';
import { defined } from '../protocol/defined.ts';
import {
	AppError,
	asAppError,
	setFormFile,
	systemError,
	type Transcript,
} from '../protocol/index.ts';
import { audioTranslations, transcriptions } from '../protocol/routeAddresses.ts';
import { makeFolder } from '../store/makeFolder.ts';
import { removePath } from '../store/movePath.ts';
import { makeScratchFolder, scratchIn } from '../store/scratch.ts';
import { type ParsedArgs, readArgs } from './args.ts';
import { type Command, type CommandIo, UsageError } from './command.ts';
import { dictate } from './dictate.ts';
import { isGlob } from './fileGlob.ts';
import { fileProblem } from './fileProblem.ts';
import { checkTarget, standardOutput, writeOutput } from './outputFile.ts';
import { timeText } from './progressBar.ts';
import { matchingFiles, withSlashes } from './sourceFiles.ts';
import type { TerminalWriter } from './terminal.ts';
import { transcribeBatch } from './transcribeBatch.ts';
import {
	bodyOf,
	type FileFormat,
	fieldsOf,
	fileFormatOf,
	saysSpeakers,
	suffixes,
} from './transcriptRequest.ts';

const help = `
Usage: nearglot transcribe FILE|PATTERN… [OPTIONS]   (- reads one recording from standard input)
       nearglot transcribe FOLDER|PATTERN|FILE… --batch [--watch] [--out FOLDER] [OPTIONS]
       nearglot transcribe --microphone [--seconds N] [OPTIONS]

Turns recordings (WAV, MP3, FLAC, Ogg, WebM, MP4, M4A; with AAC in
them where ffmpeg is installed) into text on this machine.

  --model M          speech model; default: the loaded or the largest downloaded one
  --language L       language that is spoken (en, de, …); default: detected
  --translate        translate into English instead (multilingual Whisper models)
  --format F         text (default), md (with headings and times), json, verbose_json, diarized_json, srt or vtt
  --speakers         say who speaks: A, B, … (with text, md, verbose_json, srt and vtt; diarized_json does in any case)
  --words            with verbose_json: times of every word
  --prompt P         names and spellings that occur
  --temperature T    0 (default) to 1
  --no-context       transcribe every part of a long recording without the text before it: faster, because
                     several parts are transcribed together
  --batch            hand recordings to the model server, which transcribes them beside what people ask it;
                     each transcript lies beside its recording, or in --out. Ctrl+C leaves them running: the
                     same command fetches what is done. With --force, recordings that are newer than their
                     transcripts are transcribed again
  --watch            with --batch: go on, and transcribe what is added
  --microphone       record through pw-record, parecord, arecord, sox or ffmpeg; Enter or Ctrl+C ends it
  --seconds N        with --microphone: end after N seconds
  --force            replace files that exist
  --out PATH         write to this file, or into this folder when it is one or there are several FILEs, which
                     make it when it is not there; - is standard output
`;

/** How far it is, and the text as it comes. */
const streamed = [
	['stream', 'true'],
	['include[]', 'progress'],
] as const;

interface Settings {
	readonly fields: readonly (readonly [name: string, value: string])[];
	readonly format: FileFormat;
	/** Whether it is said who speaks. */
	readonly speakers: boolean;
	readonly out: string | undefined;
	readonly outIsFolder: boolean;
	readonly several: boolean;
	/** Names of inputs without their suffix that occur more than once: those outputs keep the suffix. */
	readonly shared: ReadonlySet<string>;
}

export const transcribeCommand: Command = {
	name: 'transcribe',
	summary: 'Turn recordings into text or subtitles.',
	help,
	run: async (args, io) => {
		const options = readArgs(args, {
			model: { type: 'string' },
			language: { type: 'string' },
			translate: { type: 'boolean' },
			format: { type: 'string' },
			words: { type: 'boolean' },
			speakers: { type: 'boolean' },
			prompt: { type: 'string' },
			temperature: { type: 'string' },
			'no-context': { type: 'boolean' },
			microphone: { type: 'boolean' },
			seconds: { type: 'string' },
			out: { type: 'string' },
			force: { type: 'boolean' },
			batch: { type: 'boolean' },
			watch: { type: 'boolean' },
		});
		if (options.has('microphone')) return dictateInto(options, io);
		if (options.has('batch')) return transcribeBatch(options, io);
		if (options.has('watch')) throw new UsageError('--watch goes with --batch.');
		const files = await namedRecordings(options.positionals, io.signal);
		const settings = await readSettings(options, files);
		const daemon = await findOrStartDaemon({ env: io.env }, io.signal);
		const route = options.has('translate') ? audioTranslations : transcriptions;
		let failed = false;
		for (const file of files) {
			try {
				await transcribeOne({ daemon, route, io, settings }, file);
			} catch (error) {
				if (io.signal.aborted || !settings.several) throw error;
				failed = true;
				io.stderr.write(`nearglot transcribe: ${named(file)}: ${asAppError(error).message}\n`);
			}
		}
		return failed ? 1 : 0;
	},
};

/** Patterns stand for their files where no shell has put them there: cmd and PowerShell do not. */
async function namedRecordings(
	names: readonly string[],
	signal: AbortSignal,
): Promise<readonly string[]> {
	const files: string[] = [];
	for (const name of names) {
		const isPattern =
			isGlob(withSlashes(name)) && (await stat(name).catch(() => undefined)) === undefined;
		const found = isPattern ? await matchingFiles(name, signal) : [name];
		if (found.length === 0)
			throw new AppError('not_found', `No file matches ${name}. Check the folder and the name.`);
		for (const file of found) files.push(file);
	}
	return files;
}

async function readSettings(options: ParsedArgs, files: readonly string[]): Promise<Settings> {
	if (files.length === 0)
		throw new UsageError('transcribe takes one or more files, or - for standard input.');
	if (options.text('seconds') !== undefined) throw new UsageError('--seconds needs --microphone.');
	const format = fileFormatOf(options);
	const out = fileOf(options);
	const several = files.length > 1;
	if (several && out === undefined && format !== 'text')
		throw new UsageError('Several files in this format need --out FOLDER.');
	if (out !== undefined) {
		const isFolder = several || /[/\\]$/.test(out);
		try {
			makeFolder(isFolder ? out : dirname(out));
		} catch (error) {
			const { code, message } = error as NodeJS.ErrnoException;
			throw new UsageError(
				isFolder
					? `--out must be a folder for several files, or where it ends in a slash; '${out}' cannot be one (${code ?? message}).`
					: `The folder of --out '${out}' cannot be made (${code ?? message}).`,
			);
		}
	}
	const outIsFolder = out !== undefined && (await isFolder(out));
	const settings = {
		fields: [...fieldsOf(options, format), ...streamed],
		format,
		speakers: saysSpeakers(options, format),
		out,
		outIsFolder,
		several,
		shared: repeated(files.map(stemOf)),
	};
	const [twice] =
		out === undefined ? [] : repeated(files.map((file) => targetOf(settings, file) ?? ''));
	if (twice !== undefined)
		throw new UsageError(
			`More than one of the recordings would be written to ${twice}. Transcribe them into different folders.`,
		);
	if (options.has('force') && out === undefined) throw new UsageError('--force goes with --out.');
	for (const file of files) {
		const target = targetOf(settings, file === '-' ? 'stdin' : file);
		if (target !== undefined) await checkTarget(target, options.has('force'));
	}
	return settings;
}

/** Where transcripts go; `undefined`: to standard output. */
function fileOf(options: ParsedArgs): string | undefined {
	const out = options.text('out');
	return out === standardOutput ? undefined : out;
}

async function dictateInto(options: ParsedArgs, io: CommandIo): Promise<number> {
	if (options.positionals.length > 0) throw new UsageError('--microphone takes no files.');
	for (const name of ['temperature', 'no-context', 'speakers', 'batch', 'watch'])
		if (options.has(name) || options.text(name) !== undefined)
			throw new UsageError(`--${name} is for files, not for --microphone.`);
	const format = fileFormatOf(options);
	if (format === 'md' || format === 'diarized_json')
		throw new UsageError(`--format ${format} is for files, not for --microphone.`);
	const [model, language, prompt] = ['model', 'language', 'prompt'].map(options.text);
	const out = fileOf(options);
	const seconds = options.number('seconds', 0.1, 14_400);
	if (options.has('force') && out === undefined) throw new UsageError('--force goes with --out.');
	if (out !== undefined && (await isFolder(out)))
		throw new UsageError('With --microphone, --out takes a file, not a folder.');
	if (out !== undefined) await checkTarget(out, options.has('force'));
	return dictate(
		{
			request: {
				...defined({ model, language, prompt }),
				translate: options.has('translate'),
				words: options.has('words') || format === 'srt' || format === 'vtt',
			},
			format,
			...defined({ seconds }),
			...(out === undefined ? {} : { write: (body: string) => writeOutput(out, body) }),
		},
		io,
	);
}

async function isFolder(path: string): Promise<boolean> {
	return stat(path).then(
		(found) => found.isDirectory(),
		() => false,
	);
}

interface Work {
	readonly daemon: DaemonConnection;
	readonly route: typeof transcriptions | typeof audioTranslations;
	readonly io: CommandIo;
	readonly settings: Settings;
}

async function transcribeOne(work: Work, file: string): Promise<void> {
	const { io, settings } = work;
	if (file !== '-') return transcribeFile(work, file, file);
	// The format is told from the whole file, so standard input is put on disk first.
	const folder = await makeScratchFolder('stdin', scratchIn(dataDir(thisMachine(io.env))));
	try {
		const copy = join(folder, 'recording');
		await pipeline(io.stdin, createWriteStream(copy, { mode: 0o600 }), { signal: io.signal }).catch(
			(error: unknown) => {
				throw systemError(error, { path: copy, verb: 'written' }) ?? error;
			},
		);
		if ((await stat(copy)).size === 0)
			throw new AppError('invalid_audio', 'Nothing came from standard input; send a recording.');
		await transcribeFile({ ...work, settings }, copy, 'stdin');
	} finally {
		await removePath(folder, { recursive: true, force: true });
	}
}

async function transcribeFile(work: Work, path: string, name: string): Promise<void> {
	const { daemon, io, settings } = work;
	const form = new FormData();
	for (const [field, value] of settings.fields) form.append(field, value);
	const what = settings.several ? 'It' : named(name);
	await access(path, constants.R_OK).catch((error: unknown) => {
		throw new AppError('not_found', `${what} cannot be read: ${fileProblem(error)}.`);
	});
	if (await isFolder(path))
		throw new AppError('invalid_audio', `${what} is a folder; name the recordings in it.`);
	const blob = await openAsBlob(path);
	setFormFile(form, blob, basename(name));
	const target = targetOf(settings, name);
	// Text is shown as it comes; a progress line would stand in its way.
	const live = settings.format === 'text' && target === undefined && !settings.speakers;
	if (live && settings.several) io.stdout.write(`==> ${named(name)} <==\n`);
	const progress = new Progress(io.stderr, name, !live || !io.stdout.isTTY);
	const options = { of: 'recording', signal: io.signal } as const;
	let transcript: Transcript | undefined;
	try {
		for await (const event of daemon.stream(work.route, { body: form }, options)) {
			if (event.type === 'transcript.progress') progress.update(event.done, event.total);
			else if (event.type === 'transcript.text.delta' && live) io.stdout.data(event.delta);
			else if (event.type === 'transcript.text.done') {
				const { type: _type, usage: _usage, ...rest } = event;
				transcript = rest as unknown as Transcript;
			}
		}
	} finally {
		progress.end();
	}
	if (transcript === undefined) throw daemon.cut('recording');
	progress.summary(transcript.duration);
	if (live) io.stdout.write('\n');
	else {
		const body = bodyOf(transcript, settings.format, name);
		if (target === undefined) io.stdout.data(body.endsWith('\n') ? body : `${body}\n`);
		else await writeOutput(target, body);
	}
}

/** How a message calls an input. */
const named = (file: string) => (file === '-' || file === 'stdin' ? 'Standard input' : file);

function targetOf(settings: Settings, name: string): string | undefined {
	if (settings.out === undefined || !settings.outIsFolder) return settings.out;
	const stem = stemOf(name);
	const unique = settings.shared.has(stem) ? basename(name) : stem;
	return join(settings.out, unique + suffixes[settings.format]);
}

const stemOf = (name: string) => basename(name, extname(name));

const repeated = (names: readonly string[]): ReadonlySet<string> =>
	new Set(names.filter((name, index) => names.indexOf(name) !== index));

const everyMs = 100;

/** `talk.mp3   45 %  12.3 × real time  18 s left`, on a terminal only. */
class Progress {
	readonly #output: TerminalWriter;
	readonly #name: string;
	readonly #visible: boolean;
	readonly #began = performance.now();
	#last = Number.NEGATIVE_INFINITY;

	constructor(output: TerminalWriter, name: string, visible: boolean) {
		this.#output = output;
		this.#name = basename(name);
		this.#visible = visible && output.isTTY === true;
	}

	update(doneS: number, totalS: number | undefined): void {
		const now = performance.now();
		if (!this.#visible || now - this.#last < everyMs) return;
		this.#last = now;
		const speed = doneS / Math.max(0.001, (now - this.#began) / 1000);
		const share =
			totalS === undefined
				? ''
				: `${Math.floor((100 * doneS) / Math.max(totalS, doneS))} %`.padStart(6);
		const left =
			totalS === undefined || speed <= 0
				? ''
				: `  ${timeText(Math.max(0, totalS - doneS) / speed)} left`;
		this.#output.status(`${this.#name}${share}  ${speed.toFixed(1)} × real time${left}`);
	}

	end(): void {
		if (this.#visible && Number.isFinite(this.#last)) this.#output.status('');
	}

	summary(durationS: number): void {
		if (!this.#visible) return;
		const seconds = (performance.now() - this.#began) / 1000;
		this.#output.write(
			`${this.#name}: ${timeText(durationS)} in ${seconds.toFixed(1)} s, ${(durationS / seconds).toFixed(1)} × real time\n`,
		);
	}
}
