/** This engine. */

import type { GenerateRequest, SamplingOptions } from '../../server/engine/api.ts';
import { loadEngine } from '../../server/engine/engine.ts';
import { greedy } from '../../test/fixtures/greedy.ts';
import { translationModel } from '../../test/fixtures/translationModel.ts';
import { builtModel, decoderModel, int8DecoderModel, withLexicon } from '../models.ts';
import { measureEncoder, measureSteps, openWhisper } from '../whisperModel.ts';
import { decodeRate, promptTokens, serve } from './serve.ts';

const sampling: SamplingOptions = { ...greedy, logitBias: { 257: -100 } };

interface LoadMessage {
	readonly models: string;
	readonly threads: number;
	readonly block?: number;
	readonly translation?: boolean;
	/** The weights are dynamic int8. */
	readonly int8?: boolean;
	/** Translate with a table of words. */
	readonly shortlist?: boolean;
	readonly whisper?: boolean;
	readonly speculation?: boolean;
	readonly prefixCache?: boolean;
	readonly plainRuntime?: boolean;
	/** Built of the file that llama.cpp reads. */
	readonly built?: boolean;
}

interface Task {
	readonly kind: string;
	readonly round: number;
	readonly context: number;
	readonly tokens: number;
	readonly streams: number;
	/** Of streams: what comes after the prompts. */
	readonly decodeOnly?: boolean;
	readonly together: boolean;
	readonly reuse: boolean;
}

const nothing = (): void => {};

serve(async (options: LoadMessage) => {
	if (options.whisper === true) {
		const model = await openWhisper(options.models, options.threads, options.plainRuntime === true);
		return (task: Task) =>
			task.kind === 'encoder' ? measureEncoder(model) : measureSteps(model, task.streams);
	}
	const { models, threads, speculation, prefixCache, plainRuntime } = options;
	const engine = await loadEngine({
		folder:
			options.translation === true
				? await withLexicon(translationModel(models, options.int8 === true))
				: options.built === true
					? await builtModel(models)
					: options.int8 === true
						? int8DecoderModel(models)
						: decoderModel(models, options.block ?? 32),
		threads,
		vocabularyShortlist: options.shortlist === true,
		...(speculation === undefined ? {} : { speculation }),
		...(prefixCache === undefined ? {} : { prefixCache }),
		...(plainRuntime === undefined ? {} : { plainRuntime }),
	});
	let count = 0;
	const generate = (tokens: readonly number[], more: Partial<GenerateRequest> = {}) =>
		engine.generate(
			{
				prompt: { kind: 'tokens', tokens },
				owner: 'local',
				sampling,
				stop: [],
				n: 1,
				priority: 'interactive',
				...more,
			},
			nothing,
		);
	const streams = async (task: Task): Promise<number> => {
		const start = performance.now();
		const results = await Promise.all(
			Array.from({ length: task.streams }, () =>
				generate(promptTokens(task.context, ++count), { maxTokens: task.tokens }),
			),
		);
		const timings = results.map((result) => result.timings);
		if (task.decodeOnly !== true) {
			const total = timings.reduce((sum, { predicted_n }) => sum + predicted_n, 0);
			return (total * 1000) / (performance.now() - start);
		}
		return decodeRate(timings.map(({ predicted_n, predicted_ms }) => [predicted_n, predicted_ms]));
	};
	return async (task: Task): Promise<number> => {
		if (task.kind === 'decode') {
			// A long prompt is read once and kept: only the steps after it are measured.
			const seed = task.context > 1000 ? 1 : ++count;
			const { timings } = await generate(promptTokens(task.context, seed), {
				maxTokens: task.tokens,
			});
			return decodeRate([[timings.predicted_n, timings.predicted_ms]]);
		}
		if (task.kind === 'prefill') {
			const { timings } = await generate(promptTokens(task.context, ++count), { maxTokens: 1 });
			return timings.prompt_per_second;
		}
		if (task.kind === 'streams') return streams(task);
		if (task.kind === 'edit') return edit();
		if (task.kind === 'turn') {
			const history = promptTokens(2000, ++count);
			if (task.reuse) await generate(history, { maxTokens: 1 });
			const { timings } = await generate([...history, ...promptTokens(20, ++count)], {
				maxTokens: 1,
			});
			return timings.prompt_ms;
		}
		if (task.kind === 'translate') return translate(task.together, 32);
		if (task.kind === 'translateOne') return translate(false, 4);
		throw new Error(`Unknown task ${task.kind}.`);
	};

	/** A grammar dictates the answer, because random weights do not copy: the steps are the same. */
	async function edit(): Promise<number> {
		const letters = (length: number): string =>
			promptTokens(length, ++count)
				.map((token: number) => String.fromCharCode(97 + (token % 26)))
				.join('');
		const lines = Array.from({ length: 8 }, () => letters(24));
		const answer = lines.map((line, index) => (index % 5 === 4 ? letters(24) : line)).join(' ');
		const tokens = [...Buffer.from(`${lines.join(' ')} `)];
		const { timings } = await generate(tokens, {
			constraint: { kind: 'ebnf', grammar: `root ::= "${answer}"` },
			maxTokens: answer.length,
			sampling: { ...sampling, logitBias: {} },
		});
		return timings.predicted_per_second;
	}

	async function translate(together: boolean, length: number): Promise<number> {
		const items = Array.from({ length }, () => ({
			text: String.fromCharCode(
				...promptTokens(24, ++count).map((token: number) => 97 + (token % 26)),
			),
		}));
		const one = (item: { text: string }) =>
			engine.seq2seq({ items: [item], beams: 1, maxTokens: 24, priority: 'interactive' });
		const start = performance.now();
		if (together) await Promise.all(items.map(one));
		else for (const item of items) await one(item);
		return (items.length * 1000) / (performance.now() - start);
	}
});
