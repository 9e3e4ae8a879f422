/** Decodes one stretch of speech at one temperature: greedily, or the best of several samples. */

import type { SpeechToken } from '../api.ts';
import { logSumExpOf } from '../sample/blocks.ts';
import { type LogitsProcessor, processLogits } from '../sample/logitsProcessor.ts';
import { uniform } from '../sample/random.ts';
import { sampleFrom } from '../sample/sampleToken.ts';
import type { EncodedBatch, EncoderDecoder } from '../seq2seq/encoderDecoder.ts';

export interface HypothesisOptions {
	readonly prompt: readonly number[];
	readonly endToken: number;
	/** Upper limit of generated tokens. */
	readonly maxTokens: number;
	/** 0 = greedy, one sequence. */
	readonly temperature: number;
	readonly seed: number;
	/** Sequences sampled together when the temperature is above 0. */
	readonly samples: number;
	/** Their steps have what was generated only. */
	readonly processors: readonly LogitsProcessor[];
	/** Sees the logits after one token of the prompt before the first token is chosen. */
	readonly onPrompt?: { readonly position: number; see(logits: Float32Array): void };
}

export interface SpeechHypothesis {
	/** Without the end token. */
	readonly tokens: readonly SpeechToken[];
	/** Sum over the tokens and the end token, divided by their number. */
	readonly avgLogprob: number;
	/** False when the limit of tokens came first. */
	readonly ended: boolean;
}

interface SampledSequence {
	readonly sample: number;
	readonly tokens: SpeechToken[];
	sum: number;
	ended: boolean;
}

/** Runs the decoder over one encoded item; rejects with `cancelled` within one step. */
export async function decodeHypothesis(
	model: EncoderDecoder,
	encoded: EncodedBatch,
	options: HypothesisOptions,
	signal?: AbortSignal,
): Promise<SpeechHypothesis> {
	const count = options.temperature > 0 ? options.samples : 1;
	const sequences = Array.from(
		{ length: count },
		(_, sample): SampledSequence => ({ sample, tokens: [], sum: 0, ended: false }),
	);
	const lastOnly = model.lastLogitsOnly === true;
	// Before the run that is decoded, so that no call waits for sequences while holding some.
	if (lastOnly) await runPrompt(model, encoded, options, signal);
	const run = model.start(encoded, { sequencesPerItem: count });
	try {
		let alive = sequences;
		let output = await run.feed(
			alive.map(() => options.prompt),
			signal,
		);
		if (!lastOnly) options.onPrompt?.see(output.logits(0, options.onPrompt.position));
		for (let step = 0; step < options.maxTokens; step++) {
			for (const [index, sequence] of alive.entries())
				choose(sequence, output.logits(index), options);
			const going = alive.flatMap((sequence, index) => (sequence.ended ? [] : [index]));
			if (going.length === 0 || step + 1 === options.maxTokens) break;
			if (going.length < alive.length) {
				run.select(going);
				alive = going.map((index) => alive[index] as SampledSequence);
			}
			output = await run.feed(
				alive.map((sequence) => [sequence.tokens.at(-1)?.id as number]),
				signal,
			);
		}
	} finally {
		run.release();
	}
	const scored = sequences.map(({ tokens, sum, ended }) => ({
		tokens,
		ended,
		avgLogprob: sum / (tokens.length + 1),
	}));
	return scored.reduce((best, sequence) =>
		sequence.avgLogprob > best.avgLogprob ? sequence : best,
	);
}

/** A run of its own for the part of the prompt whose last logits the caller wants to see. */
async function runPrompt(
	model: EncoderDecoder,
	encoded: EncodedBatch,
	{ prompt, onPrompt }: HypothesisOptions,
	signal: AbortSignal | undefined,
): Promise<void> {
	if (onPrompt === undefined) return;
	const run = model.start(encoded);
	try {
		const output = await run.feed([prompt.slice(0, onPrompt.position + 1)], signal);
		onPrompt.see(output.logits(0));
	} finally {
		run.release();
	}
}

function choose(sequence: SampledSequence, logits: Float32Array, options: HypothesisOptions): void {
	const { processors, temperature, seed, endToken } = options;
	const tokens = sequence.tokens.map((token) => token.id);
	const step = { logits, tokens, given: 0, changed: [], isRewritten: false };
	const blocks = processLogits(processors, step);
	const random = uniform(seed, sequence.sample, tokens.length);
	const id = sampleFrom(blocks, { temperature, topP: 1, topK: 0, minP: 0 }, random);
	// Without the temperature.
	const logprob = (logits[id] as number) - logSumExpOf(blocks);
	sequence.sum += logprob;
	if (id === endToken) sequence.ended = true;
	else sequence.tokens.push({ id, logprob });
}
