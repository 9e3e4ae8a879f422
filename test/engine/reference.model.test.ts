/**
 * Every folder of the reference models through the engine: template text, ids, logits, greedy text, beams
 * and attention against what the reference implementation computed.
 */

import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, it } from 'node:test';
import type { EngineModel, ModelDescription, ModelVariant } from '../../server/engine/api.ts';
import { loadEngine } from '../../server/engine/engine.ts';
import { describeModel } from '../../server/engine/modelFiles/describe.ts';
import { loadTextModel } from '../../server/engine/text/textModel.ts';
import { greedy } from '../fixtures/greedy.ts';
import { sharedFolder } from '../support/sharedData.ts';
import { refused, whileRewrites } from './rewrites.ts';

const models = sharedFolder('models-tiny');
const folders = models.skip === false ? readdirSync(models.path).sort() : [];

interface Top {
	readonly ids: readonly number[];
	readonly logits: readonly number[];
}

interface Prompt {
	readonly name: string;
	readonly ids: readonly number[];
	readonly prompt?: string;
	readonly messages?: readonly { role: 'user'; content: string }[];
	readonly rendered?: string;
	readonly template_kwargs?: Readonly<Record<string, unknown>>;
	readonly pytorch_fp32: { readonly prefill_last: Top; readonly greedy_ids: readonly number[] };
}

interface FileChecks {
	readonly greedy_ids: readonly number[];
	readonly greedy_equals_pytorch?: boolean;
	readonly min_top1_top2_margin?: number;
	readonly prefill_last_top5: Top;
}

interface DecoderReference {
	readonly prompts?: readonly Prompt[];
	readonly files: Readonly<Record<string, { checks?: Readonly<Record<string, FileChecks>> }>>;
	readonly from_bos_200?: { prompt_ids: number[]; pytorch_ids: number[] };
}

interface BeamSearch {
	readonly num_beams: number;
	readonly length_penalty: number;
	readonly sequences: readonly (readonly number[])[];
	readonly sequences_scores: readonly number[];
	readonly texts: readonly string[];
}

interface TranslationCase {
	readonly name: string;
	readonly source: string;
	readonly source_lang: string;
	readonly target_lang: string;
	readonly ids: readonly number[];
	readonly hf_generate_greedy: readonly number[];
	readonly forced_bos_token_id?: number;
	readonly pytorch_fp32: { readonly greedy_ids: readonly number[]; greedy_text: string };
	readonly beam_search: Readonly<Record<string, BeamSearch>>;
	readonly cross_attention: { mean_over_heads: number[][][] } | null;
}

function reference<T>(folder: string): T | undefined {
	const file = join(models.path, folder, 'reference.json');
	return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as T) : undefined;
}

async function generate(
	engine: EngineModel,
	ids: readonly number[],
	options: { maxTokens: number; topLogprobs?: number },
) {
	// The reference run ignores end tokens, so they must not win here either way: compare up to the first.
	return engine.generate(
		{
			prompt: { kind: 'tokens', tokens: ids },
			owner: 'local',
			sampling: greedy,
			maxTokens: options.maxTokens,
			stop: [],
			n: 1,
			priority: 'interactive',
			...(options.topLogprobs === undefined ? {} : { topLogprobs: options.topLogprobs }),
		},
		() => undefined,
	);
}

/** Ids up to the first end token: there the engine stops and the reference goes on. */
function untilEnd(ids: readonly number[], ends: readonly number[]): number[] {
	const at = ids.findIndex((id) => ends.includes(id));
	return at < 0 ? [...ids] : ids.slice(0, at);
}

/** Differences of log-probabilities are differences of logits. */
function checkLogits(
	actual: readonly { tokenId: number; logprob: number }[],
	expected: Top,
	tolerance: number,
	where: string,
): void {
	const found = new Map(actual.map((entry) => [entry.tokenId, entry.logprob]));
	const first = expected.ids[0] as number;
	const base = found.get(first);
	assert.ok(base !== undefined, `${where}: the best token ${first} is not among the best here`);
	const scale = Math.max(...expected.logits.map(Math.abs));
	for (const [index, id] of expected.ids.slice(0, 5).entries()) {
		const logprob = found.get(id);
		if (logprob === undefined) continue;
		const wanted = (expected.logits[index] as number) - (expected.logits[0] as number);
		const error = Math.abs(logprob - base - wanted);
		assert.ok(error <= tolerance * scale, `${where}: logit of ${id} is off by ${error}`);
	}
}

