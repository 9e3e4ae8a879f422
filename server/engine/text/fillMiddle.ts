/**
 * Fill-in-the-middle: what stands before and after a gap, in the form code models were trained on
 * (Bavarian et al. 2022, arXiv:2207.14255). Which form a model knows is read from its vocabulary.
 */

import type { TextModel } from '../../engine/api.ts';
import { AppError } from '../../protocol/index.ts';

interface Marks {
	readonly prefix: string;
	readonly suffix: string;
	/** Absent: the text before the gap comes last and the answer follows it. */
	readonly middle?: string;
}

/** Marks of the families of code models, as their tokenizers name them. */
const families: readonly Marks[] = [
	// Qwen Coder, CodeGemma
	{ prefix: '<|fim_prefix|>', suffix: '<|fim_suffix|>', middle: '<|fim_middle|>' },
	// StarCoder, Granite, Stable Code
	{ prefix: '<fim_prefix>', suffix: '<fim_suffix>', middle: '<fim_middle>' },
	// SantaCoder
	{ prefix: '<fim-prefix>', suffix: '<fim-suffix>', middle: '<fim-middle>' },
	// DeepSeek Coder
	{ prefix: '<｜fim▁begin｜>', suffix: '<｜fim▁hole｜>', middle: '<｜fim▁end｜>' },
	// Code Llama
	{ prefix: '▁<PRE>', suffix: '▁<SUF>', middle: '▁<MID>' },
	// Codestral
	{ prefix: '[PREFIX]', suffix: '[SUFFIX]' },
];

/** Tokens of a prompt that asks for what belongs between two texts. Throws `unsupported_model`. */
export function fillMiddleTokens(
	text: TextModel,
	model: string,
	before: string,
	after: string,
): number[] {
	const marks = families.find(
		({ prefix, suffix, middle }) =>
			isMark(text, prefix) &&
			isMark(text, suffix) &&
			(middle === undefined || isMark(text, middle)),
	);
	if (!marks) {
		throw new AppError(
			'unsupported_model',
			`'${model}' was not trained to fill in text before a suffix. Leave 'suffix' out, or use a code model such as Qwen2.5-Coder.`,
			{ param: 'suffix' },
		);
	}
	const { prefix, suffix, middle } = marks;
	const id = (mark: string) => text.tokenToId(mark) as number;
	const plain = (part: string) => text.encode(part, { addSpecial: false });
	// Of what a tokenizer adds by itself only a beginning belongs here: an end would end the text.
	const start = text.encode('', { addSpecial: true }).slice(0, 1);
	return middle === undefined
		? [...start, id(suffix), ...plain(after), id(prefix), ...plain(before)]
		: [...start, id(prefix), ...plain(before), id(suffix), ...plain(after), id(middle)];
}

/** Marks that end what is filled in, where a tokenizer treats them as text like any other. */
export function fillMiddleStops(text: TextModel): string[] {
	const marks = families.flatMap(({ prefix, suffix, middle }) => [
		prefix,
		suffix,
		middle ?? prefix,
	]);
	return [...new Set([...marks, '<|fim_pad|>', '<|file_sep|>', '<|repo_name|>'])].filter((mark) =>
		isMark(text, mark),
	);
}

/** Whether a mark is one token that stands for itself: some vocabularies know unknown words as one id. */
function isMark(text: TextModel, mark: string): boolean {
	const id = text.tokenToId(mark);
	return (
		id !== undefined && text.decode([id], { skipSpecial: false }).trim() === mark.replace('▁', '')
	);
}
