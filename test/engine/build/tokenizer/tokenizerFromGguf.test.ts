/** Tokenizers made of GGUF metadata against those that were published with the same models. */

import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import type { MetadataValue } from '../../../../server/engine/build/sources/tensorSource.ts';
import { preTokenizerRules } from '../../../../server/engine/build/tokenizer/preTokenizerTable.ts';
import { tokenizerFromGguf } from '../../../../server/engine/build/tokenizer/tokenizerFromGguf.ts';
import { sentencePieceTokenizer } from '../../../../server/engine/tokenizer/sentencePiece.ts';
import { readSentencePieceFile } from '../../../../server/engine/tokenizer/sentencePieceFile.ts';
import { readTokenizer, type Tokenizer } from '../../../../server/engine/tokenizer/tokenizer.ts';
import { sharedFolder } from '../../../support/sharedData.ts';
import { byteLevelGguf, llamaGguf, piecesGguf, unigramGguf, wordPieceGguf } from './ggufOf.ts';

type Json = Record<string, unknown>;

const data = sharedFolder('tokenizers');
const models = sharedFolder('models-tiny');

function json(...path: string[]): Json {
	const file = join(...path);
	return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
}

function published(folder: string): { file: Json; tokenizer: Tokenizer } {
	const file = json(folder, 'tokenizer.json');
	return { file, tokenizer: readTokenizer(file, json(folder, 'tokenizer_config.json')) };
}

/** As it will be read again: written to a file in between. */
function made(metadata: ReadonlyMap<string, MetadataValue>): Tokenizer {
	const { tokenizerJson, tokenizerConfig } = tokenizerFromGguf(metadata);
	return readTokenizer(
		JSON.parse(JSON.stringify(tokenizerJson)),
		JSON.parse(JSON.stringify(tokenizerConfig)),
	);
}

function texts(): string[] {
	const file = readFileSync(join(data.path, 'ggml-vocab-gpt-2.inp'), 'utf8');
	return file.split('\n__ggml_vocab_test__\n');
}

function expectedIds(name: string): number[][] {
	return readFileSync(join(data.path, `ggml-vocab-${name}.out`), 'utf8')
		.split('\n')
		.slice(0, 47)
		.map((line) => (line.trim() === '' ? [] : line.trim().split(/\s+/).map(Number)));
}

/** Ids with and without what is around a text, and the texts that come back. */
function assertSame(own: Tokenizer, other: Tokenizer, more: readonly string[] = []): void {
	const all = [...texts(), ...more];
	assert.ok(all.length >= 47);
	for (const text of all) {
		const where = JSON.stringify(text);
		const ids = other.encode(text, true);
		assert.deepEqual(own.encode(text, true), ids, where);
		assert.equal(own.decode(ids, true), other.decode(ids, true), where);
		assert.equal(own.decode(ids, false), other.decode(ids, false), where);
	}
	assert.equal(own.vocabularySize, other.vocabularySize);
	assert.deepEqual([...own.specialIds].sort(), [...other.specialIds].sort());
}

const turns = [
	'<|im_start|>user\nHi <|im_end|>\n',
	'<s>[INST] a [/INST]</s>',
	'x<|end|> y<|user|>z',
];

