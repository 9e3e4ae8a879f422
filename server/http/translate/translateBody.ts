/** Bodies of the translate interface: content type, size and JSON, refused with its own codes. */

import type { Context } from 'hono';
import { AppError } from '../../protocol/index.ts';
import { textsBody } from '../../protocol/routes/bodyLimits.ts';
import { jsonOf } from '../bodyThread.ts';
import type { AppEnv } from '../env.ts';
import { HeldBytes } from '../heldBytes.ts';
import { readBytes } from '../requestBody.ts';
import { abortReasonOf } from '../signal.ts';
import { translatorError } from './translateErrors.ts';

const waitMs = 60_000;

/** The body as JSON: 415000, 400074, 400077 or 408002 otherwise. */
export async function readBodyJson(
	context: Context<AppEnv>,
	signal: AbortSignal,
): Promise<unknown> {
	const type = context.req.header('content-type') ?? '';
	if (!/^application\/json\s*(;|$)/i.test(type))
		throw translatorError(415000, 'Send Content-Type: application/json.');
	let timer: NodeJS.Timeout | undefined;
	const late = new Promise<never>((_, reject) => {
		timer = setTimeout(() => reject(translatorError(408002)), waitMs);
		signal.addEventListener(
			'abort',
			() => reject(abortReasonOf(signal) ?? new AppError('cancelled')),
			{ once: true },
		);
	});
	using held = new HeldBytes();
	let bytes: Uint8Array<ArrayBuffer>;
	try {
		bytes = await Promise.race([readBytes(context, textsBody.bytes, held), late]);
	} catch (error) {
		if (error instanceof AppError && error.code === 'payload_too_large')
			throw translatorError(400077);
		throw error;
	} finally {
		clearTimeout(timer);
		late.catch(() => {});
	}
	try {
		return await jsonOf(bytes, textsBody);
	} catch (error) {
		if (error instanceof AppError && error.code !== 'invalid_json') throw error;
		throw translatorError(400074);
	}
}
