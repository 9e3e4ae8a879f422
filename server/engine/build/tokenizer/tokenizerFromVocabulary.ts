/**
 * The tokenizer of a folder with `vocab.txt` alone, a WordPiece vocabulary with a token in each line, in the form
 * of tokenizer.json. Whether capitals count stands in tokenizer_config.json, or is seen by the vocabulary.
 */

import { checkFileLimit, tokenizerLimits } from '../../../hub/modelData/fileLimits.ts';
import { readModelBytes, readModelJson } from '../../../hub/modelData/readModelFile.ts';
import { AppError } from '../../../protocol/index.ts';
import { asNumber, asRecord, asString, type JsonRecord } from '../../modelFiles/json.ts';
import { addedTokens, brokenTokenizer } from './olderTokenizer.ts';

/** Types of models with such a vocabulary, and the classes that read it in the same way. */
const types = ['bert', 'distilbert'];
const classes = ['BertTokenizer', 'DistilBertTokenizer', 'PreTrainedTokenizer'];

/** Settings that name tokens, with what they are where nothing is said. */
const usual = {
	unk_token: '[UNK]',
	sep_token: '[SEP]',
	pad_token: '[PAD]',
	cls_token: '[CLS]',
	mask_token: '[MASK]',
};

/**
 * Content of tokenizer.json; `undefined` where the folder has no vocab.txt.
 * @param config config.json
 * @throws AppError `unsupported_model` naming the type or class whose way to cut text is not known, or what is broken
 */
export async function tokenizerFromVocabulary(
	folder: string,
	config: JsonRecord,
): Promise<JsonRecord | undefined> {
	const lines = await readModelBytes(folder, 'vocab.txt');
	if (lines === undefined) return undefined;
	const settings = (await readModelJson(folder, 'tokenizer_config.json')) ?? {};
	checkKind(String(config['model_type']), asString(settings['tokenizer_class']));
	const vocabulary = wordsOf(Buffer.from(lines).toString());
	const tokenOf = (name: keyof typeof usual): string => {
		const value = settings[name];
		return asString(value) ?? asString(asRecord(value)?.['content']) ?? usual[name];
	};
	const idOf = (token: string): number => {
		const id = asNumber(vocabulary[token]);
		if (id === undefined) throw brokenTokenizer(`vocab.txt has no ${token.slice(0, 100)}`);
		return id;
	};
	const [unknown, first, last] = [tokenOf('unk_token'), tokenOf('cls_token'), tokenOf('sep_token')];
	idOf(unknown);
	const flag = (name: string): boolean | undefined =>
		typeof settings[name] === 'boolean' ? settings[name] : undefined;
	const names = Object.keys(usual) as (keyof typeof usual)[];
	return {
		version: '1.0',
		truncation: null,
		padding: null,
		added_tokens: addedTokens(
			vocabulary,
			settings,
			(await readModelJson(folder, 'added_tokens.json')) ?? {},
			names.map(tokenOf),
		),
		normalizer: {
			type: 'BertNormalizer',
			clean_text: true,
			handle_chinese_chars: flag('tokenize_chinese_chars') ?? true,
			strip_accents: flag('strip_accents') ?? null,
			lowercase: flag('do_lower_case') ?? !hasCapitals(vocabulary),
		},
		pre_tokenizer: { type: 'BertPreTokenizer' },
		post_processor: { type: 'BertProcessing', sep: [last, idOf(last)], cls: [first, idOf(first)] },
		decoder: { type: 'WordPiece', prefix: '##', cleanup: true },
		model: {
			type: 'WordPiece',
			unk_token: unknown,
			continuing_subword_prefix: '##',
			max_input_chars_per_word: 100,
			vocab: vocabulary,
		},
	};
}

function checkKind(modelType: string, tokenizerClass: string | undefined): void {
	const given = tokenizerClass?.replace(/Fast$/, '');
	if (types.includes(modelType) && (given === undefined || classes.includes(given))) return;
	throw new AppError(
		'unsupported_model',
		`The tokenizer is vocab.txt of the class ${JSON.stringify(given?.slice(0, 100) ?? null)} for the type ${JSON.stringify(modelType.slice(0, 100))}, of which it is not known how text is cut. Take a repository of the model that has tokenizer.json.`,
	);
}

/** Token → the number of its line. */
function wordsOf(text: string): JsonRecord {
	const words = text.replace(/\n$/, '').split('\n');
	checkFileLimit('vocab.txt', 'tokens', words.length, tokenizerLimits.maxTokens);
	return Object.fromEntries(words.map((word, id) => [word.replace(/\r$/, ''), id] as const));
}

/** A vocabulary for lower case has none, but in the names of special tokens. */
function hasCapitals(vocabulary: JsonRecord): boolean {
	return Object.keys(vocabulary).some((word) => /\p{Lu}/u.test(word) && !/^\[.*\]$/.test(word));
}
