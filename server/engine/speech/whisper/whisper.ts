/** Whisper: language, prompt, decoding with the temperature ladder, segments and words of one stretch. */

import { AppError } from '../../../protocol/index.ts';
import type { SpeechRequest, SpeechResult, TextModel } from '../../api.ts';
import { logSumExp } from '../../sample/logprobs.ts';
import type { EncodedBatch, EncoderDecoder } from '../../seq2seq/encoderDecoder.ts';
import type { TextReader } from '../../text/textReader.ts';
import { decodeHypothesis, type SpeechHypothesis } from '../decodeHypothesis.ts';
import { checkedLanguage } from '../requestChecks.ts';
import type { SpeechModel } from '../speechModel.ts';
import { isDoubtful, isSilence, temperatureLadder } from '../temperatureFallback.ts';
import { wholeCharacters } from '../wholeCharacters.ts';
import { logMel, melHop } from './logMel.ts';
import { cutSegments } from './segments.ts';
import type { WhisperConfig } from './whisperConfig.ts';
import { whisperProcessors } from './whisperRules.ts';
import { whisperWords } from './whisperWords.ts';

/** Samples drawn together above temperature 0; the likeliest is kept. */
const samplesPerTemperature = 5;
/** The reference decoder stops a stretch after half of the context. */
const contextShare = 0.5;

interface Spoken {
	readonly language: string;
	readonly probability: number;
}

/** Drives an encoder-decoder with Whisper's rules. */
export class WhisperModel implements SpeechModel {
	readonly #model: EncoderDecoder;
	readonly #text: TextModel;
	readonly #reader: Pick<TextReader, 'encode'>;
	readonly #config: WhisperConfig;

	constructor(
		model: EncoderDecoder,
		text: TextModel,
		reader: Pick<TextReader, 'encode'>,
		config: WhisperConfig,
	) {
		this.#model = model;
		this.#text = text;
		this.#reader = reader;
		this.#config = config;
	}

