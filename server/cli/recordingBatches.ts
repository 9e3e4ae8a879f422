/** Recordings that the model server transcribes, each as a batch of its own: handed over, found again, fetched. */

import { createHash } from 'node:crypto';
import { createReadStream, openAsBlob } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename, dirname, resolve } from 'node:path';
import type { DaemonConnection } from '../daemon/daemonConnection.ts';
import { findOrStartDaemon } from '../daemon/findDaemon.ts';
import { AppError, asAppError, setFormFile, type Transcript } from '../protocol/index.ts';
import {
	createBatch,
	deleteFile,
	fileContent,
	listBatches,
	showBatch,
	uploadFile,
} from '../protocol/routeAddresses.ts';
import type { BatchAnswer } from '../protocol/routes/batches.ts';
import { makeFolder } from '../store/makeFolder.ts';
import { type CommandIo, UsageError } from './command.ts';
import { checkTarget, writeOutput } from './outputFile.ts';
import { sourceFiles } from './sourceFiles.ts';
import { bodyOf, type FileFormat } from './transcriptRequest.ts';
import { transcriptTargets } from './transcriptTargets.ts';

const recordings = /\.(?:wav|mp3|flac|ogg|oga|opus|m4a|aac|webm|weba|mp4|mkv)$/i;
/** Recordings that the server has at a time; the others wait here. */
const maxOpen = 40;
/** As long as a batch, and what it reads, are kept. */
const keepS = 7 * 86_400;
const endpoint = '/v1/audio/transcriptions';
/** A recording that the server did not take is handed over again after this time; each time after twice as long. */
const againMs = 30_000;
const maxAgainMs = 600_000;
/** For so long a command that does not watch waits for a server that cannot say how its batches stand. */
const troubleTimeoutMs = 60_000;

export interface RecordingOptions {
	readonly names: readonly string[];
	readonly out: string | undefined;
	readonly format: FileFormat;
	readonly force: boolean;
	readonly isWatching: boolean;
	/** Body of an item, without its file. */
	readonly body: Readonly<Record<string, string | string[]>>;
}

interface Recording {
	readonly path: string;
	readonly target: string;
	/** Size and time of change: another file, when they are others. */
	readonly state: string;
	/** How often it could not be handed over. */
	readonly tries?: number;
}

export class RecordingBatches {
	readonly #asked: RecordingOptions;
	readonly #io: CommandIo;
	readonly #connect: () => Promise<DaemonConnection>;
	/** By what they are of; those that could be gone on with. */
	#known: Map<string, BatchAnswer> | undefined;
	/** State of each recording that was looked at, so that none is done twice by one command. */
	readonly #seen = new Map<string, string>();
	#due: Recording[] = [];
	/** Those whose turn comes again, with the time for it. */
	#late: { readonly recording: Recording; readonly at: number }[] = [];
	/** What stands in the way of asking how batches stand, and since when. */
	#trouble: { readonly message: string; readonly since: number } | undefined;
	/** Those of each batch: recordings of the same content are one. */
	readonly #open = new Map<string, readonly Recording[]>();
	#counts = { transcribed: 0, failed: 0, there: 0 };
	/** Recordings that still grew at the last look. */
	#growing = 0;
	#hasSaid = false;

	/** @param connect to the model server, each time something is asked of it */
	constructor(asked: RecordingOptions, io: CommandIo, connect = serverOf(io)) {
		this.#asked = asked;
		this.#io = io;
		this.#connect = connect;
	}

	/** Recordings that the server has. */
	get #underWay(): number {
		return [...this.#open.values()].reduce((sum, { length }) => sum + length, 0);
	}

	get isBusy(): boolean {
		return this.#open.size + this.#due.length + this.#late.length + this.#growing > 0;
	}

