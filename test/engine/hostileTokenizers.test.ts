/**
 * Thousands of damaged tokenizers, always the same ones: each is loaded or refused in words, and what is loaded encodes
 * and decodes, or refuses in words, in little time.
 */

import assert from 'node:assert/strict';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { tokenizerFromGguf } from '../../server/engine/build/tokenizer/tokenizerFromGguf.ts';
import { loadTextModel } from '../../server/engine/text/textModel.ts';
import { pieceType } from '../../server/engine/tokenizer/sentencePieceFile.ts';
import { AppError } from '../../server/protocol/index.ts';
import { DamagedBytes, damagedJson } from '../fixtures/damage.ts';
import { spmBytes } from '../fixtures/spmFile.ts';
import { byteTokenizer } from '../fixtures/tokenizerFiles.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { byteLevelGguf } from './build/tokenizer/ggufOf.ts';

const perKind = 400;
const texts = ['', 'ab  b', 'Größe 你好 🚀\n', '▁a</s>b<s>'];

/** Rejects what is neither an answer nor an error with words. */
function attempt(work: () => unknown): boolean {
	try {
		work();
		return true;
	} catch (error) {
		assert.ok(error instanceof AppError, String((error as Error).stack));
		assert.ok(error.message.length < 600, error.message);
		return false;
	}
}

/** Whether the folder's tokenizer was loaded; uses it. */
async function use(folder: string): Promise<boolean> {
	const model = await loadTextModel(folder).catch((error: unknown) => {
		assert.ok(error instanceof AppError, String((error as Error).stack));
		assert.equal(error.code, 'unsupported_model', error.message);
		assert.ok(error.message.length < 600, error.message);
	});
	if (model === undefined) return false;
	for (const text of texts)
		attempt(() => {
			const ids = model.encode(text);
			model.encodeWithOffsets(text);
			model.decode(ids);
			for (const id of ids) model.tokenBytes(id);
		});
	return true;
}

const piece = (text: string, score: number, type = pieceType.normal) => ({ text, score, type });
const pieces = [
	piece('<unk>', 0, pieceType.unknown),
	piece('<s>', 0, pieceType.control),
	piece('</s>', 0, pieceType.control),
	...['<0x61>', '<0xC3>', '<0xB6>'].map((text) => piece(text, 0, pieceType.byte)),
	piece('▁', -3),
	piece('▁a', -2),
	piece('b', -3),
	piece('ab', -5),
	piece('XY', 0, pieceType.userDefined),
];

/** A character map with one entry, `ö` → `o`, of a trie of 1,024 units. */
function charsMap(): Uint8Array {
	const map = new Uint8Array(4 + 4096 + 2);
	new DataView(map.buffer).setUint32(0, 4096, true);
	map.set([0x6f, 0], 4100);
	return map;
}

const pair = (name: string, type_id: number) => ({ [name]: { id: name[0], type_id } });

/** Parts of tokenizer.json of every kind, in one file of each model. */
const models: Readonly<Record<string, unknown>> = {
	BPE: {
		type: 'BPE',
		vocab: { '<unk>': 0, a: 1, b: 2, ab: 3, '▁': 4, '▁ab': 5, '<0x61>': 6 },
		merges: ['a b', ['▁', 'ab']],
		unk_token: '<unk>',
		fuse_unk: true,
		byte_fallback: true,
		continuing_subword_prefix: '',
		end_of_word_suffix: '',
		dropout: null,
	},
	Unigram: {
		type: 'Unigram',
		vocab: pieces.map(({ text, score }) => [text, score]),
		unk_id: 0,
		byte_fallback: true,
	},
	WordPiece: {
		type: 'WordPiece',
		vocab: { '[UNK]': 0, a: 1, '##b': 2, 你: 3 },
		unk_token: '[UNK]',
		continuing_subword_prefix: '##',
		max_input_chars_per_word: 100,
	},
};

const tokenizerOf = (model: unknown) => ({
	version: '1.0',
	added_tokens: [
		{ id: 7, content: '<s>', special: true, normalized: false, lstrip: true, rstrip: true },
		{ id: 8, content: 'XY', special: false, normalized: true, single_word: true },
	],
	normalizer: {
		type: 'Sequence',
		normalizers: [
			{ type: 'NFKC' },
			{ type: 'Replace', pattern: { Regex: ' {2,}' }, content: ' ' },
			{ type: 'Prepend', prepend: '▁' },
			{ type: 'BertNormalizer', lowercase: true, strip_accents: null, clean_text: true },
			{ type: 'Precompiled', precompiled_charsmap: Buffer.from(charsMap()).toString('base64') },
		],
	},
	pre_tokenizer: {
		type: 'Sequence',
		pretokenizers: [
			{ type: 'Split', pattern: { String: '.' }, behavior: 'MergedWithPrevious', invert: false },
			{ type: 'Metaspace', replacement: '▁', prepend_scheme: 'first', split: true },
			{ type: 'Digits', individual_digits: true },
			{ type: 'Punctuation', behavior: 'Isolated' },
		],
	},
	post_processor: {
		type: 'TemplateProcessing',
		single: [pair('SpecialToken', 0), pair('Sequence', 0)],
		pair: [pair('Sequence', 0), pair('Sequence', 1)],
		special_tokens: { S: { id: 'S', ids: [7], tokens: ['<s>'] } },
	},
	decoder: {
		type: 'Sequence',
		decoders: [
			{ type: 'Replace', pattern: { String: '▁' }, content: ' ' },
			{ type: 'ByteFallback' },
			{ type: 'Fuse' },
			{ type: 'Strip', content: ' ', start: 1, stop: 0 },
		],
	},
	model,
});

