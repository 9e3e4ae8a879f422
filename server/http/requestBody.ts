/**
 * Reading request bodies: type, size, JSON and forms are checked here and nowhere else (uploads of files are
 * in `upload.ts`). A route says how much it needs; who may use it is decided before more than a little is read.
 */

import type { Context } from 'hono';
import { AppError } from '../protocol/index.ts';
import { type BodyLimits, smallBody, unadmittedBytes } from '../protocol/routes/bodyLimits.ts';
import { untilAborted } from '../services/untilAborted.ts';
import { formOf, jsonOf } from './bodyThread.ts';
import type { AppEnv } from './env.ts';
import type { FormTextFields } from './formText.ts';
import { HeldBytes } from './heldBytes.ts';
import { bodyEncoding, inflated } from './inflatedBody.ts';
import { abortReasonOf } from './signal.ts';

/**
 * The body as JSON. Compressed in an unknown way or not UTF-8 → 415, wrong type → 400 (a browser form cannot fake `application/json`), too
 * large → 413, broken → 400 `invalid_json`, more values or fields than the limits → 400 `too_expensive`.
 */
export async function readJson(
	context: Context<AppEnv>,
	limits: BodyLimits = smallBody,
): Promise<unknown> {
	const type = context.req.header('content-type') ?? '';
	if (!isJson(context) && !isUntypedProgram(context))
		throw new AppError(
			'invalid_request',
			`This route takes JSON: send Content-Type: application/json (it was ${type === '' ? 'absent' : `'${type.slice(0, 60)}'`}).`,
		);
	using held = new HeldBytes();
	const bytes = await readBytes(context, limits.bytes, held);
	if (bytes.byteLength < 1024 && new TextDecoder().decode(bytes).trim() === '')
		throw new AppError('invalid_json', 'The body is empty; send a JSON object.');
	try {
		return await jsonOf(bytes, limits);
	} catch (error) {
		if (error instanceof AppError) throw error;
		const reason = error instanceof Error ? error.message.replace(/".*"/s, 'the body') : '';
		throw new AppError('invalid_json', `The body is not valid JSON: ${reason}`, { cause: error });
	}
}

/** Whether a body says that it is JSON. */
export const isJson = ({ req }: Context<AppEnv>): boolean =>
	/^application\/([\w.+-]+\+)?json\s*(;|$)/i.test(req.header('content-type') ?? '');

/**
 * curl says `x-www-form-urlencoded` for JSON when it is told nothing, and fetch `text/plain`, as which any page may
 * send anything without asking first. So these are JSON where no browser has sent them, or a page from here or of an
 * allowed origin has; whatever else a browser sends has to say that it is JSON.
 */
function isUntypedProgram(context: Context<AppEnv>): boolean {
	const type = context.req.header('content-type') ?? '';
	return (
		/^(?:|application\/x-www-form-urlencoded|text\/plain\s*(?:;.*)?)$/i.test(type) &&
		context.get('isProgram') === true
	);
}

/** JSON and forms are UTF-8. @throws AppError `unsupported_media_type` for those that say something else */
function checkCharset({ req }: Context<AppEnv>): void {
	const type = req.header('content-type') ?? '';
	if (!/^(?:application\/|text\/plain)/i.test(type)) return;
	const charset = /;\s*charset\s*=\s*"?([^";\s]*)/i.exec(type)?.[1] ?? 'utf-8';
	if (/^(?:utf-?8|us-ascii)$/i.test(charset)) return;
	throw new AppError(
		'unsupported_media_type',
		`Texts are read as UTF-8 here, and the Content-Type says charset=${charset.slice(0, 40)}. Send the body as UTF-8.`,
	);
}

/** The wanted fields of a body of type `application/x-www-form-urlencoded`; others are left out. */
export async function readForm(
	context: Context<AppEnv>,
	names: readonly string[],
	limits: BodyLimits,
): Promise<FormTextFields> {
	using held = new HeldBytes();
	return await formOf(await readBytes(context, limits.bytes, held), names, limits);
}

/**
 * The body, inflated, up to a limit in bytes, or up to a smaller one as long as nobody has said that the caller may
 * use the route.
 * @param held counts what arrives until the caller has made something else of it; absent: until it is there
 */
export async function readBytes(
	context: Context<AppEnv>,
	wantedBytes: number,
	held?: HeldBytes,
): Promise<Uint8Array<ArrayBuffer>> {
	using own = new HeldBytes();
	const counted = held ?? own;
	const limitBytes = bodyLimit(context, wantedBytes);
	const kib = Math.floor(limitBytes / 1024);
	const tooLarge = () =>
		new AppError(
			'payload_too_large',
			limitBytes < wantedBytes
				? `Without a key in a header or the query the body may have ${kib} KiB; send the key there.`
				: `The body is larger than ${kib} KiB, the limit of this route.`,
		);
	checkCharset(context);
	const encoding = bodyEncoding(context.req.header('content-encoding'));
	if (announcedBytes(context) > limitBytes) throw tooLarge();
	const stream = context.req.raw.body;
	if (!stream) return new Uint8Array();
	const chunks: Uint8Array[] = [];
	let size = 0;
	const reader = stream.getReader();
	const signal = context.get('signal');
	for (;;) {
		const { done, value } = await untilAborted(reader.read(), signal).catch((error: unknown) => {
			// Who sends too slowly is still there, whatever shape the route gives to its errors.
			throw abortReasonOf(signal) ?? error;
		});
		if (done) break;
		size += value.byteLength;
		try {
			if (size > limitBytes) throw tooLarge();
			counted.add(value.byteLength);
		} catch (error) {
			await reader.cancel();
			throw error;
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
	if (encoding === undefined) return bytes;
	const whole = await untilAborted(inflated(bytes, encoding, limitBytes, tooLarge), signal);
	counted.add(whole.byteLength);
	return new Uint8Array(whole);
}

/** The length a body says it has; 0 where it does not. */
export const announcedBytes = ({ req }: Context<AppEnv>): number =>
	Number(req.header('content-length') ?? 0) || 0;

/** How much of a body is read, of as much as a route wants. */
function bodyLimit(context: Context<AppEnv>, wantedBytes: number): number {
	return context.get('admitted') ? wantedBytes : Math.min(wantedBytes, unadmittedBytes);
}
