/**
 * A runner whose model does what the prompt says, for tests of everything around an engine:
 * `crash`, `hang`, `stuck`, `memory`, `slow`, and otherwise an answer of one token per word. It
 * translates to upper case. On the provider `FAKE_FAST` its timings are ten times better.
 */

import { processChannel, serveRunner } from '../../server/daemon/runnerMain.ts';
import type { EngineModel, GenerateRequest, GenerateResult } from '../../server/engine/api.ts';
import { AppError } from '../../server/protocol/index.ts';

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

function promptText(request: GenerateRequest): string {
	const { prompt } = request;
	if (prompt.kind === 'text') return prompt.text;
	return prompt.kind === 'chat' ? (prompt.messages.at(-1)?.content ?? '') : prompt.tokens.join(' ');
}

let isFast = false;
let running = 0;
let cancelled = 0;

const generate: EngineModel['generate'] = async (request, onEvent, signal) => {
	const text = promptText(request);
	if (text === 'overflow')
		throw new AppError('context_length_exceeded', 'too long', { param: 'messages' });
	running++;
	try {
		const words =
			text === 'slow' ? Array.from({ length: 500 }, (_, i) => `w${i} `) : ['Hello', ' there', '.'];
		for (const [index, word] of words.entries()) {
			if (signal?.aborted) {
				cancelled++;
				throw new AppError('cancelled');
			}
			for (let choice = 0; choice < request.n; choice++)
				onEvent({ type: 'text', choice, text: word, tokenIds: [index] });
			if (text === 'crash' && index === 1) process.abort();
			if (text === 'hang' && index === 1) for (;;);
			if (text === 'stuck' && index === 1) await new Promise(() => {});
			if (text === 'memory' && index === 1) {
				process.stderr.write('std::bad_alloc\n');
				await sleep(20);
				process.exit(1);
			}
			if (text === 'slow' || text === 'crash') await sleep(20);
		}
		for (let choice = 0; choice < request.n; choice++)
			onEvent({ type: 'finish', choice, reason: 'stop' });
		const choices = Array.from({ length: request.n }, () => ({
			text: words.join(''),
			tokenIds: words.map((_, index) => index),
			reason: 'stop' as const,
		}));
		const completionTokens = request.n * words.length;
		return {
			...{ promptTokens: 3, cachedTokens: 1, completionTokens, choices },
			timings: isFast ? { ...timings, prompt_ms: 0.1, predicted_ms: 0.1 } : timings,
		} satisfies GenerateResult;
	} finally {
		running--;
	}
};

const timings = {
	prompt_n: 3,
	prompt_ms: 1,
	prompt_per_second: 3000,
	predicted_n: 3,
	predicted_ms: 1,
	predicted_per_second: 3000,
	cache_n: 1,
	load_ms: 0,
	queue_ms: 0,
};

const refuse = () => Promise.reject(new AppError('unsupported_model'));

await serveRunner(processChannel(), async (options) => {
	if (process.env['FAKE_LOAD'] === 'fail')
		throw new AppError('unsupported_model', 'The graph is broken.');
	if (process.env['FAKE_LOAD'] === 'slow') await sleep(400);
	if (options.executionProvider === process.env['FAKE_FULL'])
		throw new AppError('out_of_memory', 'The device has no memory left.');
	if (options.executionProvider === process.env['FAKE_WITHOUT'])
		throw new AppError('not_supported', 'No adapter was found.');
	isFast = options.executionProvider === process.env['FAKE_FAST'];
	const model: EngineModel = {
		description: {
			folder: options.folder,
			layout: 'transformers.js',
			family: 'llama',
			architecture: 'decoder',
			task: 'chat-completion',
			variants: [],
			contextLength: 512,
			vocabularySize: 1000,
			layers: 1,
			kvHeads: 1,
			headSize: 8,
			eosTokenIds: [0],
			hasChatTemplate: true,
			supportsTools: false,
			memoryEstimateBytes: 1,
			problems: [],
			notes: [],
		},
		generate,
		seq2seq: async ({ items }) => ({
			outputs: items.map(({ text }) => ({
				text: text.toUpperCase(),
				tokenIds: [],
				score: 0,
				reason: 'stop',
			})),
		}),
		transcribe: refuse,
		embed: refuse,
		rerank: refuse,
		stats: async () => ({
			task: 'chat-completion',
			runtime: 'c-api',
			executionProvider: options.executionProvider ?? 'cpu',
			precision: 'fp32',
			running,
			waiting: 0,
			admittedTotal: 0,
			refusedTotal: 0,
			waitedMsTotal: 0,
			openSequences: running,
			cachedPrefixes: cancelled,
			kvBytes: 0,
			kvLimitBytes: 0,
			residentBytes: process.memoryUsage.rss(),
			promptTokensTotal: 0,
			cachedTokensTotal: 0,
			generatedTokensTotal: 0,
			draftedTotal: 0,
			acceptedTotal: 0,
			notices:
				process.env['FAKE_NOTICE'] === undefined
					? []
					: [{ kind: 'note', message: process.env['FAKE_NOTICE'] }],
		}),
		close: async () => {},
	};
	return model;
});
process.exit(0);
