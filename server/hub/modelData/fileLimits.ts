/**
 * How much of a model folder is read: sizes, counts and depths, each some times what the largest published
 * models have. What is beyond them is refused before it takes memory or time, with the file and the limit named.
 */

import { AppError } from '../../protocol/index.ts';

const kib = 1024;
const mib = 1024 * kib;
const gib = 1024 * mib;

/** What a text or JSON file of a model may have. */
export interface FileLimits {
	/** Size on disk, in bytes. */
	readonly maxBytes: number;
	/** JSON: lists and objects inside each other. */
	readonly maxDepth: number;
	/** JSON: values altogether, those in lists and objects included. */
	readonly maxValues: number;
}

const maxDepth = 64;
const settings: FileLimits = { maxBytes: 4 * mib, maxDepth, maxValues: 250_000 };
const vocabulary: FileLimits = { maxBytes: 128 * mib, maxDepth, maxValues: 8_000_000 };
const template: FileLimits = { maxBytes: 1 * mib, maxDepth, maxValues: 0 };

/** By name; the last part of a path counts. */
const byName: ReadonlyMap<string, FileLimits> = new Map<string, FileLimits>([
	['tokenizer.json', vocabulary],
	['vocab.json', vocabulary],
	['target_vocab.json', vocabulary],
	['nearglot-lexicon.json', vocabulary],
	['lex.s2t.bin', vocabulary],
	// Every tensor with its file: of mixtures of experts that are packed, hundreds of thousands.
	['model.safetensors.index.json', { maxBytes: 100 * mib, maxDepth, maxValues: 8_000_000 }],
	// A chat template and every added token.
	['tokenizer_config.json', { maxBytes: 32 * mib, maxDepth, maxValues: 4_000_000 }],
	['added_tokens.json', { maxBytes: 32 * mib, maxDepth, maxValues: 1_000_000 }],
	// Every file of the model with its hash.
	['nearglot.json', { maxBytes: 8 * mib, maxDepth, maxValues: 50_000 }],
	// Cards are read where models are listed.
	['inference_model.json', { maxBytes: 1 * mib, maxDepth, maxValues: 10_000 }],
]);

const byEnding: readonly (readonly [ending: string, limits: FileLimits])[] = [
	['.jinja', template],
	['.spm', vocabulary],
	['.model', vocabulary],
	['.tiktoken', vocabulary],
	['.txt', vocabulary],
];

/** Limits of a file by its name; those of a settings file unless it is known to be another one. */
export function limitsOf(file: string): FileLimits {
	const name = file.slice(file.lastIndexOf('/') + 1);
	return byName.get(name) ?? byEnding.find(([ending]) => name.endsWith(ending))?.[1] ?? settings;
}

/** What a tokenizer may have. */
export const tokenizerLimits = {
	maxTokens: 1 << 20,
	maxMerges: 1 << 22,
	maxAddedTokens: 1 << 18,
	/** Normalisers, pre-tokenisers, decoders and post-processors, those in sequences included. */
	maxSteps: 256,
} as const;

/** Characters of a name in a settings file that answers repeat: a type, a title, a publisher. */
export const maxNameLength = 200;
/** Ids of tokens that end an answer. */
export const maxListedIds = 1000;

/** What a graph may have where this program itself reads it. */
export const graphLimits = {
	/** The graph file with weights inside; protobuf itself ends at 2 GiB, readers by position do not. */
	maxBytes: 64 * gib,
	/** The graph without its large weights, as it is rewritten. */
	maxSkeletonBytes: 512 * mib,
	/** Protobuf fields looked at in one file. */
	maxFields: 8_000_000,
	maxNodes: 250_000,
	maxTensors: 250_000,
	/** Subgraphs (If, Loop, functions) inside each other. */
	maxDepth: 16,
	/** Characters of a name: node, value, operator, file. */
	maxNameBytes: 4096,
	/** Dimensions of a tensor. */
	maxRank: 64,
} as const;

/** @throws AppError `unsupported_model` that names file, what there is too much of, and the limit */
export function checkFileLimit(file: string, what: string, count: number, limit: number): void {
	if (count > limit) throw beyondLimit(file, `has ${count} ${what}; at most ${limit} are read`);
}

/** @param fault part of a sentence: `has 12 x; at most 10 are read` */
export function beyondLimit(file: string, fault: string): AppError {
	return new AppError(
		'unsupported_model',
		`The file ${file} of the model ${fault}. Take another build of the model.`,
	);
}
