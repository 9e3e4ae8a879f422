/**
 * SentencePiece vocabularies in the form of tokenizer.json: `llama` (byte pairs by score) and `t5`
 * (unigram) in GGUF files. Merges are found as `SpmConverter` of transformers does: SentencePiece has none.
 */

import { checkFileLimit, tokenizerLimits } from '../../../hub/modelData/fileLimits.ts';
import { type GgufToken, type GgufVocabulary, tokenType } from './ggufVocabulary.ts';
import type { TokenizerSections } from './sections.ts';

const space = '\u2581';
/** Longer pieces than published vocabularies have are not taken apart. */
const maxMergedChars = 256;

const metaspace = {
	type: 'Metaspace',
	replacement: space,
	prepend_scheme: 'always',
	split: true,
};

const toSpaces = { type: 'Replace', pattern: { String: space }, content: ' ' };
const fromSpaces = { type: 'Replace', pattern: { String: ' ' }, content: space };

/** Byte pairs by score, with bytes for what has no piece (`llama`). */
export function scoredPairsSections(vocabulary: GgufVocabulary): TokenizerSections {
	const { tokens } = vocabulary;
	const prefix = vocabulary.flag('add_space_prefix') ?? true;
	const unknown = vocabulary.special('unk') ?? tokens.findIndex(isUnknown);
	return {
		model: {
			type: 'BPE',
			dropout: null,
			unk_token: tokens[unknown]?.text ?? null,
			continuing_subword_prefix: null,
			end_of_word_suffix: null,
			fuse_unk: true,
			byte_fallback: tokens.some(({ type }) => type === tokenType.byte),
			ignore_merges: false,
			vocab: Object.fromEntries(tokens.map(({ text }, id) => [text, id] as const)),
			merges: mergesOf(tokens),
		},
		normalizer: prefix
			? { type: 'Sequence', normalizers: [{ type: 'Prepend', prepend: space }, fromSpaces] }
			: fromSpaces,
		preTokenizer: null,
		decoder: {
			type: 'Sequence',
			decoders: [
				toSpaces,
				{ type: 'ByteFallback' },
				{ type: 'Fuse' },
				...(prefix ? [{ type: 'Strip', content: ' ', start: 1, stop: 0 }] : []),
			],
		},
		addsBos: true,
		addsEos: false,
	};
}

/** The best segmentation by scores (`t5`). */
export function unigramSections(vocabulary: GgufVocabulary): TokenizerSections {
	const { tokens } = vocabulary;
	const map = vocabulary.bytes('precompiled_charsmap');
	const single = vocabulary.flag('remove_extra_whitespaces') ?? false;
	const prefix = vocabulary.flag('add_space_prefix') ?? false;
	const marked = { ...metaspace, prepend_scheme: prefix ? 'always' : 'never' };
	return {
		model: {
			type: 'Unigram',
			unk_id: vocabulary.special('unk') ?? Math.max(0, tokens.findIndex(isUnknown)),
			byte_fallback: tokens.some(({ type }) => type === tokenType.byte),
			vocab: tokens.map(({ text, score }) => [text, score]),
		},
		normalizer:
			map === undefined
				? null
				: { type: 'Precompiled', precompiled_charsmap: Buffer.from(map).toString('base64') },
		preTokenizer: single
			? { type: 'Sequence', pretokenizers: [{ type: 'WhitespaceSplit' }, marked] }
			: marked,
		decoder: marked,
		addsBos: false,
		addsEos: true,
	};
}

const isUnknown = ({ type }: GgufToken) => type === tokenType.unknown;

/** Pieces that segmentation may give; bytes and symbols of control come in by other ways. */
const isMerged = ({ type }: GgufToken) =>
	type === tokenType.normal || type === tokenType.userDefined || type === tokenType.unused;

/** Every pair of pieces that makes a piece, the best piece first; of one piece, in the order of the ids. */
function mergesOf(tokens: readonly GgufToken[]): [string, string][] {
	const ids = new Map(tokens.map(({ text }, id) => [text, id] as const));
	const found: { readonly left: number; readonly right: number; readonly score: number }[] = [];
	for (const token of tokens) {
		const { text, score } = token;
		if (!isMerged(token) || text.length > maxMergedChars) continue;
		const pairs: typeof found = [];
		for (let at = 1; at < text.length; at++) {
			const left = ids.get(text.slice(0, at));
			if (left === undefined) continue;
			const right = ids.get(text.slice(at));
			if (right !== undefined) pairs.push({ left, right, score });
		}
		pairs.sort((a, b) => a.left - b.left || a.right - b.right);
		for (const pair of pairs) found.push(pair);
		checkFileLimit('GGUF', 'merges', found.length, tokenizerLimits.maxMerges);
	}
	found.sort((a, b) => b.score - a.score);
	const text = (id: number) => (tokens[id] as GgufToken).text;
	return found.map(({ left, right }) => [text(left), text(right)]);
}
