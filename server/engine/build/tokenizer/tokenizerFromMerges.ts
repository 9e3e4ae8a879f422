/**
 * The tokenizer of a folder with `vocab.json` and `merges.txt` alone, in the form of tokenizer.json. These files do
 * not say how text is cut: it is known of families of models with the class that belongs to them.
 */

import { checkFileLimit, tokenizerLimits } from '../../../hub/modelData/fileLimits.ts';
import { readModelBytes, readModelJson } from '../../../hub/modelData/readModelFile.ts';
import { AppError } from '../../../protocol/index.ts';
import { asNumber, asString, type JsonRecord } from '../../modelFiles/json.ts';
import { addedTokens, brokenTokenizer } from './olderTokenizer.ts';
import { preTokenizerRules } from './preTokenizerTable.ts';

interface Kind {
	/** `model_type` of config.json. */
	readonly types: readonly string[];
	/** Without its ending `Fast`. */
	readonly tokenizerClass: string;
	/** Of {@link preTokenizerRules}. */
	readonly rule: string;
	/** Tokens before and behind each text. */
	readonly ends?: readonly [string, string];
	/** Special tokens that need not be named. */
	readonly special: readonly string[];
}

const kinds: readonly Kind[] = [
	{
		types: ['roberta'],
		tokenizerClass: 'RobertaTokenizer',
		rule: 'roberta-bpe',
		ends: ['<s>', '</s>'],
		special: ['<s>', '<pad>', '</s>', '<unk>', '<mask>'],
	},
	{
		types: ['phi'],
		tokenizerClass: 'CodeGenTokenizer',
		rule: 'phi-2',
		special: ['<|endoftext|>'],
	},
	{
		types: ['qwen2', 'qwen3'],
		tokenizerClass: 'Qwen2Tokenizer',
		rule: 'qwen2',
		special: ['<|endoftext|>'],
	},
];

/**
 * Content of tokenizer.json; `undefined` where the folder has not both files.
 * @param config config.json
 * @throws AppError `unsupported_model` naming the type or class whose way to cut text is not known, or what is broken
 */
export async function tokenizerFromMerges(
	folder: string,
	config: JsonRecord,
): Promise<JsonRecord | undefined> {
	const vocabulary = await readModelJson(folder, 'vocab.json');
	const merges = await readModelBytes(folder, 'merges.txt');
	if (vocabulary === undefined || merges === undefined) return undefined;
	const settings = (await readModelJson(folder, 'tokenizer_config.json')) ?? {};
	const kind = kindOf(String(config['model_type']), asString(settings['tokenizer_class']));
	const rule = preTokenizerRules.get(kind.rule);
	if (rule === undefined) throw new AppError('internal', `There is no rule ${kind.rule}.`);
	const added = addedTokens(
		vocabulary,
		settings,
		(await readModelJson(folder, 'added_tokens.json')) ?? {},
		kind.special,
	);
	const idOf = (token: string): number => {
		const id = asNumber(vocabulary[token]);
		if (id === undefined) throw brokenTokenizer(`vocab.json has no ${token}`);
		return id;
	};
	const [first, last] = kind.ends ?? [];
	return {
		version: '1.0',
		truncation: null,
		padding: null,
		added_tokens: added,
		normalizer: rule.normalizer === undefined ? null : { type: rule.normalizer },
		pre_tokenizer:
			rule.steps.length === 1 ? rule.steps[0] : { type: 'Sequence', pretokenizers: rule.steps },
		post_processor:
			first === undefined || last === undefined
				? null
				: {
						type: 'RobertaProcessing',
						sep: [last, idOf(last)],
						cls: [first, idOf(first)],
						trim_offsets: true,
						add_prefix_space: false,
					},
		decoder: { type: 'ByteLevel', add_prefix_space: false, trim_offsets: true, use_regex: true },
		model: {
			type: 'BPE',
			dropout: null,
			unk_token: null,
			continuing_subword_prefix: '',
			end_of_word_suffix: '',
			fuse_unk: false,
			byte_fallback: false,
			ignore_merges: rule.ignoresMerges === true,
			vocab: vocabulary,
			merges: pairsOf(merges.toString()),
		},
	};
}

function kindOf(modelType: string, tokenizerClass: string | undefined): Kind {
	const kind = kinds.find(({ types }) => types.includes(modelType));
	const given = tokenizerClass?.replace(/Fast$/, '');
	if (kind !== undefined && (given === undefined || given === kind.tokenizerClass)) return kind;
	throw new AppError(
		'unsupported_model',
		`The tokenizer is vocab.json and merges.txt of the class ${JSON.stringify(given?.slice(0, 100) ?? null)} for the type ${JSON.stringify(modelType.slice(0, 100))}, of which it is not known how text is cut. Take a repository of the model that has tokenizer.json.`,
	);
}

/** Pairs of the lines, but for a first one that names a version. */
function pairsOf(text: string): [string, string][] {
	const pairs: [string, string][] = [];
	for (const [index, line] of text.split('\n').entries()) {
		const pair = line.replace(/\r$/, '');
		if (pair === '' || (index === 0 && pair.startsWith('#version'))) continue;
		const at = pair.indexOf(' ', 1);
		if (at < 0 || at === pair.length - 1)
			throw brokenTokenizer('merges.txt has a line that is no pair');
		pairs.push([pair.slice(0, at), pair.slice(at + 1)]);
	}
	checkFileLimit('merges.txt', 'merges', pairs.length, tokenizerLimits.maxMerges);
	return pairs;
}
