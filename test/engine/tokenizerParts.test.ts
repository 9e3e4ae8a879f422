/** Parts of tokenizers, without any data: patterns, normalizers, alignment, time. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { AlignedText } from '../../server/engine/tokenizer/alignedText.ts';
import { Bpe } from '../../server/engine/tokenizer/bpe.ts';
import { buildNormalizer } from '../../server/engine/tokenizer/normalizers.ts';
import { buildPreTokenizer } from '../../server/engine/tokenizer/preTokenizers.ts';
import { compilePattern } from '../../server/engine/tokenizer/regex.ts';
import { readTokenizer } from '../../server/engine/tokenizer/tokenizer.ts';
import { Vocabulary } from '../../server/engine/tokenizer/tokenizerModel.ts';
import { Unigram } from '../../server/engine/tokenizer/unigram.ts';

const all = (pattern: string, text: string) =>
	[...text.matchAll(compilePattern(pattern))].map((match) => match[0]);

describe('patterns of tokenizer files', () => {
	it('white space is Unicode white space: NEL belongs to it, the byte order mark does not', () => {
		assert.deepEqual(all('\\s+', 'a\u0085b\ufeffc\u3000'), ['\u0085', '\u3000']);
		assert.deepEqual(all('[^\\s\\p{L}]+', 'a\ufeff b'), ['\ufeff']);
	});

	it('case is ignored only inside its group, as far as Unicode folds', () => {
		assert.deepEqual(all("(?i:'s|'t)|S", "'S 'ſ 's S s"), ["'S", "'ſ", "'s", 'S']);
	});

	it('possessive quantifiers and atomic groups give nothing back', () => {
		assert.deepEqual(all('a++a|b', 'aaab'), ['b']);
		assert.deepEqual(all('(?>a+)a|b', 'aab'), ['b']);
		assert.deepEqual(all('[^\\r\\n\\p{L}\\p{N}]?+\\p{L}++|\\p{N}{1,3}', ' ab12345'), [
			' ab',
			'123',
			'45',
		]);
	});

	it('a plus after a counted repetition repeats it', () => {
		assert.deepEqual(all('\\p{N}{1,3}+', 'a12345b'), ['12345']);
	});

	it('scripts, hexadecimal characters, anchors and escaped marks', () => {
		assert.deepEqual(all('\\p{Han}+|\\x{41}|\\u0042', '你好AB'), ['你好', 'A', 'B']);
		assert.deepEqual(all("\\A\\'|[\\-\\ ]\\z", "' -"), ["'", '-']);
	});

	it('a pattern that cannot be read names itself', () => {
		assert.throws(() => compilePattern('a(?<'), /a\(\?</);
		assert.throws(() => compilePattern('\\p{Nonsense}'), /\\p\{Nonsense\}/);
	});

	it('classes in classes and lines', () => {
		assert.deepEqual(all('[^(\\s|[.,])]+|[a-f&&[^b]]', 'ab, cd.'), ['ab', 'cd']);
		assert.deepEqual(all('[a-f&&[^b]]', 'abz'), ['a']);
		assert.deepEqual(all('^a|b$', 'a\na b\nb'), ['a', 'a', 'b', 'b']);
	});
});

describe('alignment', () => {
	it('every normalizer keeps the places of what it changes', () => {
		const normalize = buildNormalizer({
			type: 'Sequence',
			normalizers: [
				{ type: 'Prepend', prepend: '▁' },
				{ type: 'NFKC' },
				{ type: 'Replace', pattern: { Regex: ' {2,}' }, content: ' ' },
				{ type: 'Lowercase' },
				{ type: 'StripAccents' },
			],
		});
		const source = 'ﬁN   É𝒳';
		const result = normalize(new AlignedText(source, true));
		assert.equal(result.text, '▁fin éx'.normalize('NFKC'));
		const spans = [...result.text].map((_, index) => result.span(index, index + 1));
		assert.deepEqual(spans, [
			[0, 0],
			[0, 1],
			[0, 1],
			[1, 2],
			[2, 5],
			[5, 6],
			[6, 8],
		]);
	});

	it('pieces of a cut keep their places', () => {
		const cut = buildPreTokenizer({
			type: 'Sequence',
			pretokenizers: [{ type: 'WhitespaceSplit' }, { type: 'Metaspace', replacement: '▁' }],
		});
		const pieces = cut(new AlignedText('ab  cd', true), true);
		assert.deepEqual(
			pieces.map((piece) => [piece.text, piece.span(0, piece.text.length)]),
			[
				['▁ab', [0, 2]],
				['▁cd', [4, 6]],
			],
		);
	});
});

describe('time of very long inputs', () => {
	// Work is counted instead of timed: look-ups of pairs must grow in step with the text.
	it('byte-pair encoding looks up pairs in proportion to the text', () => {
		const tokens = ['a', 'aa', 'aaaa', 'aaaaaaaa'];
		const vocabulary = new Vocabulary(tokens.map((token, id) => [token, id] as const));
		const count = (length: number): number => {
			let lookUps = 0;
			const bpe = new Bpe(vocabulary, (left, right) => {
				lookUps++;
				return left === right && left < 3 ? { rank: left, id: left + 1 } : undefined;
			});
			assert.equal(bpe.encode('a'.repeat(length)).length, length / 8);
			return lookUps;
		};
		const [small, large] = [count(4096), count(65_536)];
		assert.ok(large < small * 18, `${small} look-ups for 4,096 characters, ${large} for 65,536`);
	});

	it('unigram segmentation of one long word gives the best pieces', () => {
		const unigram = new Unigram(
			[
				['<unk>', 0],
				['a', -3],
				['aaaa', -4],
				['b', -2],
			],
			{ unknownId: 0, byteFallback: false, singlePrecision: false },
		);
		assert.equal(unigram.encode('a'.repeat(40_000)).length, 10_000);
		const ends: number[] = [];
		assert.deepEqual(unigram.encode('aaaab??b', ends), [2, 3, 0, 3]);
		assert.deepEqual(ends, [4, 5, 7, 8]);
	});
});

describe('byte-pair encoding', () => {
	const bpe = (options: Record<string, unknown>) =>
		readTokenizer(
			{
				model: {
					type: 'BPE',
					vocab: { '<unk>': 0, a: 1, b: 2, ab: 3, '▁': 4, '<0xC3>': 5, '<0xA9>': 6 },
					merges: ['a b'],
					unk_token: '<unk>',
					...options,
				},
				decoder: { type: 'Sequence', decoders: [{ type: 'ByteFallback' }, { type: 'Fuse' }] },
				added_tokens: [{ id: 7, content: '<s>', special: true, normalized: false }],
			},
			{},
		);

	it('unknown characters are unknown, joined or spelled in bytes, as the file says', () => {
		assert.deepEqual(bpe({}).encode('ab??', false), [3, 0, 0]);
		assert.deepEqual(bpe({ fuse_unk: true }).encode('ab??b', false), [3, 0, 2]);
		assert.deepEqual(bpe({ byte_fallback: true }).encode('abé?', false), [3, 5, 6, 0]);
		assert.equal(bpe({ byte_fallback: true }).decode([5, 6, 5], false), '\ufffd\ufffd\ufffd');
		assert.equal(bpe({ byte_fallback: true }).decode([5, 6], false), 'é');
		const { offsets } = bpe({ byte_fallback: true }).encodeWithOffsets('abé');
		assert.deepEqual(offsets, [
			[0, 2],
			[2, 3],
			[2, 3],
		]);
	});

	it('added tokens are found anywhere and their places are right', () => {
		const tokenizer = bpe({});
		assert.deepEqual(tokenizer.encodeWithOffsets('ab<s>a'), {
			ids: [3, 7, 1],
			offsets: [
				[0, 2],
				[2, 5],
				[5, 6],
			],
		});
		assert.equal(tokenizer.decode([3, 7, 1], true), 'aba');
	});

	it('a merge of tokens that are not there is refused', () => {
		assert.throws(() => bpe({ merges: ['a z'] }), /'a z'/);
	});
});
