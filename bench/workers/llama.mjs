/** llama.cpp through node-llama-cpp, Q4_0 weights of the same shape, with as many sequences as are asked for. */

import { ggufModel } from '../models.ts';
import { decodeRate, promptTokens, serve } from './serve.ts';

serve(async ({ models, threads, sequences: count = 1 }) => {
	const { getLlama, LlamaLogLevel } = await import('node-llama-cpp');
	const llama = await getLlama({
		gpu: false,
		build: 'never',
		logLevel: LlamaLogLevel.error,
		maxThreads: threads,
	});
	const model = await llama.loadModel({ modelPath: ggufModel(models) });
	const context = await model.createContext({
		sequences: count,
		contextSize: count === 1 ? 2304 : 256,
		threads: { ideal: threads, min: threads },
		batchSize: 512,
	});
	const sequences = Array.from({ length: count }, () => context.getSequence());
	let seed = 3000;

	/** An answer of so many tokens, and the milliseconds since its first one. */
	async function answer(sequence, prompt, tokens) {
		let first = 0;
		let made = 0;
		const steps = sequence.evaluate(prompt, { temperature: 0, yieldEogToken: true });
		for await (const _token of steps) {
			if (made === 0) first = performance.now();
			if (++made === tokens) break;
		}
		return [made, performance.now() - first];
	}

	return async ({ kind, context: length, tokens, streams = 1, decodeOnly }) => {
		const chosen = sequences.slice(0, streams);
		for (const sequence of chosen) await sequence.clearHistory();
		const prompts = chosen.map(() => promptTokens(length, ++seed));
		const begin = performance.now();
		// Its own count leaves the first token out.
		const wanted = kind === 'prefill' ? 1 : kind === 'decode' ? tokens + 1 : tokens;
		const answers = await Promise.all(
			chosen.map((sequence, at) => answer(sequence, prompts[at], wanted)),
		);
		const wholeMs = performance.now() - begin;
		if (kind === 'prefill') return (length * 1000) / wholeMs;
		if (kind === 'decode' || decodeOnly) return decodeRate(answers);
		return (answers.reduce((sum, [made]) => sum + made, 0) * 1000) / wholeMs;
	};
});
