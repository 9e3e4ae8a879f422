/** Multipart forms with one file, which is streamed to disk and never held in memory. */

import { once } from 'node:events';
import { createWriteStream, type WriteStream } from 'node:fs';

import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import busboy from 'busboy';
import type { Context } from 'hono';
import { AppError, asAppError, systemError } from '../protocol/index.ts';
import { removePath } from '../store/movePath.ts';
import { makeScratchFolder } from '../store/scratch.ts';
import type { AppEnv } from './env.ts';
import { abortReasonOf } from './signal.ts';

export interface UploadOptions {
	/** Name of the form field with the file. */
	readonly field: string;
	readonly limitBytes: number;
	/** Folder for the file. */
	readonly scratch: string;
	/** What the file is, for messages. Default `recording`. */
	readonly what?: 'recording' | 'file';
	/** Throws when there is no room for so many bytes: asked before the form is read, where the client says how many. */
	readonly checkRoom?: (announcedBytes: number) => Promise<void>;
}

/** A form whose file lies in a private temporary folder; dispose it to delete the file. */
export interface Upload extends AsyncDisposable {
	readonly path: string;
	/** As the client calls it; empty where it does not. */
	readonly fileName: string;
	readonly sizeBytes: number;
	/** Field name without `[]` → values. */
	readonly fields: ReadonlyMap<string, readonly string[]>;
}

/** What a refused client may go on sending, as a multiple of the limit, before the line is cut. */
const wasteFactor = 3;
/** Room for the texts of a form beside its file. */
const formAllowance = 1_048_576;
/** Form fields besides the file are small texts. */
const fieldLimits = {
	fields: 64,
	fieldSize: 65_536,
	fieldNameSize: 200,
	parts: 70,
	headerPairs: 100,
};

/**
 * Reads the form. Throws `payload_too_large` with the figures, `invalid_request` for forms without
 * the file, `disk_full`, and `cancelled` when the client goes away; the file is gone then.
 */
export async function readUpload(
	context: Context<AppEnv>,
	options: UploadOptions,
): Promise<Upload> {
	const type = context.req.header('content-type') ?? '';
	if (!/^multipart\/form-data\s*;/i.test(type)) {
		throw new AppError(
			'invalid_request',
			`This route takes an upload: send multipart/form-data with the ${options.what ?? 'recording'} in the field '${options.field}'. Paths on the server are never read.`,
			{ param: options.field },
		);
	}
	if (!context.get('admitted')) throw new AppError('invalid_api_key');
	const announced = Number(context.req.header('content-length') ?? 0);
	if (announced > options.limitBytes + formAllowance) throw tooLarge(options, announced);
	await options.checkRoom?.(announced);
	const folder = await makeScratchFolder('upload', options.scratch);
	const dispose = () => removePath(folder, { recursive: true, force: true });
	try {
		const path = join(folder, 'recording');
		const form = await receive(context, type, path, options);
		return { ...form, path, [Symbol.asyncDispose]: dispose };
	} catch (error) {
		await dispose();
		throw error;
	}
}

async function receive(
	context: Context<AppEnv>,
	type: string,
	path: string,
	options: UploadOptions,
): Promise<Pick<Upload, 'sizeBytes' | 'fields' | 'fileName'>> {
	const body = context.req.raw.body;
	if (body === null) throw new AppError('invalid_request', 'The body is empty.');
	const form = new FormReceiver(type, path, options, announcedBytes(context));
	const reader = body.getReader();
	const signal = context.get('signal');
	let received = 0;
	const cancel = () => void reader.cancel().catch(() => {});
	// A client that vanishes leaves the body waiting: only the closed connection tells.
	signal.addEventListener('abort', cancel, { once: true });
	if (signal.aborted) cancel();
	try {
		for (;;) {
			const { done, value } = await reader.read();
			signal.throwIfAborted();
			if (done) break;
			received += value.byteLength;
			// After a refusal the rest is thrown away, so that the client gets to read the answer.
			if (form.problem === undefined) await form.write(value);
			else if (received > options.limitBytes * wasteFactor + formAllowance) break;
		}
	} catch (cause) {
		const ended = new AppError('cancelled', 'The upload ended before it was complete.', { cause });
		form.fail(abortReasonOf(signal) ?? ended);
	} finally {
		signal.removeEventListener('abort', cancel);
		cancel();
	}
	return form.end();
}

/** Parses one form and writes its file; the first problem wins. */
class FormReceiver {
	problem: AppError | undefined;
	readonly #parser: ReturnType<typeof busboyFor>;
	readonly #options: UploadOptions;
	readonly #path: string;
	readonly #announced: number;
	readonly #fields = new Map<string, string[]>();
	#file: WriteStream | undefined;
	#written: Promise<void> | undefined;
	#sizeBytes = 0;
	#fileName = '';
	readonly #closed: Promise<void>;