async function checkDecoder(description: ModelDescription, variant: ModelVariant) {
	const folder = basename(description.folder);
	const expected = reference<DecoderReference>(folder) as DecoderReference;
	const file = basename(variant.files.model ?? '');
	const checks = expected.files[file]?.checks ?? {};
	const load = () =>
		loadEngine({
			folder: description.folder,
			precision: variant.precision,
			threads: 1,
			...(variant.label === undefined ? {} : { label: variant.label }),
		});
	// The reference of dynamic int8 has one scale for all rows, as published.
	const engine = await (variant.precision === 'q8' ? whileRewrites(false, refused, load) : load());
	try {
		for (const prompt of expected.prompts ?? []) {
			const where = `${folder}/${file} ${prompt.name}`;
			const result = await generate(engine, prompt.ids, { maxTokens: 32, topLogprobs: 20 });
			const choice = result.choices[0];
			const own = checks[prompt.name];
			const wanted = own?.greedy_ids ?? prompt.pytorch_fp32.greedy_ids;
			assert.deepEqual(choice?.tokenIds, untilEnd(wanted, description.eosTokenIds), where);
			const top = choice?.logprobs?.[0]?.top ?? [];
			const first = choice?.tokenIds.length === 0 ? undefined : top;
			if (first === undefined) continue;
			if (variant.precision === 'fp32') {
				checkLogits(first, prompt.pytorch_fp32.prefill_last, 1e-4, where);
			} else if (own !== undefined) checkLogits(first, own.prefill_last_top5, 0.02, where);
		}
		if (expected.from_bos_200 !== undefined && variant.precision === 'fp32') {
			const { prompt_ids, pytorch_ids } = expected.from_bos_200;
			const result = await generate(engine, prompt_ids, { maxTokens: 200 });
			assert.deepEqual(result.choices[0]?.tokenIds, untilEnd(pytorch_ids, description.eosTokenIds));
		}
	} finally {
		await engine.close();
	}
}

const isDecoder = (folder: string) => reference<DecoderReference>(folder)?.prompts !== undefined;

describe('prompts of the reference models', { skip: models.skip }, () => {
	it('templates render the reference text and give the reference ids', async () => {
		let chats = 0;
		for (const folder of folders.filter(isDecoder)) {
			const text = await loadTextModel(join(models.path, folder));
			for (const prompt of reference<DecoderReference>(folder)?.prompts ?? []) {
				const where = `${folder} ${prompt.name}`;
				if (prompt.messages === undefined) {
					const ids = text.promptTokens({ kind: 'text', text: prompt.prompt ?? '' });
					if (prompt.prompt !== undefined) assert.deepEqual(ids, prompt.ids, where);
					continue;
				}
				const chat = {
					kind: 'chat' as const,
					messages: prompt.messages,
					templateVariables: prompt.template_kwargs ?? {},
				};
				assert.equal(text.renderChat(chat), prompt.rendered, where);
				assert.deepEqual(text.promptTokens(chat), prompt.ids, where);
				chats++;
			}
		}
		assert.ok(chats > 50, `${chats} chats`);
	});
});

describe('decoders against the reference', { skip: models.skip }, () => {
	for (const folder of folders.filter(isDecoder)) {
		it(`${folder}: every file gives the reference's logits and 32 greedy tokens`, async () => {
			const description = await describeModel(join(models.path, folder));
			assert.deepEqual(description.problems, []);
			for (const variant of description.variants) await checkDecoder(description, variant);
		});
	}
});

const translators = folders.filter((folder) => /^(marian|m2m100)/.test(folder));

function translation(item: TranslationCase, beams: number, extra: Record<string, unknown> = {}) {
	const languages =
		item.forced_bos_token_id === undefined
			? {}
			: { sourceLanguage: item.source_lang, targetLanguage: item.target_lang };
	return {
		items: [{ text: item.source, ...languages }],
		beams,
		maxTokens: 40,
		priority: 'interactive' as const,
		...extra,
	};
}

