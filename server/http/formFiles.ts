/** Multipart forms with a few small files, which are held in memory as JSON bodies are. */

import busboy from 'busboy';
import type { Context } from 'hono';
import { AppError } from '../protocol/index.ts';
import type { AppEnv } from './env.ts';
import type { HeldBytes } from './heldBytes.ts';
import { readBytes } from './requestBody.ts';

export interface FormFile {
	/** As the client names it; empty where it does not. */
	readonly fileName: string;
	/** In small letters, without parameters. */
	readonly contentType: string;
	readonly bytes: Uint8Array;
}

/** Room for the heads of parts and for texts that nobody reads. */
const formAllowance = 64 * 1024;

/**
 * The files of a form by their fields; a field without a file's name counts as one all the same.
 *
 * @param limits Fields with the bytes their file may have; others are left out
 * @throws AppError `invalid_request`, `payload_too_large`
 */
export async function readFormFiles(
	context: Context<AppEnv>,
	limits: Readonly<Record<string, number>>,
	held: HeldBytes,
): Promise<ReadonlyMap<string, FormFile>> {
	const type = context.req.header('content-type') ?? '';
	if (!/^multipart\/form-data\s*;/i.test(type))
		throw new AppError('invalid_request', 'Send multipart/form-data.');
	const all = Object.values(limits).reduce((sum, bytes) => sum + bytes, formAllowance);
	const body = await readBytes(context, all, held);
	return await parseForm(body, type, limits);
}

function parseForm(
	body: Uint8Array,
	type: string,
	limits: Readonly<Record<string, number>>,
): Promise<ReadonlyMap<string, FormFile>> {
	return new Promise((resolve, reject) => {
		const damaged = (cause: unknown): void => {
			const reason = cause instanceof Error ? cause.message : '';
			reject(new AppError('invalid_request', `The form is damaged: ${reason}.`, { cause }));
		};
		let parser: ReturnType<typeof busboy>;
		try {
			const most = { files: 4, fields: 16, parts: 20, fieldSize: formAllowance, headerPairs: 50 };
			parser = busboy({ headers: { 'content-type': type }, limits: most });
		} catch (error) {
			damaged(error);
			return;
		}
		const files = new Map<string, FormFile>();
		const add = (name: string, file: FormFile): void => {
			const limit = Object.hasOwn(limits, name) ? limits[name] : undefined;
			if (limit === undefined) return;
			if (files.has(name))
				reject(
					new AppError('invalid_request', `The field '${name}' was sent twice.`, { param: name }),
				);
			else if (file.bytes.byteLength > limit)
				reject(
					new AppError(
						'payload_too_large',
						`The file in '${name}' is larger than ${Math.floor(limit / 1024)} KiB.`,
						{ param: name },
					),
				);
			else files.set(name, file);
		};
		parser.on('file', (name, stream, { filename, mimeType }) => {
			const chunks: Buffer[] = [];
			stream.on('data', (chunk: Buffer) => chunks.push(chunk));
			stream.on('error', damaged);
			stream.on('end', () => {
				const file = { fileName: filename ?? '', contentType: mimeType.toLowerCase() };
				add(name, { ...file, bytes: Buffer.concat(chunks) });
			});
		});
		parser.on('field', (name, value, { mimeType, valueTruncated }) => {
			const file = { fileName: '', contentType: mimeType.toLowerCase() };
			if (valueTruncated) damaged(new Error(`the text in '${name.slice(0, 60)}' is too long`));
			else add(name, { ...file, bytes: Buffer.from(value) });
		});
		for (const limit of ['partsLimit', 'filesLimit', 'fieldsLimit'] as const)
			parser.on(limit, () => damaged(new Error('it has too many parts')));
		parser.on('error', damaged);
		parser.on('close', () => resolve(files));
		parser.end(body);
	});
}
