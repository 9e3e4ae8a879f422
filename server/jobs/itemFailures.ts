/**
 * Which failures are an item's own, and which are of what it needs: the one place that decides what becomes a row of a
 * batch, and what waits until it is over.
 */

import { errorOfBody, isRecord } from '../protocol/errorBody.ts';
import type { ErrorCode } from '../protocol/index.ts';
import type { ItemAnswer, ItemCall } from './itemRow.ts';
import type { BatchRecord } from './jobTypes.ts';

/**
 * - `turn`: others come first, or a limit of its person is used up; it is asked again for as long as the batch lasts.
 * - `outage`: what it needs is away, and nothing was said of the item itself. It is asked again likewise, for as long as
 *   {@link Outages} allow.
 * - `memory`: there was none for it beside the others; it is asked again alone, and its shard waits a while for memory.
 * - `attempt`: it may be the item; asked again a few times.
 * - `own`: it is the item.
 */
export type FailureKind = 'turn' | 'outage' | 'memory' | 'attempt' | 'own';

const kinds: ReadonlyMap<string, FailureKind> = new Map<ErrorCode, FailureKind>([
	['overloaded', 'turn'],
	['model_loading', 'turn'],
	['rate_limited', 'turn'],
	['daemon_unavailable', 'outage'],
	['store_unavailable', 'outage'],
	['disk_full', 'outage'],
	['download_failed', 'outage'],
	['out_of_memory', 'memory'],
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
	// An engine that is not reached, left alone or without its key has not seen the request; nor has a model without room.
	if (answer.isUnsent) return 'outage';
	return kinds.get(code) ?? 'own';
}

/** Whether a code is of something that all requests of a person wait for alike. */
export const isTurn = (code: string | undefined): boolean =>
	code === undefined || kinds.get(code) === 'turn';

/** Nobody waits longer for what is away, in milliseconds. */
const maxOutageMs = 24 * 3_600_000;

/**
 * What of a batch is away, and since when. What lasts for a quarter of its window becomes rows, which can be tried again
 * when it is back, and the rest of the batch has its time.
 */
export class Outages {
	readonly #maxMs: number;
	readonly #now: () => number;
	readonly #models = new Map<string, number>();
	readonly #items = new WeakMap<ItemCall, number>();
	/** How many shards were done when its owner was found to be unknown, and since when. */
	#unknown: { readonly done: number; readonly at: number } | undefined;
	#isOver = false;

	/** @param now milliseconds, monotonic */
	constructor(
		{ createdAt, expiresAt }: Pick<BatchRecord, 'createdAt' | 'expiresAt'>,
		now = () => performance.now(),
	) {
		this.#maxMs = Math.min(maxOutageMs, (1000 * (expiresAt - createdAt)) / 4);
		this.#now = now;
	}

	/** Notes an answer. @returns whether what it needs has been away for too long */
	note(call: ItemCall, kind: FailureKind | undefined): boolean {
		if (kind === 'turn') return false;
		const model = modelOf(call);
		if (kind !== 'outage') {
			this.#models.delete(model);
			this.#items.delete(call);
			return false;
		}
		const now = this.#now();
		const ofModel = this.#models.get(model) ?? now;
		const ofItem = this.#items.get(call) ?? now;
		this.#models.set(model, ofModel);
		this.#items.set(call, ofItem);
		return this.#isOver || now - Math.min(ofModel, ofItem) >= this.#maxMs;
	}

	/**
	 * Notes whether its owner is unknown here, and how many shards are done, by whomever.
	 * @returns whether nobody has known that person for too long
	 */
	noteOwner(isUnknown: boolean, done: number): boolean {
		// Its own error rows are no sign of somebody who knows that person.
		if (isUnknown && this.#isOver) return true;
		if (!isUnknown || this.#unknown?.done !== done)
			this.#unknown = isUnknown ? { done, at: this.#now() } : undefined;
		this.#isOver = this.#unknown !== undefined && this.#now() - this.#unknown.at >= this.#maxMs;
		return this.#isOver;
	}
}

const modelOf = ({ url, body }: ItemCall): string =>
	isRecord(body) && typeof body['model'] === 'string' ? body['model'].slice(0, 200) : url;

/** The code of an answer that is an error; of whatever family its shape is. */
export function codeOf({ status, body, code, retryAfterS }: ItemAnswer): string | undefined {
	if (status < 400) return undefined;
	if (code !== undefined) return code;
	const error = isRecord(body) && isRecord(body['error']) ? body['error'] : {};
	// Interfaces with errors of their own number them, also as texts.
	const isNumber = typeof error['code'] !== 'string' || /^[1-5]\d{5}$/.test(error['code']);
	if (!isNumber) return String(error['code']);
	if (status === 429) return 'rate_limited';
	// Only what has too much to do says for how long.
	if (status === 503) return retryAfterS === undefined ? 'daemon_unavailable' : 'overloaded';
	return errorOfBody(body, status, retryAfterS)?.code === 'model_loading'
		? 'model_loading'
		: 'other';
}

/** A request that alone is more than its person may use never gets through. */
const isHopeless = (answer: ItemAnswer): boolean =>
	answer.status === 429 && answer.retryAfterS === undefined && codeOf(answer) === 'rate_limited';