for (const [kind, model] of Object.entries(models))
	test(`${perKind} damaged files tokenizer.json of ${kind} are used or refused`, async () => {
		const folder = temporaryFolder('tokenizers');
		const path = join(folder, 'tokenizer.json');
		const whole = tokenizerOf(model);
		writeFileSync(path, JSON.stringify(whole));
		assert.ok(await use(folder), 'the file itself');
		const damage = new DamagedBytes(1);
		let used = 0;
		for (let index = 0; index < perKind; index++) {
			writeFileSync(path, JSON.stringify(damagedJson(whole, damage)));
			if (await use(folder)) used++;
		}
		assert.ok(used > perKind / 50 && used < perKind, `${used} used`);
	});

for (const kind of ['unigram', 'bpe'] as const)
	test(`${2 * perKind} damaged files of SentencePiece (${kind}) are used or refused, alone and of Marian`, async () => {
		const folder = temporaryFolder('sentencepiece');
		const file = spmBytes(pieces, { kind, byteFallback: true, charsMap: charsMap() });
		const vocabulary = Object.fromEntries(pieces.map(({ text }, id) => [text, id]));
		const damage = new DamagedBytes(2);
		for (const name of ['tokenizer.model', 'source.spm']) {
			const path = join(folder, name);
			writeFileSync(path, file);
			assert.ok(await use(folder), 'the file itself');
			let used = 0;
			for (let index = 0; index < perKind; index++) {
				writeFileSync(path, damage.damaged(file));
				if (await use(folder)) used++;
			}
			assert.ok(used > perKind / 50 && used < perKind, `${used} used`);
			rmSync(path);
			writeFileSync(join(folder, 'vocab.json'), JSON.stringify(vocabulary));
		}
	});

test(`${perKind} damaged vocabularies of GGUF files are used or refused`, async () => {
	const folder = temporaryFolder('gguf');
	byteTokenizer(folder);
	const json = JSON.parse(readFileSync(join(folder, 'tokenizer.json'), 'utf8'));
	const whole = Object.fromEntries(
		byteLevelGguf(json, { pre: 'gpt-2', more: { bos_token_id: 256 } }),
	);
	const damage = new DamagedBytes(3);
	let used = 0;
	for (let index = 0; index < perKind; index++) {
		const metadata = Object.entries(damagedJson(whole, damage) as typeof whole);
		const made = attempt(() => {
			const { tokenizerJson, tokenizerConfig } = tokenizerFromGguf(new Map(metadata));
			writeFileSync(join(folder, 'tokenizer.json'), JSON.stringify(tokenizerJson));
			writeFileSync(join(folder, 'tokenizer_config.json'), JSON.stringify(tokenizerConfig));
		});
		if (made && (await use(folder))) used++;
	}
	assert.ok(used > perKind / 50 && used < perKind, `${used} used`);
});

test('an id that is none, or far beyond all others, is refused by its token', async () => {
	const folder = temporaryFolder('ids');
	byteTokenizer(folder);
	const made: {
		readonly model: { readonly vocab: Readonly<Record<string, number>> };
	} = JSON.parse(readFileSync(join(folder, 'tokenizer.json'), 'utf8'));
	const load = async (file: object, config: object = {}) => {
		writeFileSync(join(folder, 'tokenizer.json'), JSON.stringify(file));
		writeFileSync(join(folder, 'tokenizer_config.json'), JSON.stringify(config));
		return loadTextModel(folder);
	};
	const content = { content: '<own>', special: true };
	await load(made, { added_tokens_decoder: { 5000: content } });
	const [token = ''] = Object.keys(made.model.vocab);
	for (const id of [1e9, -1, 1.5, '7', null]) {
		const model = { ...made.model, vocab: { ...made.model.vocab, [token]: id } };
		const refusal = { code: 'unsupported_model', message: /gives the token ".*" the id / };
		await assert.rejects(load({ ...made, model }), refusal, String(id));
	}
	for (const id of [1e9, 'x', -1])
		await assert.rejects(load(made, { added_tokens_decoder: { [id]: content } }), {
			message: /gives the token "<own>" the id /,
		});
});
