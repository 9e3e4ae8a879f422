/**
 * Carries out what was ordered at other replicas, each order once: taken by its number and written down, done in turn, and
 * one that fails is tried again beside the others until it is done, also after a restart.
 */

import { isRecord } from '../protocol/errorBody.ts';
import { sentenceOf } from '../protocol/index.ts';
import type { Logger } from '../services/logger.ts';
import {
	isOrderKind,
	type NumberedOrder,
	type SharedOrders,
} from '../services/shared/sharedOrders.ts';
import { untilAborted } from '../services/untilAborted.ts';
import type { JsonFile } from '../store/jsonFile.ts';

/** What a replica remembers of orders. */
export interface OrderState {
	/** Number of the last order that was taken; absent: it has never looked. */
	readonly order?: number;
	/** Those that were taken and are not done, the oldest first. */
	readonly pendingOrders?: readonly NumberedOrder[];
}

export interface OrderLoopDeps {
	readonly orders: Pick<SharedOrders, 'last' | 'after'>;
	readonly file: Pick<JsonFile<OrderState>, 'read' | 'change'>;
	/** Whether the place of the orders has answered last. */
	readonly isThere: () => boolean;
	readonly carryOut: (order: NumberedOrder, isRetry: boolean, signal: AbortSignal) => Promise<void>;
	readonly log: Logger;
	/** Rejects when the signal is aborted. */
	readonly pause: (milliseconds: number, signal: AbortSignal) => Promise<void>;
}

/** How soon is looked what others have ordered. */
const everyMs = 1000;
/** Longest time of one order; what hangs is given up, and tried again. */
const maxMs = 60_000;
const firstPauseMs = 2000;
const maxPauseMs = 300_000;

export class OrderLoop {
	readonly #deps: OrderLoopDeps;
	readonly #stop = new AbortController();
	/** Those that have failed, by their numbers: each waits for its next try. */
	readonly #failed = new Map<number, Promise<void>>();
	/** Those whose time has come again, one after the other. */
	#retries: Promise<unknown> = Promise.resolve();
	#loop: Promise<void> | undefined;
	#failure: string | undefined;

	constructor(deps: OrderLoopDeps) {
		this.#deps = deps;
	}

	start(): void {
		this.#loop ??= this.#follow();
	}

	/** Looks no more; what is not done is for the next start. */
	async rest(): Promise<void> {
		this.#stop.abort();
		await this.#loop;
		await Promise.all(this.#failed.values());
	}

	async #follow(): Promise<void> {
		const { isThere, file, log, pause } = this.#deps;
		const { signal } = this.#stop;
		let isRead = false;
		while (!signal.aborted) {
			try {
				if (!isRead)
					for (const order of (await file.read()).pendingOrders ?? []) this.#addFailed(order);
				isRead = true;
				if (isThere()) await this.#carryOutNew();
				this.#failure = undefined;
			} catch (error) {
				// That their place is away was said already.
				const reason = sentenceOf(error);
				if (isThere() && reason !== this.#failure && !signal.aborted)
					log.warn('orders of other replicas cannot be read', { reason });
				this.#failure = reason;
			}
			await pause(everyMs, signal).catch(() => {});
		}
	}

	async #carryOutNew(): Promise<void> {
		const { orders, file } = this.#deps;
		const { order: seen } = await file.read();
		const last = await orders.last();
		if (last === seen) return;
		// A new replica has nothing of anybody; in an emptied store numbers begin again.
		const isNew = seen === undefined || last < seen;
		const taken = isNew ? [] : await orders.after(seen);
		const order = taken.reduce((max, { seq }) => Math.max(max, seq), last);
		// Written down before they are begun: whenever this process ends, the next one does them.
		await file.change((now) => {
			// One that was given again counts once.
			const others = (now.pendingOrders ?? []).filter(
				({ kind, person }) => !taken.some((one) => one.kind === kind && one.person === person),
			);
			return [{ ...now, order, pendingOrders: [...others, ...taken] }, undefined];
		});
		for (const each of taken) if (!(await this.#isCarriedOut(each, false))) this.#addFailed(each);
	}

	#addFailed(order: NumberedOrder): void {
		const done = this.#retry(order).finally(() => this.#failed.delete(order.seq));
		this.#failed.set(order.seq, done);
	}

	/** Never rejects. */
	async #retry(order: NumberedOrder): Promise<void> {
		const { signal } = this.#stop;
		for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(maxPauseMs, pauseMs * 2)) {
			await this.#deps.pause(pauseMs, signal).catch(() => {});
			if (signal.aborted) return;
			const trial = this.#retries.then(async () => {
				const isPending = await this.#isPending(order);
				return !isPending || (await this.#isCarriedOut(order, true));
			});
			this.#retries = trial;
			if (await trial) return;
		}
	}

	async #isPending({ seq }: NumberedOrder): Promise<boolean> {
		const state = await this.#deps.file.read().catch(() => undefined);
		return state?.pendingOrders?.some((one) => one.seq === seq) ?? true;
	}

	/** Never rejects. */
	async #isCarriedOut(order: NumberedOrder, isRetry: boolean): Promise<boolean> {
		const { carryOut, file, log } = this.#deps;
		const { seq, kind } = order;
		const signal = AbortSignal.any([this.#stop.signal, AbortSignal.timeout(maxMs)]);
		try {
			signal.throwIfAborted();
			// What does not hear that its time is over holds up nothing else.
			await untilAborted(carryOut(order, isRetry, signal), signal);
			await file.change((now) => [
				{
					...now,
					pendingOrders: (now.pendingOrders ?? []).filter((one) => one.seq !== seq),
				},
				undefined,
			]);
			if (isRetry) log.warn('an order of another replica was carried out at last', { seq, kind });
			return true;
		} catch (error) {
			if (!isRetry && !this.#stop.signal.aborted)
				log.warn('an order of another replica cannot be carried out yet; it is tried again', {
					...{ seq, kind, reason: sentenceOf(error) },
				});
			return false;
		}
	}
}

/** Orders as a file has them. */
export function readPendingOrders(value: unknown): NumberedOrder[] {
	if (!Array.isArray(value)) return [];
	return value.flatMap((one: unknown): NumberedOrder[] => {
		if (!isRecord(one)) return [];
		const { seq, at, kind, person } = one;
		return typeof seq === 'number' &&
			typeof at === 'number' &&
			typeof person === 'string' &&
			isOrderKind(kind)
			? [{ seq, at, kind, person }]
			: [];
	});
}
