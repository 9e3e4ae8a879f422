/** Decodes one stretch of speech at one temperature: greedily, or the best of several samples. */

import type { SpeechToken } from '../api.ts';
import { uniform } from '../sample/random.ts';
import type { EncodedBatch, EncoderDecoder } from '../seq2seq/encoderDecoder.ts';
import { drawn, likeliest } from './draw.ts';

export interface DecodeOptions {
	readonly prompt: readonly number[];
	readonly endToken: number;
	/** Upper limit of generated tokens. */
	readonly maxTokens: number;
	/** 0 = greedy, one row. */
	readonly temperature: number;
	readonly seed: number;
	/** Rows sampled together when the temperature is above 0. */
	readonly samples: number;
	/** Bans tokens in place. */
	readonly rules: (logits: Float32Array, generated: readonly number[]) => void;
	/** Sees the logits after one token of the prompt before the first token is chosen. */
	readonly onPrompt?: { readonly position: number; see(logits: Float32Array): void };
}

export interface Hypothesis {
	/** Without the end token. */
	readonly tokens: readonly SpeechToken[];
	/** Sum over the tokens and the end token, divided by their number. */
	readonly avgLogprob: number;
	/** False when the limit of tokens came first. */
	readonly ended: boolean;
}

interface Row {
	readonly sample: number;
	readonly tokens: SpeechToken[];
	sum: number;
	ended: boolean;
}

/** Runs the decoder over one encoded item; rejects with `cancelled` within one step. */
export async function decodeHypothesis(
	model: EncoderDecoder,
	encoded: EncodedBatch,
	options: DecodeOptions,
	signal?: AbortSignal,
): Promise<Hypothesis> {
	const count = options.temperature > 0 ? options.samples : 1;
	const rows = Array.from(
		{ length: count },
		(_, sample): Row => ({ sample, tokens: [], sum: 0, ended: false }),
	);
	const lastOnly = model.lastLogitsOnly === true;
	// Before the run that is decoded, so that nobody waits for rows while holding some.
	if (lastOnly) await showPrompt(model, encoded, options, signal);
	const run = model.start(encoded, { rowsPerItem: count });
	try {
		let alive = rows;
		let output = await run.feed(
			alive.map(() => options.prompt),
			signal,
		);
		if (!lastOnly) options.onPrompt?.see(output.logits(0, options.onPrompt.position));
		for (let step = 0; step < options.maxTokens; step++) {
			for (const [index, row] of alive.entries()) choose(row, output.logits(index), options);
			const going = alive.flatMap((row, index) => (row.ended ? [] : [index]));
			if (going.length === 0 || step + 1 === options.maxTokens) break;
			if (going.length < alive.length) {
				run.select(going);
				alive = going.map((index) => alive[index] as Row);
			}
			output = await run.feed(
				alive.map((row) => [row.tokens.at(-1)?.id as number]),
				signal,
			);
		}
	} finally {
		run.release();
	}
	const scored = rows.map(({ tokens, sum, ended }) => ({
		tokens,
		ended,
		avgLogprob: sum / (tokens.length + 1),
	}));
	return scored.reduce((best, row) => (row.avgLogprob > best.avgLogprob ? row : best));
}

/** A run of its own for the part of the prompt whose last logits the caller wants to see. */
async function showPrompt(
	model: EncoderDecoder,
	encoded: EncodedBatch,
	{ prompt, onPrompt }: DecodeOptions,
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

function choose(row: Row, logits: Float32Array, options: DecodeOptions): void {
	options.rules(
		logits,
		row.tokens.map((token) => token.id),
	);
	const next =
		options.temperature > 0
			? drawn(logits, options.temperature, uniform(options.seed, row.sample, row.tokens.length))
			: likeliest(logits);
	row.sum += next.logprob;
	if (next.id === options.endToken) row.ended = true;
	else row.tokens.push(next);
}