describe('translators against the reference', { skip: models.skip }, () => {
	for (const folder of translators) {
		it(`${folder}: greedy and beams of every file are the reference's`, async () => {
			const { cases, checks } = reference<{
				cases: TranslationCase[];
				checks: Record<string, Record<string, { greedy_ids: number[] }>>;
			}>(folder) as never as {
				cases: TranslationCase[];
				checks: Record<string, Record<string, { greedy_ids: number[] }>>;
			};
			const description = await describeModel(join(models.path, folder));
			for (const variant of description.variants) {
				const engine = await loadEngine({
					folder: description.folder,
					precision: variant.precision,
					threads: 1,
					...(variant.label === undefined ? {} : { label: variant.label }),
				});
				const files = [variant.files.encoder, variant.files['decoder-merged']];
				const key = files.map((file) => basename(file ?? '', '.onnx')).join('+');
				try {
					for (const item of cases) {
						const where = `${folder} ${key} ${item.name}`;
						const own = checks[key]?.[item.name]?.greedy_ids ?? item.pytorch_fp32.greedy_ids;
						const { outputs } = await engine.seq2seq(translation(item, 1));
						const ends = description.eosTokenIds;
						assert.deepEqual(
							untilEnd(outputs[0]?.tokenIds ?? [], ends),
							untilEnd(own, ends),
							where,
						);
						if (variant.precision === 'fp32') await checkBeams(engine, item, ends, where);
					}
				} finally {
					await engine.close();
				}
			}
		});
	}

	it('cross-attention is the reference average, and places follow it', async () => {
		const folder = join(models.path, 'marian-tjs');
		const item = reference<{ cases: TranslationCase[] }>('marian-tjs')?.cases[0] as TranslationCase;
		const engine = await loadEngine({ folder, precision: 'fp32', label: 'attn', threads: 1 });
		try {
			const { outputs } = await engine.seq2seq(translation(item, 1, { alignment: true }));
			const output = outputs[0];
			assert.ok(output?.attention !== undefined && output.targetSpans !== undefined);
			const pieces = output.sourceSpans?.length ?? 0;
			// Tokens that add no text have no row; a token's row is the one of the step that reads it, over
			// the source pieces without the end token.
			const text = await loadTextModel(folder);
			const lengths = output.tokenIds.map(
				(_, at) => text.decode(output.tokenIds.slice(0, at + 1)).length,
			);
			const steps = lengths.flatMap((length, at) =>
				length > (lengths[at - 1] ?? 0) ? [at + 1] : [],
			);
			assert.equal(steps.length, output.targetSpans.length);
			const layer = item.cross_attention?.mean_over_heads[0] ?? [];
			let compared = 0;
			for (const [row, step] of steps.entries()) {
				const weights = (layer[step] ?? []).slice(0, pieces);
				const sum = weights.reduce((total, value) => total + value, 0);
				for (const [column, weight] of weights.entries()) {
					const own = output.attention[row * pieces + column] as number;
					assert.ok(Math.abs(own - weight / sum) < 1e-3, `row ${row}, column ${column}: ${own}`);
					compared++;
				}
			}
			assert.ok(compared > 200, `${compared} weights`);
			const words = output.targetSpans.map(([from, to]) => output.text.slice(from, to)).join('');
			assert.equal(words, output.text);
		} finally {
			await engine.close();
		}
	});
});

async function checkBeams(
	engine: EngineModel,
	item: TranslationCase,
	ends: readonly number[],
	where: string,
): Promise<void> {
	for (const [name, search] of Object.entries(item.beam_search)) {
		const { outputs } = await engine.seq2seq(
			translation(item, search.num_beams, {
				lengthPenalty: search.length_penalty,
				alternatives: search.num_beams - 1,
			}),
		);
		const prefix = item.forced_bos_token_id === undefined ? 1 : 2;
		const best = (search.sequences[0] as readonly number[]).slice(prefix);
		const found = untilEnd(outputs[0]?.tokenIds ?? [], ends);
		assert.deepEqual(found, untilEnd(best, ends), `${where} ${name}`);
	}
}
