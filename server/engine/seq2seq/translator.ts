/**
 * `seq2seq` of a translation model: texts of all calls that are waiting are decoded together with others of like
 * length; several batches take their steps in turn, and a call that is cancelled leaves its batch at the next one.
 */

import { defined } from '../../protocol/defined.ts';
import { AppError } from '../../protocol/index.ts';
import { yieldToOthers } from '../../work/yieldToOthers.ts';
import type { Seq2SeqItem, Seq2SeqOutput, Seq2SeqRequest, Seq2SeqResult } from '../api.ts';
import { RequestQueue } from '../queue/requestQueue.ts';
import { inProcessTextReader, type TextReader } from '../text/textReader.ts';
import { type Alignment, attentionReader, buildAlignment, targetSpans } from './alignment.ts';
import { batchShortlist } from './batchShortlist.ts';
import type { Finished } from './beamItem.ts';
import { deduplicateSources } from './deduplicateSources.ts';
import { encodePadded } from './encodePadded.ts';
import { alignVectors, type PieceVectors, pieceVectors } from './encoderAlignment.ts';
import type { EncodedBatch, EncoderDecoder } from './encoderDecoder.ts';
import { encodeItem } from './languageTokens.ts';
import { LockstepBatcher } from './lockstepBatcher.ts';
import { type PrepareOptions, prepareText } from './prepareText.ts';
import { search } from './search.ts';
import type { PreparedText } from './translationBatch.ts';
import {
	type CallQueue,
	TranslationCall,
	TranslationQueue,
	type WaitingText as Work,
} from './translationQueue.ts';

export interface TranslatorOptions extends PrepareOptions {
	/** Reads texts; absent: on the spot, whatever it takes. */
	readonly reader?: Pick<TextReader, 'encodeWithOffsets'>;
	/** Where calls wait, counted in characters. */
	readonly queue?: CallQueue;
}

/** UTF-16 units that wait; one call alone may have more. */
export const usualTranslationLimits = {
	maxWaiting: Number.POSITIVE_INFINITY,
	maxWaitingWork: 1_000_000,
	unit: 'characters',
};

export interface TranslatorCounters {
	/** Calls of which something is being decoded. */
	readonly running: number;
	readonly promptTokens: number;
	readonly generatedTokens: number;
}

/** Turns of the event loop for which a batch waits at most while further calls come. */
const maxGatherTurns = 4;

/** A batch under way. */
interface Running {
	readonly batch: readonly Work[];
	readonly controller: AbortController;
}

export class Translator {
	readonly #options: TranslatorOptions;
	readonly #reader: Pick<TextReader, 'encodeWithOffsets'>;
	readonly #calls: CallQueue;
	readonly #queue: TranslationQueue;
	readonly #batcher: LockstepBatcher;
	/** The model as batches of each priority use it: their runs are made in turn. */
	readonly #models: Readonly<Record<PreparedText['priority'], EncoderDecoder>>;
	readonly #running = new Map<Running, Promise<void>>();
	#isWaking = false;
	#closed = false;
	#last: { readonly key: string; readonly encoded: EncodedBatch } | undefined;
	#promptTokens = 0;
	#generatedTokens = 0;

