/**
 * Hands the sentences of a request to its model: those that the request comes to in one turn of the loop go over
 * together. Which of them wait, and with whom they are decoded, the model decides.
 */

import type { Seq2SeqItem, Seq2SeqOutput, Seq2SeqRequest } from '../../engine/api.ts';
import { AppError } from '../../protocol/index.ts';
import { yieldToAll } from '../../work/yieldToOthers.ts';
import type { ModelHost } from '../host.ts';

/** How sentences are to be decoded; only those with equal options go over together. */
export type SentenceDecoding = Omit<Seq2SeqRequest, 'items' | 'maxTokens' | 'isAdmitted'>;

export interface SentenceClient {
	/** Rejects with `context_length_exceeded` for a sentence that is too long, whatever goes over with it. */
	translate(
		model: string,
		item: Seq2SeqItem,
		decoding: SentenceDecoding,
		signal?: AbortSignal,
	): Promise<Seq2SeqOutput>;
}

interface Sentence {
	readonly item: Seq2SeqItem;
	resolve(output: Seq2SeqOutput): void;
	reject(error: unknown): void;
}

/** Sentences of one message: it is copied on loops that others wait for. */
const maxItems = 64;

export function createSentenceClient(host: ModelHost): SentenceClient {
	/** What has come in this turn, by the request and by what it asks. */
	const gathering = new Map<AbortSignal | undefined, Map<string, Sentence[]>>();

	const send = async (
		model: string,
		sentences: readonly Sentence[],
		decoding: SentenceDecoding,
		signal: AbortSignal | undefined,
	): Promise<void> => {
		try {
			await using lease = await host.acquire(model, {}, signal);
			const items = sentences.map(({ item }) => item);
			// It was let in with its request.
			const request = { ...decoding, isAdmitted: true, items };
			const { outputs } = await lease.engine.seq2seq(request, signal);
			for (const [index, sentence] of sentences.entries()) {
				const output = outputs[index];
				if (output !== undefined) sentence.resolve(output);
				else
					sentence.reject(
						new AppError('internal', 'The engine returned fewer sentences than it was given.'),
					);
			}
		} catch (error) {
			const tooLong = tooLongOf(error, sentences.length);
			for (const [index, sentence] of sentences.entries())
				if (tooLong === undefined || tooLong.has(index)) sentence.reject(error);
			const rest = sentences.filter((_, index) => tooLong?.has(index) === false);
			if (rest.length > 0) await send(model, rest, decoding, signal);
		}
	};

	return {
		translate: async (model, item, decoding, signal) => {
			if (signal?.aborted) throw new AppError('cancelled');
			let groups = gathering.get(signal);
			if (groups === undefined) {
				groups = new Map();
				gathering.set(signal, groups);
			}
			const key = `${model}\u0000${JSON.stringify(decoding)}`;
			const group = groups.get(key) ?? [];
			const output = new Promise<Seq2SeqOutput>((resolve, reject) => {
				group.push({ item, resolve, reject });
			});
			if (group.length > 1) return output;
			groups.set(key, group);
			// What somebody waits for does not wait for the texts of files.
			if (decoding.priority === 'interactive')
				await new Promise((resolve) => setImmediate(resolve));
			else await yieldToAll();
			groups.delete(key);
			if (groups.size === 0) gathering.delete(signal);
			for (let at = 0; at < group.length; at += maxItems)
				void send(model, group.slice(at, at + maxItems), decoding, signal);
			return output;
		},
	};
}

/** Which of so many sentences are too long to be read; `undefined` when that is not what went wrong. */
function tooLongOf(error: unknown, count: number): ReadonlySet<number> | undefined {
	if (!(error instanceof AppError) || error.code !== 'context_length_exceeded') return undefined;
	const { items } = error.data ?? {};
	const named = Array.isArray(items) ? items.filter((index) => index >= 0 && index < count) : [];
	return named.length > 0 ? new Set(named) : undefined;
}