describe('tokenizers of GGUF files equal the published ones on all 47 texts', () => {
	it('GPT-2', { skip: data.skip }, () => {
		const { file, tokenizer } = published(join(data.path, 'gpt2'));
		const own = made(byteLevelGguf(file, { pre: 'gpt-2' }));
		assertSame(own, tokenizer, turns);
		const plain = { ...file, added_tokens: (file.added_tokens as { id: number }[]).slice(0, 1) };
		const ids = expectedIds('gpt-2');
		const ofLlamaCpp = made(byteLevelGguf(plain, { pre: 'gpt-2' }));
		for (const [index, text] of texts().entries())
			assert.deepEqual(ofLlamaCpp.encode(text, false), ids[index], JSON.stringify(text));
	});

	it('RoBERTa', { skip: data.skip }, () => {
		const { file, tokenizer } = published(join(data.path, 'roberta-base'));
		const more = {
			add_bos_token: true,
			add_eos_token: true,
			bos_token_id: 0,
			eos_token_id: 2,
		};
		assertSame(made(byteLevelGguf(file, { pre: 'roberta-bpe', more })), tokenizer);
	});

	it('Llama 2 and Phi-3, with the merges of the file', { skip: data.skip }, () => {
		for (const name of ['llama2', 'phi-3']) {
			const { file, tokenizer } = published(join(data.path, name));
			const metadata = llamaGguf(file, { bos_token_id: 1, add_bos_token: name === 'llama2' });
			// The file of Llama 2 looks for its special tokens behind a space only.
			assertSame(made(metadata), tokenizer, name === 'llama2' ? [] : turns);
			const { model } = tokenizerFromGguf(metadata).tokenizerJson as { model: Json };
			const merges = (model.merges as string[][]).map((pair) => pair.join(' '));
			const known = new Set((file.model as { merges: string[] }).merges);
			assert.deepEqual(
				merges.filter((merge) => !known.has(merge)),
				[],
			);
			assert.equal(merges.length, known.size);
		}
	});

	it('Mistral, from its SentencePiece models', { skip: data.skip }, () => {
		for (const name of ['tokenizer.model.v1', 'mistral_instruct_tokenizer_240323.model.v3']) {
			const file = readSentencePieceFile(readFileSync(join(data.path, 'mistral', name)));
			const own = made(piecesGguf(file));
			const other = sentencePieceTokenizer(file);
			for (const text of texts())
				assert.deepEqual(own.encode(text, true), other.encode(text, true), JSON.stringify(text));
		}
	});

	it('T5', { skip: data.skip }, () => {
		const { file, tokenizer } = published(join(data.path, 't5-small'));
		assertSame(made(unigramGguf(file)), tokenizer, ['<extra_id_0> Größe', 'ﬁ  e\u0301 ']);
	});

	it('Qwen 2 and 3, Llama 3, Gemma 2, BERT as they are exported', { skip: models.skip }, () => {
		const bos = (id: number) => ({ bos_token_id: id, add_bos_token: true });
		const cases: [string, (file: Json) => Map<string, MetadataValue>][] = [
			[
				'qwen2-tjs',
				(file) => byteLevelGguf(file, { pre: 'qwen2', more: { add_bos_token: false } }),
			],
			['qwen3-tjs', (file) => byteLevelGguf(file, { pre: 'qwen2' })],
			['llama3-tjs', (file) => byteLevelGguf(file, { pre: 'llama-bpe', more: bos(1000) })],
			[
				'gemma2-tjs',
				(file) => {
					const bytes = readFileSync(join(models.path, 'gemma2-tjs', 'tokenizer.model'));
					const more = { bos_token_id: 2, eos_token_id: 1, unknown_token_id: 3 };
					return piecesGguf(readSentencePieceFile(bytes), more, file);
				},
			],
			['bert-tjs', (file) => wordPieceGguf(file)],
		];
		for (const [name, metadata] of cases) {
			const { file, tokenizer } = published(join(models.path, name));
			assertSame(made(metadata(file)), tokenizer, turns);
		}
	});
});

/** A vocabulary of three letters. */
function small(more: Record<string, MetadataValue> = {}): Map<string, MetadataValue> {
	const file: Json = {
		model: { vocab: { a: 0, b: 1, ab: 2, A: 3 }, merges: [['a', 'b']] },
		added_tokens: [
			{ id: 4, content: '<|im_end|>', special: true },
			{ id: 5, content: '<think>', special: false },
		],
	};
	return byteLevelGguf(file, { pre: 'gpt-2', more });
}

function fault(metadata: ReadonlyMap<string, MetadataValue>): string {
	try {
		tokenizerFromGguf(metadata);
	} catch (error) {
		assert.equal((error as { code: string }).code, 'unsupported_model');
		return (error as Error).message;
	}
	return 'none';
}

