/**
 * Exchanges with an engine elsewhere: its key, a limit of silence, its circuit breaker, and answers that nobody trusts.
 */

import { isUnconnected } from '../../net/closedUnanswered.ts';
import { type Fetch, UnansweredConnection } from '../../net/outbound.ts';
import { conversationHeaders } from '../../protocol/conversationHeader.ts';
import { isRecord } from '../../protocol/errorBody.ts';
import { AppError, systemReason } from '../../protocol/index.ts';
import { unsent } from '../../protocol/unsent.ts';
import { plainBytes } from './answerBytes.ts';
import { EngineBreaker, type EngineOutcome, type LeftAlone } from './engineBreaker.ts';
import { FailureReasons } from './failureReasons.ts';
import {
	failureOf,
	isFault,
	KeyRefusal,
	noConnection,
	refusalOf,
	shownInside,
	shownUpstream,
} from './upstreamErrors.ts';
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
	/** As they come; each is a sign of life. */
	readonly bytes: AsyncIterable<Uint8Array>;
	/** What the engine says that it sends; it need not be so. */
	readonly contentType: string;
	/** Which no message must hold. */
	readonly key: string | undefined;
	/** From now on it gets so many milliseconds altogether, whatever comes. */
	readonly endWithin: (milliseconds: number) => void;
	/** A piece of what was asked for has come, which is more than a sign of life. */
	readonly advanced: () => void;
}

export interface UpstreamQuestion {
	/** Under the base address. */
	readonly path: string;
	/** Without one it is asked with GET. */
	readonly body?: UpstreamBody;
	/** After so long without a sign of life the answer is given up. */
	readonly silenceMs: number;
	/** The answer has to be whole within that time. */
	readonly isTotal?: boolean;
	/** After so long without a piece of the answer it is given up, whatever signs of life come. */
	readonly emptyMs?: number;
	/** Which model is asked: its failures are its own. */
	readonly model?: string | undefined;
	/** Which one it is a turn of, for a balancer before the engine. */
	readonly conversation?: string | undefined;
	/** Within that time something has to take the connection; default 5 s, less for engines with little time. */
	readonly connectMs?: number;
}

export interface UpstreamExchange {
	/** @throws AppError that names the engine; `cancelled` */
	ask<Result>(
		question: UpstreamQuestion,
		read: (answer: ReadAnswer) => Promise<Result>,
		signal?: AbortSignal,
	): Promise<Result>;
	/** The whole answer as one object. @throws AppError also for an error that comes as an answer */
	wholeObject(answer: Pick<ReadAnswer, 'bytes' | 'key'>): Promise<Record<string, unknown>>;
	/** The list that an answer is, or has in `data`. @throws AppError as {@link wholeObject} */
	wholeList(answer: Pick<ReadAnswer, 'bytes' | 'key'>): Promise<readonly unknown[]>;
	/** @throws AppError for what is no JSON object */
	objectOf(text: string): Record<string, unknown>;
	/** The error for an answer that is well-formed and says nothing. */
	nonsense(): AppError;
}

/** Two lost packets later a machine that is there has answered. */
const usualConnectMs = 5_000;
/** Characters of the name of a model that messages show. */
const maxNameLength = 100;
/** Bytes of an answer that comes as a whole, and of a list. */
const maxBodyBytes = 16 << 20;
/** Bytes of a stream: far beyond the longest answer of the longest context. */
const maxStreamBytes = 128 << 20;

/** Proxies say that they live while the engine behind them hangs: so many times the silence that is allowed. */
export const maxSigns = 10;

/** Who is not there now may be there a moment later. */
const unreached = { ...unsent, retryAfterS: 1 } as const;

/** An answer that would go on for ever. */
export class EndlessAnswer extends AppError {}

