/**
 * `seq2seq` of a translation model: items of all calls that are waiting are sorted by length and
 * decoded together; a call that is cancelled leaves the batch at the next step.
 */

import { defined } from '../../protocol/defined.ts';
import { AppError } from '../../protocol/index.ts';
import type {
	Seq2SeqItem,
	Seq2SeqOutput,
	Seq2SeqRequest,
	Seq2SeqResult,
	TextModel,
} from '../api.ts';
import type { GenerationSettings } from '../modelFiles/generationSettings.ts';
import { inProcessTextReader, type TextReader } from '../text/textReader.ts';
import {
	type Alignment,
	type AlignmentSource,
	attentionReader,
	buildAlignment,
	targetSpans,
} from './alignment.ts';
import { batchShortlist, ownTokens } from './batchShortlist.ts';
import type { Finished } from './beamItem.ts';
import { deduplicateSources } from './deduplicateSources.ts';
import { encodePadded } from './encodePadded.ts';
import { alignVectors, type PieceVectors, pieceVectors } from './encoderAlignment.ts';
import type { EncodedBatch, EncoderDecoder } from './encoderDecoder.ts';
import { encodeItem } from './languageTokens.ts';
import { search } from './search.ts';
import type { SearchOptions } from './searchOptions.ts';
import { chooseBatch, type TranslationJob as Work } from './translationBatch.ts';

export interface TranslatorOptions {
	readonly model: EncoderDecoder;
	readonly text: TextModel;
	/** Reads texts; absent: on the spot, whatever it takes. */
	readonly reader?: Pick<TextReader, 'encodeWithOffsets'>;
	readonly settings: GenerationSettings;
	/** Maximum source ids, and most decoder ids. */
	readonly contextLength: number;
	readonly alignment: AlignmentSource | undefined;
}

type EncodedText = ReturnType<TextModel['encodeWithOffsets']>;

/** UTF-16 units that wait; one call alone may have more. */
const maxWaitingCharacters = 1_000_000;

export interface TranslatorCounters {
	readonly running: number;
	readonly waiting: number;
	readonly promptTokens: number;
	readonly generatedTokens: number;
}

export class Translator {
	readonly #options: TranslatorOptions;
	readonly #reader: Pick<TextReader, 'encodeWithOffsets'>;
	#waiting: Work[] = [];
	#running: Work[] = [];
	#controller: AbortController | undefined;
	#looping: Promise<void> | undefined;
	#closed = false;
	#last: { readonly key: string; readonly encoded: EncodedBatch } | undefined;
	#promptTokens = 0;
	#generatedTokens = 0;

	constructor(options: TranslatorOptions) {
		this.#options = options;
		this.#reader = options.reader ?? inProcessTextReader(options.text);
	}

	get counters(): TranslatorCounters {
		return {
			running: this.#running.length,
			waiting: this.#waiting.length,
			promptTokens: this.#promptTokens,
			generatedTokens: this.#generatedTokens,
		};
	}

