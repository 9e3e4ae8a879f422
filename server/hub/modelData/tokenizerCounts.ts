/** Counts in the files of a tokenizer, before anything is built of them. */

import { tokenizerLimits } from './limits.ts';

type Json = Readonly<Record<string, unknown>>;

/** What a tokenizer's file has too much of, as a part of a sentence; `undefined` for all others. */
export function tokenizerFault(file: string, value: Json): string | undefined {
	const { maxTokens, maxMerges, maxAddedTokens, maxSteps } = tokenizerLimits;
	const model = recordOf(value['model']);
	const counts: [what: string, count: number, limit: number][] =
		file === 'tokenizer.json'
			? [
					['tokens', sizeOf(model['vocab']), maxTokens],
					['merges', sizeOf(model['merges']), maxMerges],
					['added tokens', sizeOf(value['added_tokens']), maxAddedTokens],
					['steps', sections.reduce((sum, name) => sum + stepsOf(value[name]), 0), maxSteps],
				]
			: file === 'tokenizer_config.json'
				? [['added tokens', sizeOf(value['added_tokens_decoder']), maxAddedTokens]]
				: /^(target_)?vocab\.json$/.test(file)
					? [['tokens', sizeOf(value), maxTokens]]
					: [];
	const over = counts.find(([, count, limit]) => count > limit);
	return over && `has ${over[1]} ${over[0]}; at most ${over[2]} are read`;
}

const sections = ['normalizer', 'pre_tokenizer', 'decoder', 'post_processor'];
const lists = ['normalizers', 'pretokenizers', 'decoders', 'processors'];

/** Steps of a section; the depth of the file is limited already. */
function stepsOf(value: unknown): number {
	const step = recordOf(value);
	const inner = lists.flatMap((name) => (Array.isArray(step[name]) ? step[name] : []));
	return inner.reduce((sum: number, one) => sum + stepsOf(one), 1);
}

function recordOf(value: unknown): Json {
	return typeof value === 'object' && value !== null ? (value as Json) : {};
}

function sizeOf(value: unknown): number {
	if (Array.isArray(value)) return value.length;
	return Object.keys(recordOf(value)).length;
}
