/** A model that was just built reads something and answers, before it appears under its name. */

import { AppError } from '../../protocol/index.ts';
import type { EngineModel } from '../api.ts';
import { loadEngine } from '../engine.ts';

const prompt = 'The quick brown fox';
const maxTokens = 4;

/** @throws AppError `unsupported_model` when it cannot be loaded, or computes something else than numbers */
export async function checkBuilt(folder: string): Promise<void> {
	const model = await loadEngine({ folder, speculation: false, prefixCache: false });
	try {
		const scores = await scoresOf(model);
		if (scores.length > 0 && scores.every(Number.isFinite)) return;
		throw new AppError(
			'unsupported_model',
			'The model that was built computes no numbers: its weights are damaged, or mean something else than its settings say. Take another file of the model.',
		);
	} finally {
		await model.close();
	}
}

/** Logarithms of probabilities of a short answer. */
async function scoresOf(model: EngineModel): Promise<number[]> {
	const { architecture, task } = model.description;
	if (task === 'automatic-speech-recognition') {
		const heard = await model.transcribe(
			{
				samples: new Float32Array(16_000),
				task: 'transcribe',
				language: 'en',
				temperature: 0,
				seed: 0,
				timestamps: 'none',
				priority: 'batch',
			},
			() => {},
		);
		return [heard.noSpeechProb, ...heard.tokens.map(({ logprob }) => logprob)];
	}
	if (architecture === 'encoder-decoder') return translated(model);
	const { choices } = await model.generate(
		{
			owner: undefined,
			prompt: { kind: 'text', text: prompt },
			sampling: {
				temperature: 0,
				topP: 1,
				topK: 0,
				minP: 0,
				presencePenalty: 0,
				frequencyPenalty: 0,
				repetitionPenalty: 1,
				logitBias: {},
				seed: 0,
			},
			maxTokens,
			stop: [],
			n: 1,
			topLogprobs: 0,
			priority: 'batch',
		},
		() => {},
	);
	return choices.flatMap(({ logprobs = [] }) => logprobs.map(({ logprob }) => logprob));
}

async function translated(model: EngineModel): Promise<number[]> {
	const request = { items: [{ text: prompt }], beams: 1, maxTokens, priority: 'batch' } as const;
	try {
		const { outputs } = await model.seq2seq(request);
		return outputs.map(({ score }) => score);
	} catch (error) {
		// One that asks for a language has read its files; its codes are its own.
		if (error instanceof AppError && error.code === 'invalid_request') return [0];
		throw error;
	}
}
