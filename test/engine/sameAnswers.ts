/** What a decoder answers to requests that run at the same time, for comparing exports of one model. */

import assert from 'node:assert/strict';
import type { GenerateRequest } from '../../server/engine/api.ts';
import { loadEngine } from '../../server/engine/engine.ts';
import { tokensRequest } from './support.ts';

const prompts = [
	[5, 9, 40, 77, 12, 60, 33],
	[5, 9, 40, 5, 9, 40, 5, 9],
	[200, 3],
];

export interface Answers {
	/** Of requests that ran at the same time. */
	readonly tokens: readonly (readonly number[])[];
	/** Of the tokens of a prompt. */
	readonly logprobs: readonly number[];
	readonly drafted: number;
	readonly notices: readonly string[];
}

export async function answers(model: string, plainRuntime: boolean): Promise<Answers> {
	const engine = await loadEngine({ folder: model, threads: 1, plainRuntime });
	try {
		const ask = (tokens: readonly number[], more: Partial<GenerateRequest> = {}) =>
			engine.generate(tokensRequest(tokens, more), () => undefined);
		const results = await Promise.all(prompts.map((prompt) => ask(prompt)));
		const read = await ask(prompts[0] as number[], { maxTokens: 0, echoLogprobs: true });
		const { notices = [], draftedTotal } = await engine.stats();
		return {
			tokens: results.map(({ choices }) => choices[0]?.tokenIds ?? []),
			logprobs: (read.promptLogprobs ?? []).map(({ logprob }) => logprob),
			drafted: draftedTotal,
			notices: notices
				.map(({ message }) => message)
				// The runtime, and attention that is spelled out: neither has to do with what an export gives.
				.filter((notice) => !/session\.run|the attention is spelled out/.test(notice)),
		};
	} finally {
		await engine.close();
	}
}

/** @param most largest difference of a logarithm */
export function assertSame(actual: Answers, expected: Answers, most = 1e-3): void {
	assert.deepEqual(actual.tokens, expected.tokens);
	assert.equal(expected.logprobs.length, (prompts[0]?.length ?? 0) - 1);
	assert.equal(actual.logprobs.length, expected.logprobs.length);
	for (const [index, value] of expected.logprobs.entries())
		assert.ok(Math.abs(value - (actual.logprobs[index] as number)) < most, `${index}: ${value}`);
}
