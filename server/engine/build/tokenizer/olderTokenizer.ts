/** What tokenizers of older files have in common: the tokens beside the vocabulary, and how faults are said. */

import { checkFileLimit, tokenizerLimits } from '../../../hub/modelData/fileLimits.ts';
import { AppError } from '../../../protocol/index.ts';
import { asNumber, asRecord, asString, type JsonRecord } from '../../modelFiles/json.ts';

/**
 * Tokens beyond the vocabulary, and special ones in it, in the form of tokenizer.json.
 * @param settings tokenizer_config.json
 * @param more added_tokens.json
 * @param special tokens that need not be named
 */
export function addedTokens(
	vocabulary: JsonRecord,
	settings: JsonRecord,
	more: JsonRecord,
	special: readonly string[],
): readonly JsonRecord[] {
	const found = new Map<number, JsonRecord>();
	const add = (content: string, id: number | undefined, flags: JsonRecord): void => {
		if (id === undefined || !Number.isSafeInteger(id) || id < 0 || found.has(id)) return;
		const flag = (name: string) => flags[name] === true;
		found.set(id, {
			id,
			content,
			single_word: flag('single_word'),
			lstrip: flag('lstrip'),
			rstrip: flag('rstrip'),
			normalized: flag('normalized'),
			special: flag('special'),
		});
	};
	const listed = Object.entries(asRecord(settings['added_tokens_decoder']) ?? {});
	checkFileLimit(
		'tokenizer_config.json',
		'added tokens',
		listed.length,
		tokenizerLimits.maxAddedTokens,
	);
	for (const [id, token] of listed) {
		const flags = asRecord(token);
		const content = asString(flags?.['content']);
		if (flags !== undefined && content !== undefined) add(content, Number(id), flags);
	}
	const names = [
		'bos_token',
		'eos_token',
		'unk_token',
		'sep_token',
		'pad_token',
		'cls_token',
		'mask_token',
	];
	const named = names.flatMap((name) => {
		const value = settings[name];
		const content = asString(value) ?? asString(asRecord(value)?.['content']);
		return content === undefined ? [] : [content];
	});
	const isSpecial = new Set([...special, ...named]);
	const extra = Object.entries(more);
	checkFileLimit('added_tokens.json', 'added tokens', extra.length, tokenizerLimits.maxAddedTokens);
	for (const [content, id] of extra)
		add(content, asNumber(id), { special: isSpecial.has(content) });
	for (const content of isSpecial)
		add(content, asNumber(vocabulary[content]), {
			special: true,
			// What fills a gap takes the space before it.
			lstrip: content === '<mask>',
		});
	return [...found.values()].sort((a, b) => Number(a['id']) - Number(b['id']));
}

/** @param what part of a sentence: `vocab.json has no <s>` */
export function brokenTokenizer(what: string): AppError {
	return new AppError(
		'unsupported_model',
		`The tokenizer cannot be made of its files: ${what}. Take a repository of the model that has tokenizer.json.`,
	);
}
