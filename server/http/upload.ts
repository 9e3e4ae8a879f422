/** Multipart forms with one file, which is streamed to disk and never held in memory. */

import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import busboy from 'busboy';
import type { Context } from 'hono';
import { AppError } from '../protocol/index.ts';
import type { AppEnv } from './env.ts';

export interface UploadOptions {
	/** Name of the form field with the file. */
	readonly field: string;
	readonly limitBytes: number;
}

/** A form whose file lies in a private temporary folder; dispose it to delete the file. */
export interface Upload extends AsyncDisposable {
	readonly path: string;
	readonly sizeBytes: number;
	/** Field name without `[]` → values. */
	readonly fields: ReadonlyMap<string, readonly string[]>;
}

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
			`This route takes an upload: send multipart/form-data with the recording in the field '${options.field}'. Paths on the server are never read.`,
			{ param: options.field },
		);
	}
	const announced = Number(context.req.header('content-length') ?? 0);
	if (announced > options.limitBytes + 1_048_576) throw tooLarge(options.limitBytes, announced);
	const folder = await mkdtemp(join(tmpdir(), 'nearglot-upload-'));
	const dispose = () => rm(folder, { recursive: true, force: true });
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
): Promise<Pick<Upload, 'sizeBytes' | 'fields'>> {
	const signal = context.get('signal');
	const body = context.req.raw.body;
	if (body === null) throw new AppError('invalid_request', 'The body is empty.');
	const fields = new Map<string, string[]>();
	let sizeBytes: number | undefined;
	let problem: AppError | undefined;
	let writing: Promise<void> | undefined;
	const parser = busboyFor(type, options.limitBytes);
	const source = Readable.fromWeb(body as Parameters<typeof Readable.fromWeb>[0]);
	const fail = (error: AppError) => {
		problem ??= error;
		source.unpipe(parser);
		parser.destroy();
		// What the client still sends is thrown away, so that it can read the answer.
		source.resume();
	};
	parser.on('field', (rawName, value, info) => {
		const name = rawName.replace(/\[\d*\]$/, '');
		if (name === options.field)
			fail(wrongFile(options.field, 'a text; send the bytes of the recording as a file'));
		if (info.valueTruncated || info.nameTruncated)
			fail(
				new AppError('invalid_request', `The field '${name.slice(0, 60)}' is too long.`, {
					param: name.slice(0, 60),
				}),
			);
		fields.set(name, [...(fields.get(name) ?? []), value]);
	});
	parser.on('file', (name, stream) => {
		if (name !== options.field || writing !== undefined) {
			stream.resume();
			fail(
				name === options.field
					? wrongFile(options.field, 'sent more than once')
					: new AppError(
							'invalid_request',
							`There is a file in the field '${name.slice(0, 60)}'; it belongs into '${options.field}'.`,
							{ param: options.field },
						),
			);
			return;
		}
		const file = createWriteStream(path, { mode: 0o600 });
		let written = 0;
		stream.on('data', (chunk: Buffer) => {
			written += chunk.length;
		});
		stream.on('limit', () => fail(tooLarge(options.limitBytes, announcedBytes(context))));
		stream.on('error', () => file.destroy());
		stream.pipe(file);
		writing = finished(file).then(
			() => {
				sizeBytes = written;
			},
			(error: NodeJS.ErrnoException) => {
				if (error.code === 'ENOSPC')
					fail(new AppError('disk_full', 'There is no disk space left for the recording.'));
				else
					fail(
						new AppError('invalid_request', 'The upload ended before the recording was complete.'),
					);
			},
		);
	});
	for (const limit of ['fieldsLimit', 'partsLimit'] as const)
		parser.on(limit, () => fail(new AppError('invalid_request', 'The form has too many fields.')));
	await new Promise<void>((resolve) => {
		const gone = () => {
			fail(new AppError('cancelled'));
			source.destroy();
			resolve();
		};
		if (signal.aborted) return gone();
		signal.addEventListener('abort', gone, { once: true });
		parser.on('close', resolve);
		parser.on('error', (error: Error) => {
			fail(new AppError('invalid_request', `The form is damaged: ${error.message}.`));
			resolve();
		});
		source.on('error', () => {
			fail(new AppError('cancelled'));
			resolve();
		});
		source.pipe(parser);
	});
	await writing;
	if (problem !== undefined) throw problem;
	if (sizeBytes === undefined) throw wrongFile(options.field, 'missing');
	if (sizeBytes === 0)
		throw new AppError('invalid_audio', 'The uploaded file is empty (0 bytes).', {
			param: options.field,
		});
	return { sizeBytes, fields };
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

function tooLarge(limitBytes: number, announced: number): AppError {
	const size = announced > 0 ? `${megabytes(announced)} MB` : 'larger than that';
	return new AppError(
		'payload_too_large',
		`The upload is ${size}; recordings of at most ${megabytes(limitBytes)} MB are accepted. Compress it (Opus or MP3), split it, or raise the limit.`,
		{ param: 'file' },
	);
}

const megabytes = (bytes: number) => Number((bytes / 1_048_576).toFixed(1));

const wrongFile = (field: string, what: string) =>
	new AppError('invalid_request', `The field '${field}' is ${what}.`, { param: field });