describe('what a GGUF file says of its tokenizer', () => {
	it('every pre-tokenizer of the table builds and cuts', () => {
		for (const name of preTokenizerRules.keys()) {
			const tokenizer = made(small({ pre: name, add_bos_token: false }));
			assert.deepEqual(tokenizer.encode('ab', true), [2], name);
		}
		assert.ok(preTokenizerRules.size > 60);
	});

	it('names that are not known are refused by name', () => {
		assert.match(fault(small({ pre: 'kimi-k9' })), /pre-tokenizer "kimi-k9"/);
		assert.match(fault(small({ pre: 'default' })), /tokenizer\.ggml\.pre/);
		assert.match(fault(small({ model: 'rwkv' })), /kind "rwkv"/);
		assert.match(fault(small({ model: 'toString' })), /kind "toString"/);
		assert.match(fault(new Map()), /no tokenizer/);
	});

	it('counts and ids that contradict each other are refused', () => {
		assert.match(fault(small({ token_type: [1] })), /1 entries for 6 tokens/);
		assert.match(fault(small({ eos_token_id: 6 })), /eos_token_id is 6/);
		assert.match(fault(small({ tokens: ['a', 'a', 'b', 'c', 'd', 'e'] })), /0 and 1 have one text/);
		assert.match(fault(small({ tokens: [1] })), /something else than texts/);
		assert.match(fault(small({ merges: ['ab'] })), /something else than pairs/);
		assert.match(fault(small({ add_bos_token: true })), /bos token around texts/);
		assert.match(fault(small({ add_bos_token: 'yes' })), /neither true nor false/);
	});

	it('what is around texts, ends answers and renders chats comes from the file', () => {
		const { tokenizerConfig, generationConfig, chatTemplates, tokenizerJson } = tokenizerFromGguf(
			small({
				bos_token_id: 4,
				eos_token_id: 3,
				add_bos_token: true,
				'general.architecture': 'llama',
				'llama.context_length': 512,
				'tokenizer.chat_template': 'plain',
				'tokenizer.chat_templates': ['tool_use', 'absent'],
				'tokenizer.chat_template.tool_use': 'tools',
			}),
		);
		assert.deepEqual([...chatTemplates.keys()], ['default', 'tool_use']);
		assert.deepEqual(tokenizerConfig['chat_template'], [
			{ name: 'default', template: 'plain' },
			{ name: 'tool_use', template: 'tools' },
		]);
		assert.equal(tokenizerConfig['model_max_length'], 512);
		assert.equal(tokenizerConfig['eos_token'], 'A');
		assert.deepEqual(generationConfig, { bos_token_id: 4, eos_token_id: [3, 4] });
		const tokenizer = readTokenizer(tokenizerJson, tokenizerConfig);
		assert.deepEqual(tokenizer.encode('ab<think>', true), [4, 2, 5]);
		assert.deepEqual([...tokenizer.specialIds], [4]);
	});

	it('how answers are drawn comes from the file, where it makes sense', () => {
		const drawn = (more: object) => {
			const { generationConfig } = tokenizerFromGguf(small({ eos_token_id: 3, ...more }));
			const { eos_token_id: _, ...rest } = generationConfig;
			return rest;
		};
		assert.deepEqual(drawn({}), {});
		assert.deepEqual(
			drawn({
				'general.sampling.temp': 0.5,
				'general.sampling.top_k': 20,
				'general.sampling.top_p': 0.75,
				'general.sampling.min_p': 0,
				'general.sampling.penalty_repeat': 1.25,
				'general.sampling.mirostat': 2,
			}),
			{
				do_sample: true,
				temperature: 0.5,
				top_k: 20,
				top_p: 0.75,
				min_p: 0,
				repetition_penalty: 1.25,
			},
		);
		assert.deepEqual(drawn({ 'general.sampling.temp': 0 }), { temperature: 0 });
		const broken = { 'general.sampling.temp': '1', 'general.sampling.top_p': 0 };
		assert.deepEqual(drawn({ ...broken, 'general.sampling.penalty_repeat': Number.NaN }), {});
	});

	it('what ends a turn is known by its text, whatever type a converter gave it', () => {
		for (const type of [1, 3, 4, 5]) {
			const { generationConfig, tokenizerConfig, tokenizerJson } = tokenizerFromGguf(
				small({
					tokens: ['a', 'b', 'ab', 'A', '<end_of_turn>', '<think>'],
					token_type: [1, 1, 1, 1, type, 4],
					eos_token_id: 3,
				}),
			);
			assert.deepEqual(generationConfig['eos_token_id'], [3, 4], `type ${type}`);
			const tokenizer = readTokenizer(tokenizerJson, tokenizerConfig);
			assert.deepEqual([...tokenizer.specialIds], [4]);
			assert.deepEqual(tokenizer.encode('ab<end_of_turn>', false), [2, 4]);
		}
	});

	it('one template without a name is written plainly', () => {
		const { tokenizerConfig } = tokenizerFromGguf(small({ 'tokenizer.chat_template': 'x' }));
		assert.equal(tokenizerConfig['chat_template'], 'x');
	});

	it('a WordPiece vocabulary with capitals keeps them', () => {
		const cased = (text: string) =>
			wordPieceGguf({
				model: { vocab: { '[CLS]': 0, '[SEP]': 1, '[UNK]': 2, [text]: 3, '##s': 4 } },
				added_tokens: [0, 1, 2].map((id) => ({ id, content: '', special: true })),
			});
		assert.deepEqual(made(cased('Cat')).encode('Cats', true), [0, 3, 4, 1]);
		assert.deepEqual(made(cased('cat')).encode('Cats', true), [0, 3, 4, 1]);
	});
});
