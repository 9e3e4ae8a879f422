/** llama.cpp through node-llama-cpp, Q4_0 weights of the same shape. */

import { ggufModel } from '../models.ts';
import { promptTokens, serve } from './serve.ts';

serve(async ({ models, threads }) => {
	const { getLlama, LlamaLogLevel } = await import('node-llama-cpp');
	const llama = await getLlama({
		gpu: false,
		build: 'never',
		logLevel: LlamaLogLevel.error,
		maxThreads: threads,
	});
	const model = await llama.loadModel({ modelPath: ggufModel(models) });
	const context = await model.createContext({
		contextSize: 2304,
		threads: { ideal: threads, min: threads },
		batchSize: 512,
	});
	const sequence = context.getSequence();
	let count = 3000;
	return async ({ kind, context: length, tokens }) => {
		await sequence.clearHistory();
		const prompt = promptTokens(length, ++count);
		const begin = performance.now();
		let start = 0;
		let made = 0;
		for await (const _token of sequence.evaluate(prompt, { temperature: 0, yieldEogToken: true })) {
			if (kind === 'prefill') return (length * 1000) / (performance.now() - begin);
			if (start === 0) start = performance.now();
			else if (++made === tokens) break;
		}
		return (made * 1000) / (performance.now() - start);
	};
});
