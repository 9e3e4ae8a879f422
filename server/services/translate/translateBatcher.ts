/**
 * Collects sentences of all requests for a model and sends them to it in batches of like length.
 * While one batch runs the next one fills, so many small requests cost little more than one big one.
 */

import type { Seq2SeqItem, Seq2SeqOutput, Seq2SeqRequest } from '../../engine/api.ts';
import { AppError } from '../../protocol/index.ts';
import { yieldToAll } from '../../work/yieldToOthers.ts';
import type { ModelHost } from '../host.ts';
import { type BatchLimits, SentencesWaiting, type WaitingSentence } from './sentencesWaiting.ts';

/** How a sentence is to be decoded; only equal options share a batch. */
export type BatchOptions = Omit<Seq2SeqRequest, 'items'>;

interface Waiting extends WaitingSentence {
	readonly item: Seq2SeqItem;
	readonly options: BatchOptions;
	readonly signal: AbortSignal | undefined;
	resolve(output: Seq2SeqOutput): void;
	reject(error: unknown): void;
}

export interface TranslateBatcher {
	translate(
		model: string,
		items: readonly Seq2SeqItem[],
		options: BatchOptions,
		signal?: AbortSignal,
	): Promise<Seq2SeqOutput[]>;
}

export interface BatcherOptions extends BatchLimits {
	/** Batches on their way at a time: the engine reads the next one while it decodes. */
	readonly inFlight: number;
}

export function createTranslateBatcher(
	host: ModelHost,
	limits: BatcherOptions = { maxItems: 32, maxCharacters: 6000, inFlight: 2 },
): TranslateBatcher {
	const queues = new Map<string, SentencesWaiting<Waiting>>();
	const running = new Map<string, number>();

	const pump = async (model: string): Promise<void> => {
		const pumps = running.get(model) ?? 0;
		if (pumps >= limits.inFlight) return;
		running.set(model, pumps + 1);
		// Let every caller of this turn enter its sentences first.
		await yieldToAll();
		for (;;) {
			const batch = inOrder(queues.get(model)?.take(limits) ?? []);
			if (batch.length === 0) break;
			await runBatch(model, batch);
		}
		const left = (running.get(model) ?? 1) - 1;
		if (left > 0) running.set(model, left);
		else {
			running.delete(model);
			queues.delete(model);
		}
	};

	const runBatch = async (model: string, batch: readonly Waiting[]): Promise<void> => {
		const stop = new AbortController();
		// The engine stops when nobody waits for any sentence of the batch any more.
		const check = (): void => {
			if (batch.every(({ signal }) => signal?.aborted)) stop.abort();
		};
		const signals = new Set(batch.map(({ signal }) => signal));
		for (const signal of signals) signal?.addEventListener('abort', check);
		try {
			await using lease = await host.acquire(model, {}, stop.signal);
			const first = batch[0];
			if (!first) return;
			const { outputs } = await lease.engine.seq2seq(
				{ ...first.options, items: batch.map(({ item }) => item) },
				stop.signal,
			);
			batch.forEach((waiting, index) => {
				const output = outputs[index];
				if (output) waiting.resolve(output);
				else
					waiting.reject(
						new AppError('internal', 'The engine returned fewer sentences than it was given.'),
					);
			});
		} catch (error) {
			const tooLong = error instanceof AppError && error.code === 'context_length_exceeded';
			// One sentence that is too long must not fail those it shares a batch with.
			if (tooLong && batch.length > 1)
				for (const waiting of batch) await runBatch(model, [waiting]);
			else for (const waiting of batch) waiting.reject(error);
		} finally {
			for (const signal of signals) signal?.removeEventListener('abort', check);
		}
	};

	return {
		translate: async (model, items, options, signal) => {
			if (signal?.aborted) throw new AppError('cancelled');
			const queue = queues.get(model) ?? new SentencesWaiting<Waiting>();
			queues.set(model, queue);
			const entries: Waiting[] = [];
			const about = {
				key: JSON.stringify(options),
				isInteractive: options.priority === 'interactive',
				...{ options, signal },
			};
			const outputs = items.map(
				(item) =>
					new Promise<Seq2SeqOutput>((resolve, reject) => {
						const waiting = { ...about, item, length: item.text.length, resolve, reject };
						entries.push(waiting);
						queue.add(waiting);
					}),
			);
			const onAbort = (): void => {
				for (const waiting of entries) {
					queue.delete(waiting);
					waiting.reject(new AppError('cancelled'));
				}
			};
			signal?.addEventListener('abort', onAbort, { once: true });
			void pump(model);
			try {
				return await Promise.all(outputs);
			} finally {
				signal?.removeEventListener('abort', onAbort);
			}
		},
	};
}

/** Like lengths together, and targets of one source next to each other. */
function inOrder(batch: Waiting[]): Waiting[] {
	return batch.sort(
		(a, b) => a.item.text.length - b.item.text.length || (a.item.text < b.item.text ? -1 : 1),
	);
}
