/**
 * A model that was just built reads something and answers before it appears under its name, by the graph that was
 * written and by the one that is loaded; and what it says is compared with what its source says.
 */

import { AppError, type BuiltLoss } from '../../protocol/index.ts';
import type { EngineModel, ModelDescription } from '../api.ts';
import type { Decoder } from '../decode/decoder.ts';
import { loadDecoder } from '../decode/loadDecoder.ts';
import { loadEngine } from '../engine.ts';
import { describeModel } from '../modelFiles/describe.ts';
import { chooseVariant } from '../modelFiles/variants.ts';
import { physicalCores } from '../runtime/threads.ts';
import { openRuntime } from '../verify/openRuntime.ts';
import type { Followed } from './measure/follow.ts';
import { compareAnswers, readLogits } from './measure/loss.ts';

const prompt = 'The quick brown fox';
const maxTokens = 4;
/** More than rounding in another order leads to. */
const maxDivergence = 0.02;

export interface CheckOptions {
	/** What the model takes while it is loaded. */
	readonly neededBytes: number;
	/** What this process may still take. */
	readonly availableBytes: number;
	/** Called after each load and each reading: of a large model they take minutes. */
	readonly onStep?: () => void;
	readonly signal?: AbortSignal;
}

/**
 * @returns what was lost
 * @throws AppError `unsupported_model` when it cannot be loaded, computes something else than numbers, or says
 * something else than the graph that was written
 */
export async function checkBuilt(
	folder: string,
	found: Followed,
	{ neededBytes, availableBytes, onStep = () => {}, signal }: CheckOptions,
): Promise<BuiltLoss> {
	const { errors, reference } = found;
	const { worst } = errors;
	const weights = {
		weightError: errors.total,
		...(worst === undefined ? {} : { worstWeight: { name: worst.weight, error: worst.error } }),
	};
	if (neededBytes > availableBytes) {
		if (reference !== undefined) refuseNoNumbers(reference.expected.logits);
		const why = 'it does not fit into the memory that is free';
		return worst === undefined ? { measured: 'nothing' } : { measured: 'weights', why, ...weights };
	}
	const model = await loadEngine({ folder, speculation: false, prefixCache: false });
	onStep();
	try {
		refuseNoNumbers(await scoresOf(model));
	} catch (error) {
		if (!(error instanceof AppError && error.code === 'invalid_request')) throw error;
		// What it is asked is right for every model.
		throw new AppError(
			'unsupported_model',
			`The model that was built does not read ${JSON.stringify(prompt)}: ${error.message} Its tokenizer is of another model than its weights. Take another build of the model.`,
			{ cause: error },
		);
	} finally {
		await model.close();
	}
	onStep();
	if (reference === undefined) {
		if (worst === undefined) return { measured: 'nothing' };
		const why = 'answers are compared of language models only';
		return { measured: 'weights', why, ...weights };
	}
	const { calibration, expected } = reference;
	refuseNoNumbers(expected.logits);
	const description = await describeModel(folder);
	const positions = expected.logits.length / expected.vocabulary;
	const written = await withDecoder(description, false, (decoder) => {
		onStep();
		return readLogits(decoder, calibration.loss, positions, signal);
	});
	onStep();
	return withDecoder(description, true, async (decoder) => {
		onStep();
		const { divergence } = await compareAnswers(decoder, calibration.loss, written, signal);
		if (!(divergence < maxDivergence))
			throw new AppError(
				'unsupported_model',
				`The model that was built says something else in the form that runs fastest (divergence ${divergence.toFixed(3)}). Please report this with the name of the model.`,
			);
		onStep();
		const answers = await compareAnswers(decoder, calibration.loss, expected, signal);
		return { measured: 'answers', ...answers, ...weights };
	});
}

/** @param rewrite as it is loaded by default; else as it was written */
async function withDecoder<Result>(
	description: ModelDescription,
	rewrite: boolean,
	use: (decoder: Decoder) => Promise<Result>,
): Promise<Result> {
	const variant = chooseVariant(description.variants, description.architecture);
	if (variant === undefined) throw new AppError('internal', 'The model has no graph.');
	const decoder = await loadDecoder({
		description,
		variant,
		runtime: await openRuntime(),
		session: { threads: physicalCores() },
		contextLength: Math.min(description.contextLength, 512),
		rewrite,
	});
	try {
		return await use(decoder);
	} finally {
		decoder.close();
	}
}

function refuseNoNumbers(scores: ArrayLike<number>): void {
	if (scores.length > 0 && Array.prototype.every.call(scores, Number.isFinite)) return;
	throw new AppError(
		'unsupported_model',
		'The model that was built computes no numbers: its weights are damaged, or mean something else than its settings say. Take another file of the model.',
	);
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
	if (task === 'rerank') {
		const request = { query: 'fox', documents: [prompt], truncate: true };
		return [...(await model.rerank(request)).logits];
	}
	if (architecture === 'encoder')
		return (await model.embed({ inputs: [prompt] })).vectors.flatMap((vector) => [...vector]);
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
