/**
 * An engine elsewhere that speaks the chat interface: its models and its streams. It is asked when it is named, and
 * nothing else is tried in its place.
 */

import type { Fetch } from '../../net/outbound.ts';
import { isRecord } from '../../protocol/errorBody.ts';
import { AppError } from '../../protocol/index.ts';
import { bytesOf, readEvents } from '../../protocol/sse.ts';
import { CircuitBreaker } from './circuitBreaker.ts';
import { failureOf, isFault, refusalOf, shownUpstream } from './upstreamErrors.ts';
import { allowsModel, type UpstreamEntry } from './upstreamFile.ts';

/** A model as the engine lists it. */
export interface UpstreamModel {
	readonly id: string;
	/** Tokens, where the engine says. */
	readonly contextLength?: number;
}

export interface UpstreamDeps {
	readonly fetch: Fetch;
	/** Milliseconds, monotonic. */
	readonly now: () => number;
	/** The text of a file. */
	readonly readKey: (path: string) => Promise<string | undefined>;
	/** Calls back once after so many milliseconds; the result takes it back. */
	readonly after: (milliseconds: number, action: () => void) => () => void;
}

export interface UpstreamEngine {
	readonly entry: UpstreamEntry;
	/** Its models, asked at most once a minute. @throws AppError when it cannot be asked */
	models(signal?: AbortSignal): Promise<readonly UpstreamModel[]>;
	/** What {@link models} found last. */
	readonly lastModels: readonly UpstreamModel[];
	/**
	 * Asks for a stream. Every object of it is given as it comes; one whole answer, from engines that do not stream, is
	 * one object. Aborting closes the connection.
	 * @throws AppError that names the engine; `cancelled`
	 */
	chat(
		body: Readonly<Record<string, unknown>>,
		onObject: (object: Readonly<Record<string, unknown>>) => void,
		signal?: AbortSignal,
	): Promise<void>;
}

const listFreshMs = 60_000;
const listTimeoutMs = 3_000;
/** Bytes of an answer that comes as a whole, and of a list. */
const maxBodyBytes = 16 << 20;
const maxEventLength = 16 << 20;

export function createUpstream(entry: UpstreamEntry, deps: UpstreamDeps): UpstreamEngine {
	const breaker = new CircuitBreaker(deps);
	const who = shownUpstream(entry);
	let listed: { readonly at: number; readonly models: readonly UpstreamModel[] } | undefined;

	const keyOf = async (): Promise<string | undefined> => {
		if (entry.keyFile === undefined) return undefined;
		const key = (await deps.readKey(entry.keyFile))?.trim();
		if (key) return key;
		throw new AppError(
			'upstream_failed',
			`${who} needs the key in ${entry.keyFile}, which is missing or empty.`,
		);
	};

	/** One exchange under a limit of silence; whoever reads calls `alive`. */
	const exchange = async <Result>(
		path: string,
		body: string | undefined,
		silenceMs: number,
		signal: AbortSignal | undefined,
		read: (response: Response, alive: () => void, key: string | undefined) => Promise<Result>,
	): Promise<Result> => {
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
					...(body === undefined ? {} : { 'content-type': 'application/json' }),
					...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
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
			const result = await read(response, alive, key);
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
			`${who} answers in a form that is not of the chat interface. Check its address (most end with /v1).`,
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
		entry,
		get lastModels() {
			return listed?.models ?? [];
		},
		models: async (signal) => {
			if (listed !== undefined && deps.now() - listed.at < listFreshMs) return listed.models;
			const models = await exchange(
				'/models',
				undefined,
				listTimeoutMs,
				signal,
				async (response, alive) => {
					const { data } = objectOf(await wholeText(response, alive));
					if (!Array.isArray(data)) throw nonsense();
					return data
						.flatMap((each) => modelOf(each) ?? [])
						.filter(({ id }) => allowsModel(entry, id));
				},
			);
			listed = { at: deps.now(), models };
			return models;
		},
		chat: (body, onObject, signal) =>
			exchange(
				'/chat/completions',
				JSON.stringify(body),
				entry.timeoutS * 1000,
				signal,
				async (response, alive, key) => {
					const take = (object: Record<string, unknown>) => {
						if (object['error'] != null) throw failureOf(entry, object, key);
						onObject(object);
					};
					if (!/event-stream/i.test(response.headers.get('content-type') ?? '')) {
						take(objectOf(await wholeText(response, alive)));
						return;
					}
					for await (const { data } of readEvents(watched(response, alive), maxEventLength)) {
						if (data === '[DONE]') return;
						take(objectOf(data));
					}
				},
			),
	};
}

async function* watched(response: Response, alive: () => void) {
	for await (const chunk of bytesOf(response)) {
		alive();
		yield chunk;
	}
}

const maxIdLength = 200;

function modelOf(value: unknown): UpstreamModel | undefined {
	if (!isRecord(value) || typeof value['id'] !== 'string') return undefined;
	const { id, max_model_len: length, context_length: context } = value;
	// What a stranger named stands in lists and messages.
	if (!/^[\p{L}\p{N}._:/@+-]+$/u.test(id) || id.length > maxIdLength) return undefined;
	const tokens = [length, context].find((each) => Number.isSafeInteger(each) && Number(each) > 0);
	return { id, ...(tokens === undefined ? {} : { contextLength: Number(tokens) }) };
}

function reasonOf(error: unknown): string {
	const { code, cause, message } = error as { code?: unknown; cause?: unknown; message?: unknown };
	if (typeof code === 'string' && /^[A-Z\d_]+$/.test(code)) return code;
	if (cause !== undefined) return reasonOf(cause ?? {});
	return String(message ?? 'no answer').slice(0, 100);
}
