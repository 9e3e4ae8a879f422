/** Moonshine: raw samples in, text out, no timestamps and no prompt; one language per model. */

import { AppError } from '../../../protocol/index.ts';
import type { SpeechRequest, SpeechResult, TextModel } from '../../api.ts';
import type { EncoderDecoder } from '../../seq2seq/encoderDecoder.ts';
import { decodeHypothesis, type SpeechHypothesis } from '../decodeHypothesis.ts';
import { checkedLanguage } from '../requestChecks.ts';
import type { SpeechModel } from '../speechModel.ts';
import { isDoubtful, temperatureLadder } from '../temperatureFallback.ts';
import { tokenStarts } from '../tokenStarts.ts';
import { wholeCharacters } from '../wholeCharacters.ts';
import { evenStarts, splitWords, timeWords } from '../words.ts';

export interface MoonshineConfig {
	readonly startToken: number;
	readonly endToken: number;
	readonly maxTokens: number;
	/** Code of the model's language. */
	readonly language: string;
}

/** Speech has 6.5 tokens per second in the paper, fast speech more; beyond this it is a loop. */
const tokensPerSecond = 10;
const rateHz = 16_000;
/** Longer stretches than this were not in the training of the published models. */
const windowS = 30;
/** The convolutions make one position of 384 samples. */
const frameS = 384 / rateHz;
/** The convolutions of the encoder need this many samples for one frame. */
const minSamples = 1024;

/** Drives an encoder-decoder with Moonshine's rules. */
export class MoonshineModel implements SpeechModel {
	readonly #model: EncoderDecoder;
	readonly #text: TextModel;
	readonly #config: MoonshineConfig;

	constructor(model: EncoderDecoder, text: TextModel, config: MoonshineConfig) {
		this.#model = model;
		this.#text = text;
		this.#config = config;
	}

	async transcribe(
		request: SpeechRequest,
		onText: (text: string) => void,
		signal?: AbortSignal,
	): Promise<SpeechResult> {
		const { language } = this.#config;
		checkedLanguage(request.language, [language]);
		if (request.task === 'translate')
			throw new AppError(
				'unsupported_parameter',
				'Moonshine models transcribe; they cannot translate.',
			);
		const durationS = request.samples.length / rateHz;
		const samples = padded(request.samples);
		const encoded = await this.#model.encode(
			{
				input_values: { type: 'float32', dims: [1, samples.length], data: samples },
				...(this.#model.encoderInputs.has('attention_mask')
					? {
							attention_mask: {
								type: 'int64',
								dims: [1, samples.length],
								data: new BigInt64Array(samples.length).fill(1n),
							},
						}
					: {}),
			},
			signal,
		);
		let hypothesis: SpeechHypothesis = { tokens: [], avgLogprob: 0, ended: true };
		let used = 0;
		for (const [step, temperature] of temperatureLadder(request.temperature).entries()) {
			used = temperature;
			hypothesis = await decodeHypothesis(
				this.#model,
				encoded,
				{
					prompt: [this.#config.startToken],
					endToken: this.#config.endToken,
					maxTokens: Math.min(
						this.#config.maxTokens - 1,
						Math.max(8, Math.ceil((samples.length / rateHz) * tokensPerSecond)),
					),
					temperature,
					seed: request.seed + step,
					samples: 5,
					processors: [],
				},
				signal,
			);
			const text = this.#decodeText(hypothesis.tokens.map((token) => token.id));
			if (!isDoubtful({ text, avgLogprob: hypothesis.avgLogprob, noSpeechProb: 0 })) break;
		}
		const ids = hypothesis.tokens.map((token) => token.id);
		const text = this.#decodeText(ids);
		if (text !== '') onText(text);
		const segment = {
			start: 0,
			end: durationS,
			text,
			tokens: ids,
			avgLogprob: hypothesis.avgLogprob,
		};
		const result: SpeechResult = {
			language,
			languageProbability: 1,
			noSpeechProb: 0,
			temperature: used,
			tokens: hypothesis.tokens,
			text,
			segments: text.trim() === '' ? [] : [segment],
			consumedS: durationS,
			windowS,
		};
		if (request.timestamps !== 'word') return result;
		const found = await tokenStarts(
			this.#model,
			encoded,
			{ before: [this.#config.startToken], ids, endToken: this.#config.endToken },
			{ heads: undefined, medianWidth: 7, frames: Math.ceil(durationS / frameS), frameS },
			signal,
		);
		const starts = found ?? evenStarts(ids, this.#text, 0, durationS);
		const spans = splitWords(ids, this.#text, language);
		return { ...result, words: timeWords(spans, starts, hypothesis.tokens) };
	}

	#decodeText(ids: readonly number[]): string {
		return wholeCharacters(this.#text.decode(ids));
	}
}

function padded(samples: Float32Array): Float32Array {
	if (samples.length >= minSamples) return samples;
	const longer = new Float32Array(minSamples);
	longer.set(samples);
	return longer;
}
