/** SentencePiece model files without tokenizer.json, and the tokenizers of Marian models. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { loadTextModel } from '../../server/engine/text/textModel.ts';
import { AlignedText } from '../../server/engine/tokenizer/alignedText.ts';
import { CharsMap } from '../../server/engine/tokenizer/charsmap.ts';
import {
	sentencePieceNormalizer,
	sentencePieceTokenizer,
} from '../../server/engine/tokenizer/sentencePiece.ts';
import {
	pieceType,
	readSentencePieceFile,
	type SentencePieceFile,
} from '../../server/engine/tokenizer/sentencePieceFile.ts';
import { readTokenizer } from '../../server/engine/tokenizer/tokenizer.ts';
import { sharedFolder } from '../support/sharedData.ts';

const models = sharedFolder('models-tiny');
const tokenizers = sharedFolder('tokenizers');

function file(extra: Partial<SentencePieceFile> = {}): SentencePieceFile {
	const piece = (text: string, score: number, type = pieceType.normal) => ({ text, score, type });
	return {
		pieces: [
			piece('<unk>', 0, pieceType.unknown),
			piece('<s>', 0, pieceType.control),
			piece('</s>', 0, pieceType.control),
			piece('▁', -3),
			piece('▁a', -2),
			piece('b', -3),
			piece('ab', -5),
			piece('XY', 0, pieceType.userDefined),
			piece('▁ab', -4),
			piece('a', -20),
		],
		kind: 'unigram',
		byteFallback: false,
		charsMap: new Uint8Array(),
		addDummyPrefix: true,
		removeExtraWhitespaces: true,
		...extra,
	};
}

describe('SentencePiece files', () => {
	it('unigram: the best segmentation, unknown runs joined, user symbols whole', () => {
		const tokenizer = sentencePieceTokenizer(file());
		const pieces = (text: string) => tokenizer.encode(text, false).map((id) => tokenizer.token(id));
		assert.deepEqual(pieces('ab'), ['▁ab']);
		assert.deepEqual(pieces('  ab   b '), ['▁ab', '▁', 'b']);
		assert.deepEqual(pieces('aqqXYb'), ['▁a', '<unk>', 'XY', 'b']);
		assert.deepEqual(tokenizer.encode('ab', true), [1, 8]);
		assert.equal(tokenizer.decode([1, 8, 3, 5], true), 'ab b');
		assert.deepEqual(tokenizer.encodeWithOffsets('  ab   b ').offsets, [
			[2, 4],
			[4, 5],
			[7, 8],
		]);
	});

	it('BPE: the best score merges first, even when another merge would reach further', () => {
		const tokenizer = sentencePieceTokenizer(file({ kind: 'bpe' }));
		const pieces = (text: string) => tokenizer.encode(text, false).map((id) => tokenizer.token(id));
		assert.deepEqual(pieces('ab'), ['▁ab']);
		assert.deepEqual(pieces('bab'), ['▁', 'b', 'ab']);
		assert.deepEqual(pieces('a?!b'), ['▁a', '<unk>', 'b']);
	});

	it('spaces are kept where the file says so', () => {
		const normalize = sentencePieceNormalizer(
			file({ removeExtraWhitespaces: false, addDummyPrefix: false }),
		);
		assert.equal(normalize(new AlignedText(' a  b', false)).text, '▁a▁▁b');
	});

	it('a character map that says to be longer than it is is refused before memory is taken for it', () => {
		const charsMap = new Uint8Array(64);
		for (const trieBytes of [61, 2 ** 31 - 4, 2 ** 32 - 1]) {
			new DataView(charsMap.buffer).setUint32(0, trieBytes, true);
			assert.throws(() => sentencePieceTokenizer(file({ charsMap })), {
				code: 'unsupported_model',
				message: /character map .* is cut off/,
			});
		}
	});

	it('bytes that are no model are refused in words', () => {
		assert.throws(() => readSentencePieceFile(Buffer.from('not a model')), /SentencePiece model/);
		assert.throws(() => readSentencePieceFile(new Uint8Array()), /SentencePiece model/);
	});

	it('tokenizer.model alone gives the ids of tokenizer.json', { skip: models.skip }, () => {
		const texts = readFileSync(join(tokenizers.path, 'ggml-vocab-phi-3.inp'), 'utf8').split(
			'\n__ggml_vocab_test__\n',
		);
		for (const folder of ['gemma2-tjs', 'phi3-tjs']) {
			const path = join(models.path, folder);
			const own = sentencePieceTokenizer(
				readSentencePieceFile(readFileSync(join(path, 'tokenizer.model'))),
			);
			const other = readTokenizer(
				JSON.parse(readFileSync(join(path, 'tokenizer.json'), 'utf8')),
				{},
			);
			for (const text of texts) {
				assert.deepEqual(
					own.encode(text, false),
					other.encode(text, false),
					`${folder}: ${JSON.stringify(text)}`,
				);
			}
		}
	});

	it('real models of 32,000 pieces load and come back to the text', {
		skip: tokenizers.skip,
	}, () => {
		for (const name of [
			'mistral/tokenizer.model.v1',
			'mistral/mistral_instruct_tokenizer_240323.model.v3',
		]) {
			const tokenizer = sentencePieceTokenizer(
				readSentencePieceFile(readFileSync(join(tokenizers.path, name))),
			);
			for (const text of ['Größe 你好 🚀\n\tx', 'The quick brown fox', 'a  b ']) {
				assert.equal(tokenizer.decode(tokenizer.encode(text, true), true), text, name);
			}
		}
	});
});

describe('character maps', () => {
	it('the nmt_nfkc map composes, folds widths and keeps places', { skip: models.skip }, () => {
		const json = JSON.parse(
			readFileSync(join(models.path, 'm2m100-tjs', 'tokenizer.json'), 'utf8'),
		);
		const map = new CharsMap(
			Buffer.from(json.normalizer.normalizers[0].precompiled_charsmap, 'base64'),
		);
		const source = 'Ａﬁ\u2003e\u0301…';
		const graphemes = map.normalizeGraphemes(new AlignedText(source, true));
		const longest = map.normalizeLongest(new AlignedText(source, true));
		assert.equal(graphemes.text, 'Afi é...');
		assert.equal(longest.text, 'Afi é...');
		assert.deepEqual(longest.span(1, 3), [1, 2]);
		assert.deepEqual(longest.span(4, 5), [3, 5]);
		assert.deepEqual(longest.span(5, 8), [5, 6]);
	});
});

describe('Marian', { skip: models.skip }, () => {
	it('source and target sides use their own models and the joint ids', async () => {
		const folder = join(models.path, 'marian-tjs');
		const text = await loadTextModel(folder);
		const { cases } = JSON.parse(readFileSync(join(folder, 'reference.json'), 'utf8'));
		for (const item of cases) {
			assert.deepEqual(text.encode(item.source), item.ids);
			assert.equal(text.decode(item.pytorch_fp32.greedy_ids), item.pytorch_fp32.greedy_text);
			const { ids, offsets } = text.encodeWithOffsets(item.source);
			assert.deepEqual(ids, item.ids);
			assert.equal(offsets.map(([from, to]) => item.source.slice(from, to)).join(''), item.source);
		}
	});
});