	async transcribe(
		request: SpeechRequest,
		onText: (text: string) => void,
		signal?: AbortSignal,
	): Promise<SpeechResult> {
		const config = this.#config;
		const requested = checkedLanguage(request.language, [...config.languages.keys()]);
		if (request.task === 'translate' && config.translateToken === undefined) {
			throw new AppError(
				'unsupported_parameter',
				'This speech model knows one language only and cannot translate. Choose a multilingual one.',
			);
		}
		const features = logMel(request.samples, config.melBins, config.frames);
		const encoded = await this.#model.encode(
			{
				input_features: {
					type: 'float32',
					dims: [1, config.melBins, config.frames],
					data: features,
				},
			},
			signal,
		);
		const spoken =
			requested !== undefined || config.languages.size === 0
				? { language: requested ?? 'en', probability: 1 }
				: await this.#detect(encoded, signal);
		const durationS = Math.min(request.samples.length / melHop, config.frames) / 100;
		const { hypothesis, temperature, noSpeechProb } = await this.#decode(
			request,
			encoded,
			spoken,
			signal,
		);
		const attempt = { text: '', avgLogprob: hypothesis.avgLogprob, noSpeechProb };
		const common = {
			language: spoken.language,
			languageProbability: spoken.probability,
			noSpeechProb,
			temperature,
			windowS: config.frames / 100,
		};
		if (isSilence(attempt))
			return { ...common, tokens: [], text: '', segments: [], consumedS: durationS };
		const decode = (ids: readonly number[]) => this.#decodeText(ids);
		const cut = cutSegments(hypothesis.tokens, config.firstTimestamp, durationS, decode);
		const text = cut.segments.map((segment) => segment.text).join('');
		const kept = cut.segments.reduce((sum, segment) => sum + segment.tokens.length, 0);
		const tokens = hypothesis.tokens.slice(0, kept);
		if (text !== '') onText(text);
		const result: SpeechResult = {
			...common,
			tokens,
			text,
			segments: cut.segments,
			consumedS: cut.consumedS,
		};
		if (request.timestamps !== 'word') return result;
		const start = this.#startTokens(spoken.language, request.task);
		const words = await whisperWords(
			{ model: this.#model, text: this.#text, config },
			{ encoded, start, result, durationS },
			signal,
		);
		return { ...result, words };
	}

	/** Text of tokens; control and time tokens all lie at and above the end token. */
	#decodeText(ids: readonly number[]): string {
		return wholeCharacters(this.#text.decode(ids.filter((id) => id < this.#config.endToken)));
	}

	async #detect(encoded: EncodedBatch, signal?: AbortSignal): Promise<Spoken> {
		const run = this.#model.start(encoded);
		try {
			const output = await run.feed([[this.#config.startToken]], signal);
			const logits = output.logits(0);
			const codes = [...this.#config.languages];
			const values = Float32Array.from(codes, ([, id]) => logits[id] ?? Number.NEGATIVE_INFINITY);
			const total = logSumExp(values);
			let best = 0;
			for (let i = 1; i < values.length; i++)
				if ((values[i] as number) > (values[best] as number)) best = i;
			return {
				language: codes[best]?.[0] ?? 'en',
				probability: Math.exp((values[best] as number) - total),
			};
		} finally {
			run.release();
		}
	}

	#startTokens(language: string, task: SpeechRequest['task']): number[] {
		const { startToken, languages, transcribeToken, translateToken } = this.#config;
		const languageToken = languages.get(language);
		const taskToken = task === 'translate' ? translateToken : transcribeToken;
		return [startToken, languageToken, taskToken].filter((id) => id !== undefined);
	}

	async #prompt(
		request: SpeechRequest,
		start: readonly number[],
		signal: AbortSignal | undefined,
	): Promise<number[]> {
		const { previousToken, noTimestampsToken, maxTokens } = this.#config;
		const before: number[] = [];
		if (
			request.prompt !== undefined &&
			request.prompt.trim() !== '' &&
			previousToken !== undefined
		) {
			const said = ` ${request.prompt.trim()}`;
			const [ids = []] = await this.#reader.encode([said], false, signal);
			before.push(previousToken, ...ids.slice(-(Math.floor(maxTokens / 2) - 1)));
		}
		const plain = request.timestamps === 'none' && noTimestampsToken !== undefined;
		return [...before, ...start, ...(plain ? [noTimestampsToken] : [])];
	}

	async #decode(
		request: SpeechRequest,
		encoded: EncodedBatch,
		spoken: Spoken,
		signal?: AbortSignal,
	): Promise<{ hypothesis: SpeechHypothesis; temperature: number; noSpeechProb: number }> {
		const config = this.#config;
		const start = this.#startTokens(spoken.language, request.task);
		const prompt = await this.#prompt(request, start, signal);
		const timestamps = request.timestamps !== 'none' && config.firstTimestamp !== undefined;
		const processors = whisperProcessors(config, timestamps);
		let noSpeechProb = 0;
		const { noSpeechToken } = config;
		const listen = {
			position: prompt.lastIndexOf(config.startToken),
			see: (logits: Float32Array) => {
				noSpeechProb = Math.exp((logits[noSpeechToken ?? -1] as number) - logSumExp(logits));
			},
		};
		const room = config.maxTokens - prompt.length;
		const maxTokens = Math.min(room, Math.max(1, Math.floor(config.maxTokens * contextShare)));
		for (const [step, temperature] of temperatureLadder(request.temperature).entries()) {
			const hypothesis = await decodeHypothesis(
				this.#model,
				encoded,
				{
					prompt,
					endToken: config.endToken,
					maxTokens,
					temperature,
					seed: request.seed + step,
					samples: samplesPerTemperature,
					processors,
					...(noSpeechToken === undefined ? {} : { onPrompt: listen }),
				},
				signal,
			);
			const text = this.#decodeText(hypothesis.tokens.map((token) => token.id));
			const attempt = { text, avgLogprob: hypothesis.avgLogprob, noSpeechProb };
			if (!isDoubtful(attempt) || temperature + 0.2 > 1)
				return { hypothesis, temperature, noSpeechProb };
		}
		throw new AppError('internal', 'The temperature ladder of the speech model is empty.');
	}
}
