/** transformers.js on the same weights: translation and Whisper. */

import { basename, dirname } from 'node:path';
import { mergedTranslationModel } from '../models.ts';
import { features, mergedWhisperModel } from '../whisperModel.ts';
import { promptTokens, serve } from './serve.ts';

/** Never reached: answers have the length that is asked for. */
const endToken = 257;

async function load(kind, folder, threads) {
	const { env, ...library } = await import('@huggingface/transformers');
	env.allowRemoteModels = false;
	env.localModelPath = dirname(folder);
	return library[kind].from_pretrained(basename(folder), {
		dtype: 'q4',
		device: 'cpu',
		session_options: { intraOpNumThreads: threads, interOpNumThreads: 1 },
	});
}

serve(async ({ models, threads, whisper }) => {
	const { Tensor } = await import('@huggingface/transformers');
	return whisper ? speech(Tensor) : translation(Tensor);

	async function translation(Tensor) {
		const model = await load('AutoModelForSeq2SeqLM', mergedTranslationModel(models), threads);
		let count = 4000;
		/** Milliseconds of sentences of 24 tokens and an end, all in one call. */
		const translate = async (rows) => {
			const ids = Array.from({ length: rows }, () => [
				...promptTokens(24, ++count),
				endToken,
			]).flat();
			const dims = [rows, ids.length / rows];
			const start = performance.now();
			await model.generate({
				inputs: new Tensor('int64', BigInt64Array.from(ids, BigInt), dims),
				attention_mask: new Tensor('int64', new BigInt64Array(ids.length).fill(1n), dims),
				max_new_tokens: 24,
				min_new_tokens: 24,
				num_beams: 1,
				do_sample: false,
			});
			return performance.now() - start;
		};
		return async ({ kind }) => {
			if (kind === 'translate') return (32 * 1000) / (await translate(32));
			let ms = 0;
			for (let k = 0; k < 4; k++) ms += await translate(1);
			return (4 * 1000) / ms;
		};
	}

	async function speech(Tensor) {
		const model = await load(
			'WhisperForConditionalGeneration',
			mergedWhisperModel(models),
			threads,
		);
		const { data, dims } = features(1);
		const input_features = new Tensor('float32', data, dims);
		const positions = dims[2] / 2;
		const attention_mask = new Tensor('int64', new BigInt64Array(positions).fill(1n), [
			1,
			positions,
		]);
		const transcribe = async (tokens) => {
			const start = performance.now();
			await model.generate({
				inputs: input_features,
				attention_mask,
				decoder_input_ids: [1, 2, 3, 4],
				max_new_tokens: tokens,
				min_new_tokens: tokens,
			});
			return performance.now() - start;
		};
		return async ({ kind }) => {
			if (kind === 'encoder') {
				// As its own forward pass does.
				const start = performance.now();
				await model.sessions.model.run({ input_features: input_features.ort_tensor });
				return performance.now() - start;
			}
			const steps = 30;
			const whole = await transcribe(steps + 1);
			return (whole - (await transcribe(1))) / steps;
		};
	}
});