	constructor(options: TranslatorOptions) {
		this.#options = options;
		this.#reader = options.reader ?? inProcessTextReader(options.text);
		this.#calls = options.queue ?? new RequestQueue(usualTranslationLimits);
		this.#queue = new TranslationQueue(this.#calls, options);
		this.#batcher = new LockstepBatcher(options.model, Number.POSITIVE_INFINITY);
		this.#models = {
			interactive: this.#batcher.member('interactive'),
			batch: this.#batcher.member('batch'),
		};
	}

	get counters(): TranslatorCounters {
		return {
			running: this.#queue.running,
			promptTokens: this.#promptTokens,
			generatedTokens: this.#generatedTokens,
		};
	}

	/** Translates all items of a request; the result is in their order. */
	async run(request: Seq2SeqRequest, signal?: AbortSignal): Promise<Seq2SeqResult> {
		if (signal?.aborted === true) throw new AppError('cancelled');
		const owner = request.items[0]?.owner;
		const call = new TranslationCall({ ...request, owner });
		const refusal = this.#closed
			? new AppError('runner_crashed', 'The model is being unloaded.')
			: this.#calls.refusal({ ...call, work: charactersOf(request.items) });
		if (refusal !== undefined) throw refusal;
		using _expected = request.priority === 'interactive' ? this.expect() : undefined;
		const read = this.#reader.encodeWithOffsets(
			request.items.map((item) => item.text),
			signal,
			request.priority,
		);
		// What takes but a moment shares a batch with the calls of the same moment.
		const texts = read instanceof Promise ? await read : read;
		const prepared = await this.#prepare(request, texts, signal);
		if (this.#closed) throw new AppError('runner_crashed', 'The model is being unloaded.');
		const waiting: Work[] = [];
		const outputs = prepared.map(
			(parts) =>
				new Promise<Seq2SeqOutput>((resolve, reject) => {
					waiting.push({ ...parts, call, signal, resolve, reject });
				}),
		);
		const onAbort = (): void => this.#abandon(call, waiting);
		signal?.addEventListener('abort', onAbort, { once: true });
		this.#queue.add(call, waiting);
		this.#wake();
		try {
			const settled = await Promise.allSettled(outputs);
			const failed = settled.find((one) => one.status === 'rejected');
			if (failed !== undefined) throw failed.reason;
			return {
				outputs: settled.map((one) => (one as PromiseFulfilledResult<Seq2SeqOutput>).value),
			};
		} finally {
			signal?.removeEventListener('abort', onAbort);
		}
	}

	/** Somebody's request is about to come: background work makes room for it. */
	expect(): Disposable {
		return this.#batcher.expect();
	}

	/** Ends all calls; resolves when no run is in flight. */
	async close(): Promise<void> {
		this.#closed = true;
		const error = new AppError(
			'runner_crashed',
			'The model was unloaded while it was translating.',
		);
		for (const work of this.#queue.clear()) work.reject(error);
		for (const { batch, controller } of this.#running.keys()) {
			for (const work of batch) work.reject(error);
			controller.abort();
		}
		await Promise.all(this.#running.values());
		await this.#batcher.idle();
	}

	/** @throws AppError for what cannot be translated; texts that are too long are all named in `data.items` */
	async #prepare(
		request: Seq2SeqRequest,
		texts: readonly Parameters<typeof prepareText>[3][],
		signal: AbortSignal | undefined,
	): Promise<PreparedText[]> {
		let tooLong: AppError | undefined;
		const items: number[] = [];
		const prepared: PreparedText[] = [];
		for (const [index, text] of texts.entries()) {
			// The steps of others go on.
			await yieldToOthers();
			if (signal?.aborted === true) throw new AppError('cancelled');
			try {
				prepared.push(prepareText(this.#options, request, index, text));
			} catch (error) {
				if (!(error instanceof AppError) || error.code !== 'context_length_exceeded') throw error;
				tooLong ??= error;
				items.push(index);
			}
		}
		if (tooLong === undefined) return prepared;
		const { code, message, data } = tooLong;
		throw new AppError(code, message, { param: `items[${items[0]}]`, data: { ...data, items } });
	}

	#abandon(call: TranslationCall, texts: readonly Work[]): void {
		for (const work of texts) work.reject(new AppError('cancelled'));
		this.#queue.remove(call);
		for (const { batch, controller } of this.#running.keys())
			if (batch.every((work) => work.signal?.aborted === true)) controller.abort();
	}

	/** Begins batches once the calls that come at the same moment have come in. */
	#wake(): void {
		if (this.#isWaking) return;
		this.#isWaking = true;
		const gather = (turns: number, before: number): void => {
			setImmediate(() => {
				const { size } = this.#calls;
				if (turns > 0 && size > before) return gather(turns - 1, size);
				this.#isWaking = false;
				this.#begin();
			});
		};
		gather(maxGatherTurns, this.#calls.size);
	}

	#begin(): void {
		for (let batch = this.#queue.next(); batch.length > 0; batch = this.#queue.next()) {
			const running = { batch, controller: new AbortController() };
			this.#running.set(running, this.#settle(running));
		}
	}

	async #settle(running: Running): Promise<void> {
		const { batch, controller } = running;
		try {
			await this.#translate(batch, controller.signal);
		} catch (error) {
			for (const work of batch) work.reject(error);
		}
		this.#queue.end(batch);
		this.#running.delete(running);
		this.#wake();
	}

	async #translate(batch: readonly Work[], signal: AbortSignal): Promise<void> {
		const { alignment } = this.#options;
		const model = this.#models[batch[0]?.priority ?? 'batch'];
		const { sources, sourceOf } = deduplicateSources(
			batch.map(({ encoded, item }) => ({ ...encoded, owner: item.owner })),
		);
		const startLength = batch[0]?.encoded.start.length ?? 0;
		const encoded = await this.#encode(model, sources, startLength, signal);
		for (const work of batch) this.#promptTokens += work.encoded.source.length;
		const aligned = batch[0]?.wantsAttention === true;
		const heads = aligned && alignment !== 'encoder' ? alignment : undefined;
		const sourceVectors =
			aligned && alignment === 'encoder'
				? batch.map((work, index) => pieceVectors(encoded, sourceOf[index] ?? 0, work.encoded))
				: [];
		const shortlist = batchShortlist(
			model,
			batch.map((work) => work.ownTokens),
		);
		const found = await search(
			model,
			{
				encoded,
				items: batch.map((work, index) => ({
					start: work.encoded.start,
					encodedIndex: sourceOf[index] ?? 0,
					options: work.search,
					abandoned: () => work.signal?.aborted === true,
				})),
				shortlist,
				readAttention: heads === undefined ? undefined : attentionReader(heads),
			},
			signal,
		);
		const outputs = batch.map((work, index) => {
			const [best, ...others] = found[index] ?? [];
			return best === undefined ? undefined : this.#output(work, best, others);
		});
		const alignments =
			sourceVectors.length === 0
				? []
				: await this.#alignments(model, batch, sourceVectors, outputs, signal);
		for (const [index, work] of batch.entries()) {
			const output = outputs[index];
			if (output === undefined) work.reject(new AppError('cancelled'));
			else work.resolve({ ...output, ...alignments[index] });
		}
	}

	/**
	 * Where every text is computed alone, the targets of one text come one after the other: the
	 * encoder's answer is kept for the next one. `startLength` tells whether a target is outside of it.
	 */
	async #encode(
		model: EncoderDecoder,
		sources: readonly (readonly number[])[],
		startLength: number,
		signal: AbortSignal,
	): Promise<EncodedBatch> {
		const { settings, contextLength } = this.#options;
		const padding = settings.padTokenId ?? 0;
		const [only] = sources;
		if (model.batchInvariant || sources.length !== 1 || only === undefined || startLength < 2)
			return encodePadded(model, sources, padding, contextLength, signal);
		const key = only.join();
		if (this.#last?.key !== key)
			this.#last = {
				key,
				encoded: await encodePadded(model, sources, padding, contextLength, signal),
			};
		return this.#last.encoded;
	}

	/** What the encoder makes of the outputs, linked with what it made of the sources. */
	async #alignments(
		model: EncoderDecoder,
		batch: readonly Work[],
		sources: readonly PieceVectors[],
		outputs: readonly (Seq2SeqOutput | undefined)[],
		signal: AbortSignal,
	): Promise<Alignment[]> {
		const { text, contextLength, settings } = this.#options;
		const none = { spans: [], vectors: [] };
		const targets: PieceVectors[] = batch.map(() => none);
		const texts = await this.#reader.encodeWithOffsets(
			outputs.map((output) => output?.text ?? ''),
			signal,
		);
		const written = batch.flatMap(({ item, encoded }, index) => {
			const output = outputs[index];
			if (output === undefined) return [];
			const startToken = encoded.start[0] as number;
			const again = encodeItem(text, reverseDirection(item, output.text), startToken, texts[index]);
			return again.source.length > contextLength ? [] : [{ index, again }];
		});
		if (written.length > 0) {
			const outputTokens = written.map(({ again }) => again.source);
			const padding = settings.padTokenId ?? 0;
			const read = await encodePadded(model, outputTokens, padding, contextLength, signal);
			for (const [position, { index, again }] of written.entries())
				targets[index] = pieceVectors(read, position, again);
		}
		return sources.map((source, index) => alignVectors(source, targets[index] ?? none));
	}

	#output(work: Work, best: Finished, others: readonly Finished[]): Seq2SeqOutput {
		const { text, alignment } = this.#options;
		const start = work.encoded.start.length;
		const tokenIds = best.ids.slice(start);
		this.#generatedTokens += tokenIds.length;
		const mean = ({ ids, logprob }: Finished): number => logprob / Math.max(1, ids.length - start);
		const decoded = text.decode(tokenIds);
		const output: Seq2SeqOutput = {
			text: decoded,
			tokenIds,
			score: mean(best),
			reason: best.reason,
			...(work.alternatives > 0
				? {
						alternatives: others.slice(0, work.alternatives).map((other) => ({
							text: text.decode(other.ids.slice(start)),
							score: mean(other),
						})),
					}
				: {}),
		};
		if (!work.wantsAttention || alignment === undefined || alignment === 'encoder') return output;
		const spans = targetSpans(text, tokenIds, decoded.length);
		return {
			...output,
			...buildAlignment(best.attention, alignment.shifted, work.encoded.offsets, spans),
		};
	}
}

const charactersOf = (items: readonly Seq2SeqItem[]): number =>
	items.reduce((sum, { text }) => sum + text.length, 0);

/** A translation as an item of the opposite direction. */
function reverseDirection(
	{ sourceLanguage, targetLanguage }: Seq2SeqItem,
	text: string,
): Seq2SeqItem {
	const back = sourceLanguage ?? targetLanguage;
	return {
		text,
		...defined({ sourceLanguage: targetLanguage, targetLanguage: back }),
	};
}
