/** One item until it has an answer: waits where the server has too much to do, and gives up what cannot be done. */

import { setTimeout as sleep } from 'node:timers/promises';
import { isRecord } from '../protocol/errorBody.ts';
import { AppError, type ErrorCode } from '../protocol/index.ts';
import { untilAborted } from '../services/untilAborted.ts';
import type { ItemAnswer, ItemCall, RunItem } from './itemRow.ts';

/** What is asked again for as long as the batch lasts: people with the server's time come first. */
const waits: ReadonlySet<string> = new Set<ErrorCode>([
	'overloaded',
	'model_loading',
	'rate_limited',
]);
/** What is asked again a few times. */
const fails: ReadonlySet<string> = new Set<ErrorCode>([
	'out_of_memory',
	'store_unavailable',
	'timeout',
	'upstream_failed',
	'request_timeout',
	'internal',
]);
const maxFailures = 3;
const firstPauseMs = 200;
const maxPauseMs = 30_000;

/** How long somebody waits between two attempts; tests put another in its place. */
export type Pause = (milliseconds: number, signal: AbortSignal) => Promise<void>;

/** Why an item waits, and for how long. */
export interface ItemWait {
	readonly code: string;
	readonly message: string;
	/** Milliseconds until it may be asked again, as it was told; absent where nobody can say. */
	readonly saidMs?: number;
	/** Until it is. */
	readonly pauseMs: number;
}

export const realPause: Pause = async (milliseconds, signal) => {
	await sleep(milliseconds, undefined, { signal }).catch(() => signal.throwIfAborted());
};

/** Rejects when the signal is aborted. */
export async function requestItem(
	run: RunItem,
	call: ItemCall,
	pause: (milliseconds: number, signal: AbortSignal, why: ItemWait) => Promise<void>,
	signal: AbortSignal,
): Promise<ItemAnswer> {
	let pauseMs = firstPauseMs;
	for (let failures = 0; ; ) {
		signal.throwIfAborted();
		// What does not hear that it is over is not waited for.
		const answer = await untilAborted(run(call, signal), signal);
		signal.throwIfAborted();
		const code = codeOf(answer);
		if (code === undefined || isHopeless(answer)) return answer;
		if (!waits.has(code) && (!fails.has(code) || ++failures >= maxFailures)) return answer;
		// How long a model loads is a guess of whoever says so: it is looked at again, so that no rest is longer than that.
		const saidMs = code === 'model_loading' ? 0 : (answer.retryAfterS ?? 0) * 1000;
		const restMs = Math.min(maxPauseMs, Math.max(pauseMs, saidMs));
		const message = messageOf(answer, code);
		await pause(restMs, signal, {
			...{ code, message, pauseMs: restMs },
			...(saidMs > 0 ? { saidMs } : {}),
		});
		pauseMs = Math.min(maxPauseMs, pauseMs * 2);
	}
}

function messageOf({ body }: ItemAnswer, code: string): string {
	const error = isRecord(body) && isRecord(body['error']) ? body['error'] : {};
	if (typeof error['message'] === 'string') return error['message'];
	return new AppError(code as ErrorCode).message;
}

/** The code of an answer that is an error; of whatever family its shape is. */
export function codeOf({ status, body }: ItemAnswer): string | undefined {
	if (status < 400) return undefined;
	const error = isRecord(body) && isRecord(body['error']) ? body['error'] : {};
	if (typeof error['code'] === 'string') return error['code'];
	// Interfaces with errors of their own number them.
	return status === 429 ? 'rate_limited' : status === 503 ? 'overloaded' : 'other';
}

/** A request that alone is more than its person may use never gets through. */
const isHopeless = ({ status, retryAfterS, body }: ItemAnswer): boolean =>
	status === 429 &&
	retryAfterS === undefined &&
	codeOf({ status, body, requestId: '' }) === 'rate_limited';