	/** Translates all items of a request; the result is in their order. */
	async run(request: Seq2SeqRequest, signal?: AbortSignal): Promise<Seq2SeqResult> {
		if (signal?.aborted === true) throw new AppError('cancelled');
		if (this.#closed) throw new AppError('runner_crashed', 'The model is being unloaded.');
		const waiting = charactersOf(this.#waiting.map(({ item }) => item));
		if (waiting > 0 && waiting + charactersOf(request.items) > maxWaitingCharacters) {
			throw new AppError('overloaded', `The queue is full (${waiting} characters wait).`, {
				retryAfterS: 5,
			});
		}
		const read = this.#reader.encodeWithOffsets(
			request.items.map((item) => item.text),
			signal,
		);
		// What takes but a moment shares a batch with the calls of the same moment.
		const texts = read instanceof Promise ? await read : read;
		const prepared = request.items.map((item, index) =>
			this.#prepare(request, item, index, texts[index] as EncodedText),
		);
		const outputs = prepared.map(
			(parts) =>
				new Promise<Seq2SeqOutput>((resolve, reject) => {
					this.#waiting.push({ ...parts, signal, resolve, reject });
				}),
		);
		const onAbort = (): void => this.#abandon(signal);
		signal?.addEventListener('abort', onAbort, { once: true });
		this.#looping ??= this.#loop();
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

	/** Ends all calls; resolves when no run is in flight. */
	async close(): Promise<void> {
		this.#closed = true;
		const error = new AppError(
			'runner_crashed',
			'The model was unloaded while it was translating.',
		);
		for (const work of [...this.#waiting, ...this.#running]) work.reject(error);
		this.#waiting = [];
		this.#controller?.abort();
		await this.#looping;
	}

	#prepare(
		request: Seq2SeqRequest,
		item: Seq2SeqRequest['items'][number],
		index: number,
		read: EncodedText,
	): Omit<Work, 'signal' | 'resolve' | 'reject'> {
		const { text, settings, contextLength, model, alignment } = this.#options;
		const startToken =
			settings.decoderStartTokenId ??
			settings.bosTokenId ??
			settings.padTokenId ??
			settings.eosTokenIds[0];
		if (startToken === undefined) {
			throw new AppError('unsupported_model', 'The model names no decoder_start_token_id.');
		}
		const encoded = encodeItem(text, item, startToken, read);
		if (encoded.source.length > contextLength) {
			throw new AppError(
				'context_length_exceeded',
				`Text ${index + 1} has ${encoded.source.length} tokens; this model reads ${contextLength}. Split it into sentences.`,
				{ param: `items[${index}]`, data: { tokens: encoded.source.length, contextLength } },
			);
		}
		if (request.alignment === true && alignment === undefined) {
			throw new AppError('unsupported_parameter', 'This model gives no word alignment.', {
				param: 'alignment',
			});
		}
		const beams = request.beams ?? settings.numBeams;
		if (!Number.isInteger(beams) || beams < 1 || beams > 16) {
			throw new AppError(
				'invalid_request',
				`beams must be a whole number from 1 to 16, not ${beams}.`,
				{
					param: 'beams',
				},
			);
		}
		const start = encoded.start.length;
		const own = Math.min(
			settings.maxNewTokens === undefined ? Infinity : start + settings.maxNewTokens,
			settings.maxLength ?? contextLength,
			contextLength,
		);
		const maxLength = Math.max(start + 1, Math.min(own, start + (request.maxTokens ?? Infinity)));
		const rules: SearchOptions = {
			beams,
			maxLength,
			minLength: settings.minLength,
			lengthPenalty: request.lengthPenalty ?? settings.lengthPenalty,
			earlyStopping: request.earlyStopping ?? settings.earlyStopping,
			endTokens: settings.eosTokenIds,
			forcedBegin: start > 1 ? undefined : settings.forcedBosTokenId,
			forcedEnd: settings.forcedEosTokenId,
			badSequences: settings.badWords,
			suppressTokens: settings.suppressTokens.filter((id) => id < model.vocabularySize),
			beginSuppressTokens: settings.beginSuppressTokens,
			repetitionPenalty: settings.repetitionPenalty,
			noRepeatNgram: request.noRepeatNgram ?? settings.noRepeatNgramSize,
			renormalise: settings.renormalizeLogits,
		};
		return {
			item,
			encoded,
			wantsAttention: request.alignment === true,
			alternatives: Math.min(request.alternatives ?? 0, beams - 1),
			priority: request.priority,
			search: rules,
			ownTokens: ownTokens(model, { ...encoded, rules }),
		};
	}

	#abandon(signal: AbortSignal | undefined): void {
		const isIts = (work: Work): boolean => work.signal === signal;
		for (const work of [...this.#waiting, ...this.#running]) {
			if (isIts(work)) work.reject(new AppError('cancelled'));
		}
		this.#waiting = this.#waiting.filter((work) => !isIts(work));
		if (this.#running.every((work) => work.signal?.aborted === true)) this.#controller?.abort();
	}

	async #loop(): Promise<void> {
		// Calls of the same event-loop turn share the first batch.
		await new Promise((resolve) => setImmediate(resolve));
		while (this.#waiting.length > 0) {
			const batch = this.#nextBatch();
			this.#running = batch;
			this.#controller = new AbortController();
			try {
				await this.#translate(batch, this.#controller.signal);
			} catch (error) {
				for (const work of batch) work.reject(error);
			}
			this.#running = [];
			await new Promise((resolve) => setImmediate(resolve));
		}
		this.#controller = undefined;
		this.#looping = undefined;
	}

	#nextBatch(): Work[] {
		const batch = chooseBatch(this.#waiting, this.#options);
		const chosen = new Set(batch);
		this.#waiting = this.#waiting.filter((work) => !chosen.has(work));
		return batch;
	}

	async #translate(batch: readonly Work[], signal: AbortSignal): Promise<void> {
		const { model, alignment } = this.#options;
		const { sources, sourceOf } = deduplicateSources(
			batch.map(({ encoded, item }) => ({ ...encoded, owner: item.owner })),
		);
		const encoded = await this.#encode(sources, batch[0]?.encoded.start.length ?? 0, signal);
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
					options: { ...work.search, maskedTokens: shortlist?.maskedTokens[index] ?? [] },
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
				: await this.#alignments(batch, sourceVectors, outputs, signal);
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
		sources: readonly (readonly number[])[],
		startLength: number,
		signal: AbortSignal,
	): Promise<EncodedBatch> {
		const { model, settings, contextLength } = this.#options;
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
		batch: readonly Work[],
		sources: readonly PieceVectors[],
		outputs: readonly (Seq2SeqOutput | undefined)[],
		signal: AbortSignal,
	): Promise<Alignment[]> {
		const { model, text, contextLength, settings } = this.#options;
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
