/** Reading request bodies: type, size and JSON are checked here and nowhere else. */

import type { Context } from 'hono';
import { AppError } from '../protocol/index.ts';
import type { AppEnv } from './env.ts';

/** Largest JSON body of the chat family. */
export const jsonLimitBytes = 8 * 1024 * 1024;

/**
 * The body as JSON. Wrong type → 400 (a browser form cannot fake `application/json`), too large →
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
	const text = new TextDecoder('utf-8', { fatal: false }).decode(
		await readBytes(context, limitBytes),
	);
	if (text.trim() === '')
		throw new AppError('invalid_json', 'The body is empty; send a JSON object.');
	try {
		return JSON.parse(text);
	} catch (error) {
		const reason = error instanceof Error ? error.message.replace(/".*"/s, 'the body') : '';
		throw new AppError('invalid_json', `The body is not valid JSON: ${reason}`, { cause: error });
	}
}

/** The raw body up to a limit in bytes. */
export async function readBytes(context: Context<AppEnv>, limitBytes: number): Promise<Uint8Array> {
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
	return Buffer.concat(chunks);
}
