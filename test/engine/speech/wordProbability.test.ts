/** How sure a model is of each word, also where its graph does not say when it is spoken. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SpeechResult, TextModel } from '../../../server/engine/api.ts';
import { whisperWords } from '../../../server/engine/speech/whisper/whisperWords.ts';

const pieces = [' Open', ' the', ' win', 'dow', '.'];
const bytesOf = (id: number) => Buffer.from(pieces[id] ?? '');
const text = {
	tokenBytes: bytesOf,
	decode: (ids: readonly number[]) => ids.map((id) => pieces[id]).join(''),
} as unknown as TextModel;

/** Timestamps are tokens from 101; 100 ends the text. */
const token = (id: number, probability: number) => ({ id, logprob: Math.log(probability) });
const heard = [
	...[token(101, 1), token(0, 0.9), token(1, 0.8), token(140, 1)],
	...[token(140, 1), token(2, 0.2), token(3, 0.4), token(4, 0.9), token(180, 1)],
];
const segment = (from: number, to: number, start: number, end: number) => ({
	...{ start, end, text: '', avgLogprob: -5 },
	tokens: heard.slice(from, to).map(({ id }) => id),
});

test('a word is as sure as the mean of its own tokens, not as its segment', async () => {
	const words = await whisperWords(
		{
			model: { attentionLayers: [] } as never,
			text,
			config: { endToken: 100, maxTokens: 448 } as never,
		},
		{
			...{ encoded: {} as never, start: [], durationS: 4 },
			result: {
				...{ language: 'en', tokens: heard },
				segments: [segment(0, 4, 0, 1), segment(4, 9, 1, 2)],
			} as unknown as SpeechResult,
		},
	);
	assert.deepEqual(
		words.map(({ word, probability }) => [word.trim(), Math.round(probability * 1000) / 1000]),
		[
			['Open', 0.9],
			['the', 0.8],
			['window.', 0.5],
		],
	);
});