export function createExchange(
	entry: UpstreamEntry,
	deps: UpstreamDeps,
	breaker = new EngineBreaker(deps),
): UpstreamExchange {
	const who = shownUpstream(entry);
	const reasons = new FailureReasons(entry);

	const keyOf = async (): Promise<string | undefined> => {
		if (entry.isKeyInEditor) return keyOfEditor();
		if (entry.keyFile === undefined) return undefined;
		const key = (await deps.readKey(entry.keyFile))?.trim();
		if (key) return carried(key, `Leave nothing but the key in ${entry.keyFile}.`);
		throw new AppError(
			'upstream_failed',
			`${who} needs the key in ${entry.keyFile}, which is missing or empty.`,
			unsent,
		);
	};

	/** Whatever a header refuses would stand in its error. */
	const carried = (key: string, wayOut: string): string => {
		if (/^[\x21-\x7e]+$/.test(key)) return key;
		throw new AppError(
			'upstream_failed',
			`${who} cannot be asked: its key has more than one line, blanks or letters that no header can carry. ${wayOut}`,
			unsent,
		);
	};

	const keyOfEditor = (): string => {
		const key = deps.handedKey(entry);
		if (key)
			return carried(key, 'Give it anew in the editor: "Nearglot: Engines on Other Machines".');
		throw new AppError(
			'upstream_failed',
			`${who} needs its key, which the editor keeps in which it was added, and hands over while it is open. To use it without, give the key in a file: nearglot upstreams add ${entry.name} … --key-file FILE.`,
			unsent,
		);
	};

	const ask: UpstreamExchange['ask'] = async (question, read, signal) => {
		const { path, body, silenceMs, isTotal = false, conversation, model } = question;
		const { emptyMs = silenceMs * maxSigns } = question;
		const { connectMs = Math.min(usualConnectMs, entry.timeoutS * 500) } = question;
		const left = breaker.enter(model);
		if (left !== undefined) throw leftAlone(left, model);
		const silent = new AbortController();
		const empty = new AbortController();
		let [isLimited, stop] = [isTotal, deps.after(silenceMs, () => silent.abort())];
		let stopEmpty = deps.after(emptyMs, () => empty.abort());
		const alive = () => {
			if (isLimited) return;
			stop();
			stop = deps.after(silenceMs, () => silent.abort());
		};
		const advanced = () => {
			stopEmpty();
			stopEmpty = deps.after(emptyMs, () => empty.abort());
		};
		const endWithin = (milliseconds: number) => {
			stop();
			isLimited = true;
			stop = deps.after(milliseconds, () => silent.abort());
		};
		const stops = [silent.signal, empty.signal, ...(signal === undefined ? [] : [signal])];
		let isSent = false;
		let hasBegun = false;
		try {
			const key = await keyOf();
			isSent = true;
			const response = await deps.fetch(entry.url + path, {
				method: body === undefined ? 'GET' : 'POST',
				headers: {
					accept: body === undefined ? 'application/json' : 'text/event-stream, application/json',
					'accept-encoding': 'identity',
					...(typeof body === 'string' ? { 'content-type': 'application/json' } : {}),
					...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
					...conversationHeaders(conversation),
				},
				...(body === undefined ? {} : { body }),
				redirect: 'manual',
				// Answers are computed, and nothing is kept there.
				computes: true,
				connectMs,
				signal: AbortSignal.any(stops),
			});
			hasBegun = true;
			breaker.begun(model);
			alive();
			const bytes = watched(plainBytes(response), alive, tooMuch);
			const { status, headers } = response;
			if (!response.ok) throw refusalOf(entry, status, headers, await wholeText(bytes), key);
			const contentType = headers.get('content-type') ?? '';
			const result = await read({ bytes, contentType, key, endWithin, advanced });
			breaker.note(model, 'answered');
			return result;
		} catch (error) {
			if (signal?.aborted) throw new AppError('cancelled', undefined, { cause: error });
			const isSilent = silent.signal.aborted || empty.signal.aborted;
			const failure = silent.signal.aborted
				? new AppError('timeout', saysNothing(silenceMs, isTotal), { cause: error })
				: empty.signal.aborted
					? new AppError('timeout', saysOnly(emptyMs), { cause: error })
					: error instanceof AppError
						? error
						: error instanceof UnansweredConnection
							? new AppError('upstream_failed', unanswered(error), { ...unreached, cause: error })
							: new AppError('upstream_failed', brokenOff(hasBegun, error), {
									...(isUnconnected(error) ? unreached : {}),
									cause: error,
								});
			// A key that cannot be read is no failure of the engine.
			if (isSent) {
				const reason = reasons.note(failure, typeof body === 'string' ? body : '');
				breaker.note(model, outcomeOf(failure, hasBegun, isSilent), reason);
			}
			throw failure;
		} finally {
			stop();
			stopEmpty();
		}
	};

	const leftAlone = ({ who: which, waitS, reason }: LeftAlone, model = '') => {
		const alone = `is left alone for ${waitS} s`;
		const wayOut = `nearglot upstreams test ${entry.name} says what is wrong.`;
		const message = {
			model: `The model '${model.slice(0, maxNameLength)}' of ${shownInside(entry)} failed several times in a row and ${alone}. Its other models are there.`,
			engine: `${who} failed several times in a row and ${alone}. ${wayOut}`,
			machine: `${who} answered no connection and ${alone}, with all its models. ${wayOut}`,
		}[which];
		const why = reason === undefined ? '' : ` Its last failure: ${reason}`;
		return new AppError('upstream_failed', message + why, { ...unsent, retryAfterS: waitS });
	};

	const unanswered = ({ withinMs, proxy }: UnansweredConnection) =>
		proxy === undefined
			? `${who} answers no connection (${withinMs / 1000} s). Its machine is off, or a firewall drops what is sent there: check its address, and the network between here and there.`
			: `${who} cannot be reached: the proxy ${proxy} answers no connection (${withinMs / 1000} s). Check the proxy, or name the engine's host in NO_PROXY.`;

	const saysNothing = (ms: number, isTotal: boolean) =>
		isTotal
			? `${who} did not answer within ${ms / 1000} s.`
			: `${who} said nothing for ${ms / 1000} s.`;

	const saysOnly = (ms: number) =>
		`${who} said for ${ms / 1000} s that it lives, and nothing of an answer.`;

	const brokenOff = (hasBegun: boolean, error: unknown) =>
		hasBegun
			? `${who} broke off in the middle of the answer (${reasonOf(error)}). What had come is incomplete; try again.`
			: noConnection(entry, reasonOf(error), systemReason(error));

	const nonsense = () =>
		new AppError(
			'upstream_failed',
			`${who} answers in a form that cannot be read. Check its address (most end with /v1).`,
		);

	const tooMuch = () =>
		new EndlessAnswer(
			'upstream_failed',
			`${who} does not stop: after ${maxStreamBytes >> 20} MiB its answer was given up.`,
		);

	const wholeText = async (body: AsyncIterable<Uint8Array>): Promise<string> => {
		const decoder = new TextDecoder();
		let [text, bytes] = ['', 0];
		for await (const chunk of body) {
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

	const parsed = (text: string): unknown => {
		try {
			return JSON.parse(text);
		} catch {
			throw nonsense();
		}
	};

	const objectOf = (text: string): Record<string, unknown> => {
		const value = parsed(text);
		if (!isRecord(value)) throw nonsense();
		return value;
	};

	/** @throws AppError for an error with the status of a success */
	const sound = (value: unknown, key: string | undefined): Record<string, unknown> => {
		if (!isRecord(value)) throw nonsense();
		if (value['error'] == null) return value;
		throw failureOf(entry, value, key);
	};

	return {
		ask,
		objectOf,
		nonsense,
		wholeObject: async ({ bytes, key }) => sound(parsed(await wholeText(bytes)), key),
		wholeList: async ({ bytes, key }) => {
			const value = parsed(await wholeText(bytes));
			if (Array.isArray(value)) return value;
			const { data } = sound(value, key);
			// Some say so of a list in which there is nothing.
			if (data === null) return [];
			if (!Array.isArray(data)) throw nonsense();
			return data;
		},
	};
}

/** Whose failure it is. */
function outcomeOf(failure: AppError, hasBegun: boolean, isSilent: boolean): EngineOutcome {
	if (failure instanceof KeyRefusal) return 'keyRefused';
	if (!isFault(failure)) return 'answered';
	if (hasBegun) return 'failed';
	if (failure.cause instanceof UnansweredConnection) return 'unanswered';
	return isSilent ? 'silent' : 'unreachable';
}

async function* watched(
	bytes: AsyncIterable<Uint8Array>,
	alive: () => void,
	tooMuch: () => AppError,
) {
	let length = 0;
	for await (const chunk of bytes) {
		alive();
		length += chunk.byteLength;
		if (length > maxStreamBytes) throw tooMuch();
		yield chunk;
	}
}

function reasonOf(error: unknown): string {
	const { code, cause, message } = error as { code?: unknown; cause?: unknown; message?: unknown };
	if (typeof code === 'string' && /^[A-Z\d_]+$/.test(code)) return code;
	if (cause !== undefined) return reasonOf(cause ?? {});
	return String(message ?? 'no answer').slice(0, 100);
}
