/**
 * Which failures are an item's own, and which are of what it needs: the one place that decides what becomes a row of a
 * batch, and what waits until it is over.
 */

import { isRecord } from '../protocol/errorBody.ts';
import type { ErrorCode } from '../protocol/index.ts';
import type { ItemAnswer } from './itemRow.ts';

/**
 * - `turn`: others come first, or a limit of its person is used up; it is asked again for as long as the batch lasts.
 * - `outage`: what it needs is away, and nothing was said of the item itself. It is asked again likewise.
 * - `attempt`: it may be the item; asked again a few times.
 * - `own`: it is the item.
 */
export type FailureKind = 'turn' | 'outage' | 'attempt' | 'own';

const kinds: ReadonlyMap<string, FailureKind> = new Map<ErrorCode, FailureKind>([
	['overloaded', 'turn'],
	['model_loading', 'turn'],
	['rate_limited', 'turn'],
	['daemon_unavailable', 'outage'],
	['store_unavailable', 'outage'],
	['disk_full', 'outage'],
	['download_failed', 'outage'],
	['out_of_memory', 'attempt'],
	['timeout', 'attempt'],
	['upstream_failed', 'attempt'],
	['request_timeout', 'attempt'],
	['internal', 'attempt'],
]);

/** The kind of a failure; `undefined` for an answer that is none. */
export function failureKind(answer: ItemAnswer): FailureKind | undefined {
	const code = codeOf(answer);
	if (code === undefined) return undefined;
	if (isHopeless(answer)) return 'own';
	// An engine that is not reached, left alone or without its key has not seen the request.
	if (answer.isUnsent) return 'outage';
	return kinds.get(code) ?? 'own';
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
const isHopeless = (answer: ItemAnswer): boolean =>
	answer.status === 429 && answer.retryAfterS === undefined && codeOf(answer) === 'rate_limited';