	/** Finds what is to be done. @returns the folders that were looked into */
	async look(): Promise<readonly string[]> {
		const { names, isWatching, force } = this.#asked;
		const { files, folders } = await sourceFiles(
			names,
			(path) => recordings.test(path),
			this.#io.signal,
			undefined,
			'transcribed',
		);
		const targets = await transcriptTargets(files, this.#asked);
		this.#growing = 0;
		for (const [path, target] of targets) {
			// It was listed a moment ago: what is gone now is nobody's any more.
			const found = await stat(path).catch(() => undefined);
			if (found === undefined) continue;
			const state = `${found.size} ${found.mtimeMs}`;
			const before = this.#seen.get(path);
			if (before === `taken ${state}`) continue;
			const made = await stat(target).catch(() => undefined);
			if (made !== undefined && !(force && made.mtimeMs < found.mtimeMs)) {
				if (before === undefined) this.#counts.there++;
				this.#seen.set(path, `taken ${state}`);
				continue;
			}
			// What somebody is writing is taken when it has been the same at two looks.
			if (isWatching && before !== state) {
				this.#seen.set(path, state);
				this.#growing++;
				continue;
			}
			this.#seen.set(path, `taken ${state}`);
			this.#late = this.#late.filter(({ recording }) => recording.path !== path);
			this.#due.push({ path, target, state });
		}
		return folders;
	}

	/** Hands recordings over, and takes what is done. */
	async step(): Promise<void> {
		const now = performance.now();
		for (const { recording, at } of this.#late) if (at <= now) this.#due.push(recording);
		this.#late = this.#late.filter(({ at }) => at > now);
		while (this.#open.size < maxOpen) {
			const next = this.#due.shift();
			if (next === undefined) break;
			try {
				const id = await this.#begin(next);
				this.#open.set(id, [...(this.#open.get(id) ?? []), next]);
			} catch (error) {
				if (error instanceof AppError && error.code === 'batch_queue_full') {
					this.#due.unshift(next);
					break;
				}
				if (this.#asked.isWatching && mayPass(error)) this.#putOff(next, error);
				else this.#fail(next.path, error);
			}
		}
		for (const [id, recordings] of this.#open) {
			const isOpen = await this.#fetch(id, recordings).catch((error) => {
				if (error instanceof AppError && error.kind.retryable) return this.#wait(error);
				for (const { path } of recordings) this.#fail(path, error);
				return false;
			});
			if (!isOpen) this.#open.delete(id);
		}
		const { stderr } = this.#io;
		if (stderr.isTTY && this.isBusy)
			stderr.status(
				`${this.#counts.transcribed} transcribed, ${this.#underWay + this.#due.length + this.#late.length} to go`,
			);
	}

	/** Says what was done, and what was not; of what this command has changed itself there is nothing to say. */
	end(): number {
		const { transcribed, failed, there } = this.#counts;
		if (transcribed + failed + there === 0 && this.#hasSaid) return 0;
		this.#hasSaid = true;
		this.#print(
			[
				`${transcribed} transcribed`,
				...(there > 0 ? [`${there} there already`] : []),
				...(failed > 0 ? [`${failed} failed`] : []),
			].join(', '),
		);
		this.#counts = { transcribed: 0, failed: 0, there: 0 };
		return failed > 0 ? 1 : 0;
	}

	leave(): void {
		if (this.#open.size === 0) return;
		this.#print(
			`${this.#underWay} recordings go on. The same command fetches what is done; nearglot batch list shows them.`,
		);
	}

	/** Takes the transcript of a batch that has ended. @returns whether it is under way */
	async #fetch(id: string, recordings: readonly Recording[]): Promise<boolean> {
		const daemon = await this.#connect();
		const batch = await daemon.call(showBatch, { params: { id } }, this.#options);
		const isOpen = batch.completed_at === null && batch.failed_at === null && !isGivenUp(batch);
		if (!isOpen) await this.#take(batch, recordings);
		this.#trouble = undefined;
		return isOpen;
	}

	/** Nothing is known of the batches at the moment; what is under way goes on. */
	#wait(error: AppError): true {
		this.#io.signal.throwIfAborted();
		const now = performance.now();
		const { message } = error;
		if (this.#trouble === undefined) this.#print(`${message} It is asked again.`);
		this.#trouble ??= { message, since: now };
		if (!this.#asked.isWatching && now - this.#trouble.since > troubleTimeoutMs) throw error;
		return true;
	}

	/** @returns id of the batch that was begun before, or of a new one */
	async #begin({ path, state }: Recording): Promise<string> {
		const { body } = this.#asked;
		const digest = createHash('sha256').update(JSON.stringify(body));
		for await (const part of createReadStream(path, { signal: this.#io.signal }))
			digest.update(part as Uint8Array);
		const mark = digest.digest('hex');
		const known = (await this.#batches()).get(mark);
		if (known !== undefined) return known.id;
		const file = await this.#upload(await openAsBlob(path), basename(path), 'user_data');
		const now = await stat(path);
		if (`${now.size} ${now.mtimeMs}` !== state) {
			await this.#remove(file);
			this.#seen.delete(path);
			throw new UsageError(`${path} was changed while it was read.`);
		}
		const line = JSON.stringify({
			...{ custom_id: basename(path).slice(0, 200), method: 'POST', url: endpoint },
			body: { ...body, file },
		});
		const input = await this.#upload(new Blob([`${line}\n`]), `${basename(path)}.jsonl`, 'batch');
		const daemon = await this.#connect();
		const batch = await daemon.call(
			createBatch,
			{
				body: {
					...{ input_file_id: input, endpoint, completion_window: '7d' },
					metadata: { name: basename(path).slice(0, 200), recording: mark, file },
				},
			},
			this.#options,
		);
		(await this.#batches()).set(mark, batch);
		return batch.id;
	}

	/** @throws AppError for a server that cannot say now what came of it */
	async #take(batch: BatchAnswer, recordings: readonly Recording[]): Promise<void> {
		let written = 0;
		const transcript = await this.#transcript(batch).catch((error) => {
			if (error instanceof AppError && error.kind.retryable) throw error;
			for (const { path } of recordings) this.#fail(path, error);
		});
		for (const recording of transcript === undefined ? [] : recordings)
			await this.#write(transcript as Transcript, recording).then(
				() => written++,
				(error) => this.#fail(recording.path, error),
			);
		// One that could not be written is fetched by the next command.
		if (written === recordings.length || batch.output_file_id === null)
			await this.#removeAll(batch);
	}

	async #transcript(batch: BatchAnswer): Promise<Transcript> {
		const row = await this.#row(batch.output_file_id ?? batch.error_file_id);
		if (batch.output_file_id === null) {
			const said = row?.response?.body?.error?.message ?? batch.errors?.data[0]?.message;
			throw new UsageError(said ?? `The batch has ended without a transcript: ${batch.status}.`);
		}
		const transcript = row?.response?.body as (Transcript & { usage?: unknown }) | undefined;
		if (transcript === undefined) throw new UsageError('Its transcript is gone. Try it again.');
		const { usage: _usage, ...rest } = transcript;
		return rest as Transcript;
	}

	async #write(transcript: Transcript, { path, target }: Recording): Promise<void> {
		makeFolder(dirname(resolve(target)), 0o777);
		await checkTarget(target, this.#asked.force);
		await writeOutput(target, bodyOf(transcript, this.#asked.format, basename(path)));
		this.#counts.transcribed++;
		this.#print(`${target}: transcribed`);
	}

	async #row(id: string | null): Promise<ResultRow | undefined> {
		if (id === null) return undefined;
		const daemon = await this.#connect();
		const answer = await daemon.open(fileContent, { params: { id } }, this.#options);
		const [line = ''] = (await answer.text()).split('\n');
		return line === '' ? undefined : (JSON.parse(line) as ResultRow);
	}

	/** The newest batch of each recording that is under way, or has brought a transcript that nobody took. */
	async #batches(): Promise<Map<string, BatchAnswer>> {
		if (this.#known !== undefined) return this.#known;
		const known = new Map<string, BatchAnswer>();
		const daemon = await this.#connect();
		for (let after: string | undefined; ; ) {
			const query = { limit: '100', ...(after === undefined ? {} : { after }) };
			const page = await daemon.call(listBatches, { query }, this.#options);
			for (const batch of page.data) {
				const mark = batch.metadata?.['recording'];
				if (mark === undefined || known.has(mark) || isGivenUp(batch) || batch.failed_at !== null)
					continue;
				const isThere =
					batch.completed_at === null ||
					(batch.output_file_id !== null &&
						(await this.#row(batch.output_file_id).catch(() => undefined)) !== undefined);
				if (isThere) known.set(mark, batch);
			}
			after = page.last_id ?? undefined;
			if (!page.has_more || after === undefined) break;
		}
		this.#known = known;
		return known;
	}

	async #upload(content: Blob, name: string, purpose: string): Promise<string> {
		const form = new FormData();
		form.append('purpose', purpose);
		form.append('expires_after[anchor]', 'created_at');
		form.append('expires_after[seconds]', String(keepS));
		setFormFile(form, content, name);
		return (await (await this.#connect()).call(uploadFile, { body: form }, this.#options)).id;
	}

	/** What the server need not keep any more. */
	async #removeAll({ metadata, input_file_id, output_file_id, error_file_id }: BatchAnswer) {
		for (const id of [metadata?.['file'], input_file_id, output_file_id, error_file_id])
			if (typeof id === 'string') await this.#remove(id);
		const mark = metadata?.['recording'];
		if (mark !== undefined) this.#known?.delete(mark);
	}

	async #remove(id: string): Promise<void> {
		const daemon = await this.#connect();
		// It is removed by itself after a week.
		await daemon.call(deleteFile, { params: { id } }, this.#options).catch(() => {});
	}

	/** Said at the first time. */
	#putOff(recording: Recording, error: AppError): void {
		this.#io.signal.throwIfAborted();
		const { tries = 0, path } = recording;
		const afterMs = Math.min(againMs * 2 ** tries, maxAgainMs);
		this.#late.push({
			recording: { ...recording, tries: tries + 1 },
			at: performance.now() + afterMs,
		});
		if (tries === 0) this.#print(`${path}: ${error.message} It is tried again.`);
	}

	#fail(path: string, error: unknown): void {
		this.#io.signal.throwIfAborted();
		this.#counts.failed++;
		const { message } = error instanceof UsageError ? error : asAppError(error);
		this.#print(message.includes(path) ? message : `${path}: ${message}`);
	}

	#print(line: string): void {
		this.#io.stderr.write(`${line}\n`);
	}

	get #options() {
		return { signal: this.#io.signal };
	}
}

/** Finds or starts the server when it is first asked. */
const serverOf = ({ env, signal }: CommandIo): (() => Promise<DaemonConnection>) => {
	let found: DaemonConnection | undefined;
	return async () => {
		found ??= await findOrStartDaemon({ env }, signal);
		return found;
	};
};

/** Whether a recording that was refused so may be taken later. */
const mayPass = (error: unknown): error is AppError =>
	error instanceof AppError &&
	(error.kind.retryable || ['payload_too_large', 'disk_full'].includes(error.code));

interface ResultRow {
	readonly response?: {
		readonly body?: { readonly error?: { readonly message?: string } };
	} | null;
}

const isGivenUp = ({ status }: BatchAnswer): boolean =>
	status === 'cancelled' || status === 'expired';
