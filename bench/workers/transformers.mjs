/** transformers.js on the same file. */

import { basename, dirname } from 'node:path';
import { decoderModel, halfBillion } from '../models.ts';
import { promptTokens, serve } from './serve.ts';

serve(async ({ models, threads, block }) => {
	const { AutoModelForCausalLM, Tensor, env } = await import('@huggingface/transformers');
	const folder = decoderModel(models, block);
	env.allowRemoteModels = false;
	env.localModelPath = dirname(folder);
	const model = await AutoModelForCausalLM.from_pretrained(basename(folder), {
		dtype: 'q4',
		device: 'cpu',
		use_external_data_format: true,
		session_options: { intraOpNumThreads: threads, interOpNumThreads: 1 },
	});
	let count = 2000;
	const generate = async (tokens, fresh) => {
		const ids = BigInt64Array.from(tokens, BigInt);
		const dims = [1, tokens.length];
		const start = performance.now();
		await model.generate({
			input_ids: new Tensor('int64', ids, dims),
			attention_mask: new Tensor('int64', new BigInt64Array(tokens.length).fill(1n), dims),
			max_new_tokens: fresh,
			min_new_tokens: fresh,
			do_sample: false,
			eos_token_id: halfBillion.vocabulary - 1,
		});
		return performance.now() - start;
	};
	return async ({ kind, context, tokens }) => {
		const prompt = promptTokens(context, ++count);
		if (kind === 'prefill') return (context * 1000) / (await generate(prompt, 1));
		// The prompt's share is taken off by a second call that only reads it.
		const whole = await generate(prompt, tokens + 1);
		return (tokens * 1000) / (whole - (await generate(prompt, 1)));
	};
});
