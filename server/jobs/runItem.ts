/** One item until it has an answer: waits for its turn and for what is away, and gives up what cannot be done. */

import { setTimeout as sleep } from 'node:timers/promises';
import { isRecord } from '../protocol/errorBody.ts';
import { AppError, type ErrorCode } from '../protocol/index.ts';
import { untilAborted } from '../services/untilAborted.ts';
import { codeOf, failureKind, type Outages } from './itemFailures.ts';
import type { ItemAnswer, ItemCall, RunItem } from './itemRow.ts';

/** Attempts of an item that may be the cause itself. */
const maxAttempts = 3;
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

/**
 * Rejects when the signal is aborted.
 * @param memoryPauses milliseconds that may be waited for memory; what is waited is taken out
 */
export async function requestItem(
	run: RunItem,
	call: ItemCall,
	pause: (milliseconds: number, signal: AbortSignal, why: ItemWait) => Promise<void>,
	signal: AbortSignal,
	outages?: Outages,
	memoryPauses: number[] = [],
): Promise<ItemAnswer> {
	let pauseMs = firstPauseMs;
	for (let attempts = 0; ; ) {
		signal.throwIfAborted();
		// What does not hear that it is over is not waited for.
		const answer = await untilAborted(run(call, signal), signal);
		signal.throwIfAborted();
		const kind = failureKind(answer);
		const isOver = outages?.note(call, kind) ?? false;
		if (kind === undefined || kind === 'own' || isOver) return answer;
		if (kind === 'attempt' && ++attempts >= maxAttempts) return answer;
		const code = codeOf(answer) ?? 'internal';
		if (kind === 'memory') {
			const memoryMs = memoryPauses.shift();
			if (memoryMs === undefined) return answer;
			await pause(memoryMs, signal, { code, message: messageOf(answer, code), pauseMs: memoryMs });
			continue;
		}
		// How long a model loads is a guess of whoever says so: it is looked at again, so that no rest is longer than that.
		const saidMs = code === 'model_loading' ? 0 : (answer.retryAfterS ?? 0) * 1000;
		const restMs = Math.min(maxPauseMs, Math.max(pauseMs, saidMs));
		const message = messageOf(answer, code);
		// Of an outage nobody knows the end: it is looked at again then.
		const untilMs = kind === 'outage' ? Math.max(saidMs, restMs) : saidMs;
		await pause(restMs, signal, {
			...{ code, message, pauseMs: restMs },
			...(untilMs > 0 ? { saidMs: untilMs } : {}),
		});
		pauseMs = Math.min(maxPauseMs, pauseMs * 2);
	}
}

function messageOf({ body }: ItemAnswer, code: string): string {
	const error = isRecord(body) && isRecord(body['error']) ? body['error'] : {};
	if (typeof error['message'] === 'string') return error['message'];
	return new AppError(code as ErrorCode).message;
}
