/** Byte-level byte-pair vocabularies (`gpt2` in GGUF files) in the form of tokenizer.json. */

import { checkFileLimit, tokenizerLimits } from '../../../hub/modelData/fileLimits.ts';
import { AppError } from '../../../protocol/index.ts';
import { broken, type GgufVocabulary, tokenType } from './ggufVocabulary.ts';
import { preTokenizerRules } from './preTokenizerTable.ts';
import type { TokenizerSections } from './sections.ts';

/** @throws AppError `unsupported_model` for a pre-tokenizer that is absent or not known by its name */
export function byteLevelSections(vocabulary: GgufVocabulary): TokenizerSections {
	const rule = ruleOf(vocabulary.string('pre'));
	const merges = vocabulary.list('merges');
	if (merges === undefined) throw broken('tokenizer.ggml.merges is absent');
	checkFileLimit('GGUF', 'merges', merges.length, tokenizerLimits.maxMerges);
	return {
		model: {
			type: 'BPE',
			dropout: null,
			unk_token: null,
			continuing_subword_prefix: null,
			end_of_word_suffix: null,
			fuse_unk: false,
			byte_fallback: false,
			ignore_merges: rule.ignoresMerges === true,
			vocab: Object.fromEntries(
				vocabulary.tokens.flatMap(({ text, type }, id) =>
					isPadding(text, type) ? [] : [[text, id] as const],
				),
			),
			merges: merges.map(pairOf),
		},
		normalizer: rule.normalizer === undefined ? null : { type: rule.normalizer },
		preTokenizer:
			rule.steps.length === 1 ? rule.steps[0] : { type: 'Sequence', pretokenizers: rule.steps },
		decoder: { type: 'ByteLevel', add_prefix_space: false, trim_offsets: true, use_regex: true },
		addsBos: rule.addsBos === true,
		addsEos: false,
	};
}

function ruleOf(name: string | undefined) {
	if (name === undefined || name === 'default')
		throw new AppError(
			'unsupported_model',
			'The GGUF file does not say how its tokenizer cuts text (tokenizer.ggml.pre), as files of before May 2024 do not. Take a newer conversion of the model.',
		);
	const rule = preTokenizerRules.get(name);
	if (rule !== undefined) return rule;
	throw new AppError(
		'unsupported_model',
		`The GGUF file has the pre-tokenizer ${JSON.stringify(name.slice(0, 100))}, which is not known here, so texts would become wrong tokens. Take an ONNX export of the model.`,
	);
}

/** Rows of the matrix without a token, as converters fill them up. */
const isPadding = (text: string, type: number) =>
	type === tokenType.unused && /^\[PAD\d+\]$/.test(text);

// A token may begin with a space in vocabularies that write bytes as they are, never hold one here.
function pairOf(merge: unknown): [string, string] {
	const text = String(merge);
	const at = text.indexOf(' ', 1);
	if (at < 0) throw broken('tokenizer.ggml.merges holds something else than pairs');
	return [text.slice(0, at), text.slice(at + 1)];
}