	constructor(type: string, path: string, options: UploadOptions, announced: number) {
		this.#options = options;
		this.#path = path;
		this.#announced = announced;
		this.#parser = busboyFor(type, options.limitBytes);
		this.#closed = new Promise((resolve) => {
			this.#parser.on('close', resolve);
			this.#parser.on('error', (error: Error) => {
				this.fail(new AppError('invalid_request', `The form is damaged: ${error.message}.`));
				resolve();
			});
		});
		this.#parser.on('field', (name, value, info) => this.#onField(name, value, info));
		this.#parser.on('file', (name, stream, { filename }) => {
			this.#fileName = filename ?? '';
			this.#onFile(name, stream);
		});
		for (const limit of ['fieldsLimit', 'partsLimit', 'filesLimit'] as const)
			this.#parser.on(limit, () =>
				this.fail(new AppError('invalid_request', 'The form has too many parts.')),
			);
	}

	fail(error: AppError): void {
		this.problem ??= error;
		this.#file?.destroy();
	}

	async write(chunk: Uint8Array): Promise<void> {
		if (this.#parser.write(chunk)) return;
		// A destroyed file takes nothing any more, so nothing would drain.
		const ends = [this.#closed, this.#written ?? this.#closed];
		const stop = new AbortController();
		const drained = once(this.#parser, 'drain', { signal: stop.signal }).catch(() => {});
		await Promise.race([drained, ...ends]);
		stop.abort();
	}

	async end(): Promise<Pick<Upload, 'sizeBytes' | 'fields' | 'fileName'>> {
		if (this.problem === undefined) {
			this.#parser.end();
			await this.#closed;
		}
		await this.#written;
		const { field } = this.#options;
		if (this.problem !== undefined) throw this.problem;
		if (this.#written === undefined) throw wrongFile(field, 'missing');
		if (this.#sizeBytes === 0)
			throw new AppError(
				this.#options.what === 'file' ? 'invalid_request' : 'invalid_audio',
				'The uploaded file is empty (0 bytes).',
				{ param: field },
			);
		return { sizeBytes: this.#sizeBytes, fields: this.#fields, fileName: this.#fileName };
	}

	#onField(rawName: string, value: string, info: busboy.FieldInfo): void {
		const name = rawName.replace(/\[\d*\]$/, '');
		if (name === this.#options.field)
			this.fail(wrongFile(name, 'a text; send the bytes of the recording as a file'));
		if (info.valueTruncated || info.nameTruncated) {
			const param = name.slice(0, 60);
			this.fail(new AppError('invalid_request', `The field '${param}' is too long.`, { param }));
		}
		this.#fields.set(name, [...(this.#fields.get(name) ?? []), value]);
	}

	#onFile(name: string, stream: Readable & { readonly truncated?: boolean }): void {
		const { field } = this.#options;
		stream.on('error', () => {});
		if (name !== field || this.#written !== undefined || this.problem !== undefined) {
			stream.resume();
			this.fail(
				name === field
					? wrongFile(field, 'sent more than once')
					: new AppError(
							'invalid_request',
							`There is a file in the field '${name.slice(0, 60)}'; it belongs into '${field}'.`,
							{ param: field },
						),
			);
			return;
		}
		const file = createWriteStream(this.#path, { mode: 0o600 });
		this.#file = file;
		stream.on('data', (chunk: Buffer) => {
			this.#sizeBytes += chunk.length;
		});
		stream.on('limit', () => this.fail(tooLarge(this.#options, this.#announced)));
		stream.pipe(file);
		this.#written = finished(file).catch((error: unknown) => {
			stream.unpipe(file);
			stream.resume();
			const known = systemError(error, { path: this.#path, verb: 'written' });
			this.fail(known ?? asAppError(error, 'storing the recording'));
		});
	}
}

function busboyFor(type: string, limitBytes: number) {
	try {
		return busboy({
			headers: { 'content-type': type },
			limits: { ...fieldLimits, files: 4, fileSize: limitBytes },
		});
	} catch (error) {
		const reason = error instanceof Error ? error.message : '';
		throw new AppError('invalid_request', `The form is damaged: ${reason}.`, { cause: error });
	}
}

const announcedBytes = (context: Context<AppEnv>) =>
	Number(context.req.header('content-length') ?? 0);

function tooLarge(
	{ limitBytes, field, what = 'recording' }: UploadOptions,
	announced: number,
): AppError {
	const size = announced > 0 ? `${megabytes(announced)} MB` : 'larger than that';
	return new AppError(
		'payload_too_large',
		`The upload is ${size}; ${what}s of at most ${megabytes(limitBytes)} MB are accepted. ${what === 'file' ? 'Split' : 'Compress it (Opus or MP3), split'} it, or raise the limit.`,
		{ param: field },
	);
}

const megabytes = (bytes: number) => Number((bytes / 1_048_576).toFixed(1));

const wrongFile = (field: string, what: string) =>
	new AppError('invalid_request', `The field '${field}' is ${what}.`, { param: field });
