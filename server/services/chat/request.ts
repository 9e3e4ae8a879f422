/** Body of `POST /v1/chat/completions`: every field this server honours, and nothing it does not. */

import {
	anything,
	array,
	boolean,
	either,
	integer,
	invalid,
	mapped,
	number,
	object,
	oneOf,
	optional,
	type Parsed,
	type Parser,
	record,
	string,
} from '../../protocol/parser.ts';
import { epField, ttlField } from '../loadFields.ts';
import { messagesField } from './messages.ts';
import { functionCallField, toolChoiceField, toolsField } from './toolFields.ts';

/** Fields that decide how tokens are drawn; completions have them too. */
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
	logit_bias: optional(biases()),
	seed: optional(seed()),
	random_seed: optional(seed()),
	n: optional(integer({ min: 1, max: 128 })),
	stop: optional(stopField()),
	max_tokens: optional(integer({ min: 1, max: 1 << 24 })),
};

/** Fields that say where and how long a model is loaded. */
export const loadFields = {
	ep: optional(epField),
	ttl: optional(ttlField),
};

/** Fields that say who asks; they reach the log, and the metrics where a label is switched on. */
export const callerFields = {
	user: optional(string({ maxLength: 512 })),
	metadata: optional(
		mapped(
			record(either(string({ maxLength: 512 }), number(), 'a string or a number'), 16),
			(pairs, path) => {
				for (const key of Object.keys(pairs))
					if (key.length > 64)
						throw invalid(path, 'an object whose keys have at most 64 characters');
				return pairs;
			},
		),
	),
};

export const streamFields = {
	stream: optional(boolean),
	stream_options: optional(object({ include_usage: optional(boolean) })),
};

/** What to do with a conversation that is too long: leave out its oldest turns, or refuse it. */
export const truncationField = optional(oneOf('auto', 'disabled'));

const jsonSchemaFormat = object({
	name: optional(string({ maxLength: 64 })),
	description: optional(string()),
	schema: optional(anything),
	strict: optional(boolean),
});

export const responseFormatField = object({
	type: oneOf('text', 'json_object', 'json_schema', 'grammar'),
	json_schema: optional(jsonSchemaFormat),
	/** llama.cpp's way to give a schema beside `json_object`. */
	schema: optional(anything),
	/** EBNF, for `type: grammar`. */
	grammar: optional(string({ minLength: 1, maxLength: 65_536 })),
});

export const chatRequestParser = object({
	model: string({ minLength: 1, maxLength: 300 }),
	messages: messagesField,
	...samplingFields,
	...loadFields,
	...callerFields,
	...streamFields,
	truncation: truncationField,
	max_completion_tokens: optional(integer({ min: 1, max: 1 << 24 })),
	logprobs: optional(boolean),
	top_logprobs: optional(integer({ min: 0, max: 20 })),
	tools: optional(toolsField),
	tool_choice: optional(toolChoiceField),
	parallel_tool_calls: optional(boolean),
	functions: optional(toolsField),
	function_call: optional(functionCallField),
	response_format: optional(responseFormatField),
	/** EBNF the answer must follow. */
	grammar: optional(string({ minLength: 1, maxLength: 65_536 })),
	reasoning_effort: optional(oneOf('none', 'minimal', 'low', 'medium', 'high', 'xhigh')),
	/** Adds chunks to the stream that say what the request waits for; llama.cpp's name. */
	return_progress: optional(boolean),
	/** More variables for the model's chat template. */
	chat_template_kwargs: optional(record(anything, 32)),
	/** Fields of the big interface that mean something only there: taken at their neutral value. */
	store: optional(neutral([false])),
	service_tier: optional(neutral(['auto', 'default'])),
	modalities: optional(modalities()),
});

export type ChatRequest = Parsed<typeof chatRequestParser>;

function stopField() {
	const one = string({ minLength: 1, maxLength: 256 });
	return either(
		mapped(one, (text) => [text]),
		array(one, { max: 4 }),
		'a string or an array of at most 4 strings',
	);
}

function seed() {
	return integer({ min: Number.MIN_SAFE_INTEGER, max: Number.MAX_SAFE_INTEGER });
}

function biases(): Parser<Record<number, number>> {
	const one = number({ min: -100, max: 100 });
	const maxBiases = 1024;
	const pairs: Parser<Record<string, number>> = {
		schema: { type: 'array', items: { type: 'array', minItems: 2, maxItems: 2 } },
		parse: (value, path) => {
			if (!Array.isArray(value)) throw invalid(path, 'an object of token ids', value);
			if (value.length > maxBiases)
				throw invalid(path, `an array of at most ${maxBiases} pairs`, value);
			return Object.fromEntries(
				value.map((pair: unknown, index) => {
					const at = `${path}[${index}]`;
					if (!Array.isArray(pair) || pair.length !== 2)
						throw invalid(at, 'a pair [id, bias]', pair);
					const id = integer({ min: 0 }).parse(pair[0], `${at}[0]`);
					return [String(id), pair[1] === false ? -100 : one.parse(pair[1], `${at}[1]`)];
				}),
			);
		},
	};
	return mapped(either(record(one, maxBiases), pairs, 'an object {id: bias}'), tokenBiases);
}

function tokenBiases(pairs: Record<string, number>, path: string): Record<number, number> {
	for (const key of Object.keys(pairs))
		if (!/^\d{1,9}$/.test(key))
			throw invalid(`${path}.${key}`, 'keyed by a token id (see /tokenize)');
	return pairs;
}

/** A field with only one meaning here; any other value would be a promise we cannot keep. */
function neutral<const T extends string | boolean>(values: readonly T[]) {
	return {
		schema: { enum: values },
		parse: (value: unknown, path: string): T => {
			const found = values.find((each) => each === value);
			if (found === undefined)
				throw invalid(path, `${values.map(String).join(' or ')} on a local server`, value);
			return found;
		},
	};
}

function modalities() {
	return mapped(array(oneOf('text'), { max: 1 }), (list) => list);
}
