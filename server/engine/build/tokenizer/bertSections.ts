/**
 * WordPiece vocabularies (`bert` in GGUF files) in the form of tokenizer.json. Converters have marked the
 * beginnings of words (`▁word`) instead of what follows (`##piece`).
 */

import { type GgufToken, type GgufVocabulary, tokenType } from './ggufVocabulary.ts';
import type { TokenizerSections } from './sections.ts';

const beginning = '\u2581';

export function bertSections(vocabulary: GgufVocabulary): TokenizerSections {
	const { tokens } = vocabulary;
	const lowercase = vocabulary.flag('normalizer.lowercase') ?? !hasCapitals(tokens);
	const unknown = vocabulary.special('unk');
	return {
		model: {
			type: 'WordPiece',
			unk_token: unknown === undefined ? '[UNK]' : tokens[unknown]?.text,
			continuing_subword_prefix: '##',
			max_input_chars_per_word: 100,
			vocab: Object.fromEntries(tokens.map((token, id) => [published(token), id] as const)),
		},
		normalizer: {
			type: 'BertNormalizer',
			clean_text: true,
			handle_chinese_chars: true,
			strip_accents: vocabulary.flag('normalizer.strip_accents') ?? null,
			lowercase,
		},
		preTokenizer: { type: 'BertPreTokenizer' },
		decoder: { type: 'WordPiece', prefix: '##', cleanup: true },
		addsBos: true,
		addsEos: true,
		around: ['cls', 'sep'],
		config: { do_lower_case: lowercase, clean_up_tokenization_spaces: true },
	};
}

/** The token as its publisher wrote it. */
function published({ text, type }: GgufToken): string {
	if (type === tokenType.control || type === tokenType.unknown) return text;
	if (/^\[.+\]$/.test(text)) return text;
	return text.startsWith(beginning) ? text.slice(beginning.length) : `##${text}`;
}

/** A vocabulary for lower case has none: files of before 2026 do not say which they are. */
function hasCapitals(tokens: readonly GgufToken[]): boolean {
	return tokens.some(({ text, type }) => type === tokenType.normal && /^\u2581\p{Lu}/u.test(text));
}
