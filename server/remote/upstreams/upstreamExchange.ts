/**
 * Exchanges with an engine elsewhere: its key, a limit of silence, its circuit breaker, and answers that nobody trusts.
 */

import type { Fetch } from '../../net/outbound.ts';
import { conversationHeaders } from '../../protocol/conversationHeader.ts';
import { isRecord } from '../../protocol/errorBody.ts';
import { AppError } from '../../protocol/index.ts';
import { bytesOf } from '../../protocol/sse.ts';
import { CircuitBreaker } from './circuitBreaker.ts';
import { isFault, refusalOf, shownUpstream } from './upstreamErrors.ts';
import type { UpstreamEntry } from './upstreamFile.ts';

export interface UpstreamDeps {
	readonly fetch: Fetch;
	/** Milliseconds, monotonic. */
	readonly now: () => number;
	/** The text of a file. */
	readonly readKey: (path: string) => Promise<string | undefined>;
	/** The key that an editor has handed over for this engine at this address. */
	readonly handedKey: (entry: Pick<UpstreamEntry, 'name' | 'url'>) => string | undefined;
	/** Calls back once after so many milliseconds; the result takes it back. */
	readonly after: (milliseconds: number, action: () => void) => () => void;
}

/** What is sent: JSON as text, or the fields of a form. */
export type UpstreamBody = string | FormData;

export interface ReadAnswer {
	readonly response: Response;
	/** Says that the engine is alive. */
	readonly alive: () => void;
	/** Which no message must hold. */
	readonly key: string | undefined;
}

export interface UpstreamExchange {
	/**
	 * Asks for one path under the base address; without a body with GET. Given up when nothing comes for `silenceMs`.
	 * @param conversation for a balancer before the engine
	 * @throws AppError that names the engine; `cancelled`
	 */
	ask<Result>(
		path: string,
		body: UpstreamBody | undefined,
		silenceMs: number,
		signal: AbortSignal | undefined,
		read: (answer: ReadAnswer) => Promise<Result>,
		conversation?: string,
	): Promise<Result>;
	/** The whole answer as one object. */
	wholeObject(answer: ReadAnswer): Promise<Record<string, unknown>>;
	/** @throws AppError for what is no JSON object */
	objectOf(text: string): Record<string, unknown>;
	/** The error for an answer that is well-formed and says nothing. */
	nonsense(): AppError;
}

/** Bytes of an answer that comes as a whole, and of a list. */
const maxBodyBytes = 16 << 20;

export function createExchange(entry: UpstreamEntry, deps: UpstreamDeps): UpstreamExchange {
	const breaker = new CircuitBreaker(deps);
	const who = shownUpstream(entry);

	const keyOf = async (): Promise<string | undefined> => {
		if (entry.isKeyInEditor) return keyOfEditor();
		if (entry.keyFile === undefined) return undefined;
		const key = (await deps.readKey(entry.keyFile))?.trim();
		if (key) return key;
		throw new AppError(
			'upstream_failed',
			`${who} needs the key in ${entry.keyFile}, which is missing or empty.`,
		);
	};

	const keyOfEditor = (): string => {
		const key = deps.handedKey(entry);
		if (key) return key;
		throw new AppError(
			'upstream_failed',
			`${who} needs its key, which the editor keeps in which it was added, and hands over while it is open. To use it without, give the key in a file: nearglot upstreams add ${entry.name} … --key-file FILE.`,
		);
	};

	const ask: UpstreamExchange['ask'] = async (
		path,
		body,
		silenceMs,
		signal,
		read,
		conversation,
	) => {
		const waitS = breaker.enter();
		if (waitS > 0)
			throw new AppError(
				'upstream_failed',
				`${who} failed several times in a row and is left alone for ${waitS} s. nearglot upstreams test ${entry.name} says what is wrong.`,
				{ retryAfterS: waitS },
			);
		const silent = new AbortController();
		let stop = deps.after(silenceMs, () => silent.abort());
		const alive = () => {
			stop();
			stop = deps.after(silenceMs, () => silent.abort());
		};
		try {
			const key = await keyOf();
			const response = await deps.fetch(entry.url + path, {
				method: body === undefined ? 'GET' : 'POST',
				headers: {
					accept: body === undefined ? 'application/json' : 'text/event-stream, application/json',
					...(typeof body === 'string' ? { 'content-type': 'application/json' } : {}),
					...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
					...conversationHeaders(conversation),
				},
				...(body === undefined ? {} : { body }),
				redirect: 'manual',
				signal: signal === undefined ? silent.signal : AbortSignal.any([signal, silent.signal]),
			});
			alive();
			if (!response.ok)
				throw refusalOf(
					entry,
					response.status,
					response.headers,
					await wholeText(response, alive),
					key,
				);
			const result = await read({ response, alive, key });
			breaker.succeeded();
			return result;
		} catch (error) {
			if (signal?.aborted) throw new AppError('cancelled', undefined, { cause: error });
			const failure = silent.signal.aborted
				? new AppError('timeout', `${who} said nothing for ${silenceMs / 1000} s.`, {
						cause: error,
					})
				: error instanceof AppError
					? error
					: new AppError(
							'upstream_failed',
							`${who} cannot be reached (${reasonOf(error)}). Check its address, and whether it runs.`,
							{ cause: error },
						);
			if (isFault(failure)) breaker.failed();
			else breaker.succeeded();
			throw failure;
		} finally {
			stop();
		}
	};

	const nonsense = () =>
		new AppError(
			'upstream_failed',
			`${who} answers in a form that cannot be read. Check its address (most end with /v1).`,
		);

	const wholeText = async (response: Response, alive: () => void): Promise<string> => {
		const decoder = new TextDecoder();
		let [text, bytes] = ['', 0];
		for await (const chunk of bytesOf(response)) {
			alive();
			bytes += chunk.byteLength;
			if (bytes > maxBodyBytes)
				throw new AppError(
					'upstream_failed',
					`${who} answers with more than ${maxBodyBytes >> 20} MiB at once, which is not read.`,
				);
			text += decoder.decode(chunk, { stream: true });
		}
		return text;
	};

	const objectOf = (text: string): Record<string, unknown> => {
		let value: unknown;
		try {
			value = JSON.parse(text);
		} catch {
			throw nonsense();
		}
		if (!isRecord(value)) throw nonsense();
		return value;
	};

	return {
		ask,
		objectOf,
		nonsense,
		wholeObject: async ({ response, alive }) => objectOf(await wholeText(response, alive)),
	};
}

function reasonOf(error: unknown): string {
	const { code, cause, message } = error as { code?: unknown; cause?: unknown; message?: unknown };
	if (typeof code === 'string' && /^[A-Z\d_]+$/.test(code)) return code;
	if (cause !== undefined) return reasonOf(cause ?? {});
	return String(message ?? 'no answer').slice(0, 100);
}
