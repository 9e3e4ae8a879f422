/** Fields that several routes of generation share: sampling, who asks, streams, structured answers. */

import type * as z from 'zod';
import { maxChoices } from '../chatTypes.ts';
import { invalid, read } from './check.ts';
import {
	array,
	boolean,
	either,
	integer,
	mapped,
	number,
	object,
	oneOf,
	optional,
	record,
	ruled,
	string,
} from './fields.ts';
import { schemaField } from './toolFields.ts';

/** Name of a model: id, name, alias or folder name. */
export const modelField = string({ minLength: 1, maxLength: 300 });

export const choicesField = integer({ min: 1, max: maxChoices });

/** Most tokens that can be asked for, more than any model has room for. */
const maxTokens = 1 << 24;
export const maxTokensField = integer({ min: 1, max: maxTokens });
export const maxTokensOrNoneField = integer({ min: 0, max: maxTokens });

/** Alternatives listed beside a token. */
export const topLogprobsField = integer({ min: 0, max: 20 });

/** EBNF that the answer must follow. */
export const grammarField = string({ minLength: 1, maxLength: 65_536 });

const stopText = string({ minLength: 1, maxLength: 256 });
const seedField = integer();
const biasField = number({ min: -100, max: 100 });
const tokenIdField = integer({ min: 0 });
const maxBiases = 1024;

const biasPairs = ruled(
	{ type: 'array', items: { type: 'array', minItems: 2, maxItems: 2 } },
	(value): Record<string, number> => {
		if (!Array.isArray(value)) throw invalid('', 'an object of token ids', value);
		if (value.length > maxBiases)
			throw invalid('', `an array of at most ${maxBiases} pairs`, value);
		return Object.fromEntries(
			value.map((pair: unknown, index) => {
				const at = `[${index}]`;
				if (!Array.isArray(pair) || pair.length !== 2) throw invalid(at, 'a pair [id, bias]', pair);
				const id = read(tokenIdField, pair[0], `${at}[0]`);
				return [String(id), pair[1] === false ? -100 : read(biasField, pair[1], `${at}[1]`)];
			}),
		);
	},
);

const biasesField = mapped(
	either(record(biasField, maxBiases), biasPairs, 'an object {id: bias}'),
	(pairs): Record<number, number> => {
		for (const key of Object.keys(pairs))
			if (!/^\d{1,9}$/.test(key)) throw invalid(`.${key}`, 'keyed by a token id (see /tokenize)');
		return pairs;
	},
);

/** Fields that decide how tokens are drawn. */
export const samplingFields = {
	temperature: optional(number({ min: 0, max: 2 })),
	top_p: optional(number({ min: 0, max: 1 })),
	/** 0 or −1 = off. */
	top_k: optional(integer({ min: -1, max: 1_000_000 })),
	min_p: optional(number({ min: 0, max: 1 })),
	presence_penalty: optional(number({ min: -2, max: 2 })),
	frequency_penalty: optional(number({ min: -2, max: 2 })),
	repetition_penalty: optional(number({ min: 0.01, max: 10 })),
	/** `{id: bias}`, or llama.cpp's `[[id, bias], …]` where `false` bans. */
	logit_bias: optional(biasesField),
	seed: optional(seedField),
	random_seed: optional(seedField),
	n: optional(choicesField),
	stop: optional(
		either(
			mapped(stopText, (text) => [text]),
			array(stopText, { max: 4 }),
			'a string or an array of at most 4 strings',
		),
	),
	max_tokens: optional(maxTokensField),
};

/** By this a balancer in front keeps a conversation on one server (deploy/haproxy.cfg); one alone has no need of it. */
export const cacheKeyField = string({ maxLength: 512 });

/** At most 16 pairs; their keys have at most 64 characters. */
const notes = <S extends z.ZodType>(values: S) =>
	mapped(record(values, 16), (pairs) => {
		for (const key of Object.keys(pairs))
			if (key.length > 64) throw invalid('', 'an object whose keys have at most 64 characters');
		return pairs;
	});

/** What a caller notes on something that is kept. */
export const metadataField = notes(string({ maxLength: 512 }));

/** Fields that say who asks; they reach the log, and the metrics where a label is switched on. */
export const callerFields = {
	user: optional(string({ maxLength: 512 })),
	metadata: optional(notes(either(string({ maxLength: 512 }), number(), 'a string or a number'))),
};

export const streamFields = {
	stream: optional(boolean),
	stream_options: optional(object({ include_usage: optional(boolean) })),
};

/** What to do with a conversation that is too long: leave out its oldest turns, or refuse it. */
export const truncationField = oneOf('auto', 'disabled');

export const effortField = oneOf('none', 'minimal', 'low', 'medium', 'high', 'xhigh');

export const responseFormatField = object({
	type: oneOf('text', 'json_object', 'json_schema', 'grammar'),
	json_schema: optional(
		object({
			name: optional(string({ maxLength: 64 })),
			description: optional(string()),
			schema: optional(schemaField),
			strict: optional(boolean),
		}),
	),
	/** llama.cpp's way to give a schema beside `json_object`. */
	schema: optional(schemaField),
	/** EBNF, for `type: grammar`. */
	grammar: optional(grammarField),
});

const maxPrompts = 64;
const tokenIds = { type: 'array', items: { type: 'integer', minimum: 0 }, minItems: 1 };

/** Texts or token ids, one or several: `"a"`, `["a","b"]`, `[1,2]`, `[[1,2],[3]]`. */
const textsField = (most: number, what: string) =>
	ruled(
		{
			anyOf: [
				{ type: 'string' },
				{ type: 'array', items: { type: 'string' }, minItems: 1, maxItems: most },
				tokenIds,
				{ type: 'array', items: tokenIds, minItems: 1, maxItems: most },
			],
		},
		(value): (string | number[])[] => {
			if (typeof value === 'string') return [value];
			if (!Array.isArray(value) || value.length === 0)
				throw invalid(
					'',
					'a string, or an array of strings or of token ids that is not empty',
					value,
				);
			if (value.every(isTokenId)) return [value];
			if (value.length > most) throw invalid('', `an array of at most ${most} ${what}`, value);
			return value.map((each: unknown, index) => {
				if (typeof each === 'string') return each;
				if (Array.isArray(each) && each.length > 0 && each.every(isTokenId)) return each;
				throw invalid(`[${index}]`, 'a string or an array of token ids', each);
			});
		},
	);

/** Prompts of a plain completion. */
export const promptsField = textsField(maxPrompts, 'prompts');

/** Texts to embed; as many as clients send at once. */
export const embeddedTextsField = textsField(2048, 'texts');

function isTokenId(value: unknown): value is number {
	return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

/** A field with only one meaning here; any other value would be a promise we cannot keep. */
export function neutral<const T extends string | boolean>(...values: readonly T[]) {
	return ruled({ enum: values }, (value): T => {
		const found = values.find((each) => each === value);
		if (found === undefined)
			throw invalid('', `${values.map(String).join(' or ')} on a model server`, value);
		return found;
	});
}

/** There is one tier of service here; `priority` and `flex` are bought elsewhere. */
export const serviceTierField = neutral('auto', 'default');
