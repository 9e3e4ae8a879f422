/** Reading request bodies: type, size and JSON are checked here and nowhere else. */

import type { Context } from 'hono';
import { AppError } from '../protocol/index.ts';
import type { AppEnv } from './env.ts';
import { jsonOf } from './jsonThread.ts';

/** Largest JSON body of the chat family. */
export const jsonLimitBytes = 8 * 1024 * 1024;

/**
 * The body as JSON. Compressed → 415, wrong type → 400 (a browser form cannot fake `application/json`), too large →
 * 413, broken → 400 `invalid_json`.
 */
export async function readJson(
	context: Context<AppEnv>,
	limitBytes = jsonLimitBytes,
): Promise<unknown> {
	const type = context.req.header('content-type') ?? '';
	if (!/^application\/([\w.+-]+\+)?json\s*(;|$)/i.test(type))
		throw new AppError(
			'invalid_request',
			`This route takes JSON: send Content-Type: application/json (it was ${type === '' ? 'absent' : `'${type.slice(0, 60)}'`}).`,
		);
	const encoding = context.req.header('content-encoding') ?? 'identity';
	if (!/^\s*identity\s*$/i.test(encoding))
		throw new AppError(
			'unsupported_media_type',
			`The body is compressed (Content-Encoding: ${encoding.slice(0, 40)}), which is not read here; send it as it is.`,
		);
	const bytes = await readBytes(context, limitBytes);
	if (bytes.byteLength < 1024 && new TextDecoder().decode(bytes).trim() === '')
		throw new AppError('invalid_json', 'The body is empty; send a JSON object.');
	try {
		return await jsonOf(bytes);
	} catch (error) {
		if (error instanceof AppError) throw error;
		const reason = error instanceof Error ? error.message.replace(/".*"/s, 'the body') : '';
		throw new AppError('invalid_json', `The body is not valid JSON: ${reason}`, { cause: error });
	}
}

/** The raw body up to a limit in bytes. */
export async function readBytes(
	context: Context<AppEnv>,
	limitBytes: number,
): Promise<Uint8Array<ArrayBuffer>> {
	const tooLarge = () =>
		new AppError(
			'payload_too_large',
			`The body is larger than ${Math.floor(limitBytes / 1024)} KiB, the limit of this route.`,
		);
	if ((context.req.header('content-encoding') ?? 'identity') !== 'identity')
		throw new AppError('invalid_request', 'Compressed request bodies are not accepted.');
	if (Number(context.req.header('content-length') ?? 0) > limitBytes) throw tooLarge();
	const stream = context.req.raw.body;
	if (!stream) return new Uint8Array();
	const chunks: Uint8Array[] = [];
	let size = 0;
	const reader = stream.getReader();
	for (;;) {
		const { done, value } = await reader.read();
		if (done) break;
		size += value.byteLength;
		if (size > limitBytes) {
			await reader.cancel();
			throw tooLarge();
		}
		chunks.push(value);
	}
	// A buffer of its own: small ones of Buffer share theirs, and a thread gets the whole of it.
	const bytes = new Uint8Array(size);
	let at = 0;
	for (const chunk of chunks) {
		bytes.set(chunk, at);
		at += chunk.byteLength;
	}
	return bytes;
}
