/**
 * Which tokens may come next, as the Whisper paper and its reference decoder have it: suppressed
 * tokens, and timestamps that come in pairs, never go back and begin within the first second.
 */

import { type LogitsProcessor, noSuppression, suppression } from '../../sample/logitsProcessor.ts';
import type { WhisperConfig } from './whisperConfig.ts';

/** The chain of a stretch; `tokens` of its steps are what was generated. */
export function whisperProcessors(config: WhisperConfig, timestamps: boolean): LogitsProcessor[] {
	const { suppressTokens, beginSuppressTokens, firstTimestamp } = config;
	const suppress = suppression({ ...noSuppression, suppressTokens, beginSuppressTokens });
	if (firstTimestamp === undefined) return [suppress];
	const times: LogitsProcessor = (step) => {
		if (timestamps) applyTimestampRules(step.logits, step.tokens, config, firstTimestamp);
		else step.logits.fill(Number.NEGATIVE_INFINITY, firstTimestamp);
		step.isRewritten = true;
	};
	return [suppress, times];
}

function applyTimestampRules(
	logits: Float32Array,
	generated: readonly number[],
	config: WhisperConfig,
	first: number,
): void {
	if (config.noTimestampsToken !== undefined)
		logits[config.noTimestampsToken] = Number.NEGATIVE_INFINITY;
	const isTimestamp = (id: number | undefined) => id !== undefined && id >= first;
	const last = generated.at(-1);
	const lastWasTimestamp = isTimestamp(last);
	const beforeWasTimestamp = generated.length < 2 || isTimestamp(generated.at(-2));
	if (lastWasTimestamp) {
		// A pair is complete: text must follow. Half a pair: its partner or the end.
		if (beforeWasTimestamp) logits.fill(Number.NEGATIVE_INFINITY, first);
		else logits.fill(Number.NEGATIVE_INFINITY, 0, config.endToken);
	}
	const latest = generated.findLast((id) => id >= first);
	if (latest !== undefined) {
		// The second of a pair may repeat the first; a new segment must not have length 0.
		const from = lastWasTimestamp && !beforeWasTimestamp ? latest : latest + 1;
		logits.fill(Number.NEGATIVE_INFINITY, first, from);
	}
	if (generated.length === 0) {
		logits.fill(Number.NEGATIVE_INFINITY, 0, first);
		logits.fill(Number.NEGATIVE_INFINITY, first + config.maxInitialTimestamp + 1);
	}
	preferTimestamps(logits, first);
}

/** When the timestamps together are likelier than any single text token, only they remain. */
function preferTimestamps(logits: Float32Array, first: number): void {
	let text = Number.NEGATIVE_INFINITY;
	for (let id = 0; id < first; id++) text = Math.max(text, logits[id] as number);
	let largest = Number.NEGATIVE_INFINITY;
	for (let id = first; id < logits.length; id++) largest = Math.max(largest, logits[id] as number);
	if (largest === Number.NEGATIVE_INFINITY) return;
	let sum = 0;
	for (let id = first; id < logits.length; id++) sum += Math.exp((logits[id] as number) - largest);
	if (largest + Math.log(sum) > text) logits.fill(Number.NEGATIVE_INFINITY, 0, first);
}
