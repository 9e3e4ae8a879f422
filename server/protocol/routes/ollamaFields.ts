/** Fields of requests in Ollama's words, read into those of chat completions. */

import type { ChatMessage, JsonSchema } from '../chatTypes.ts';
import { asObject, invalid, missingField, read } from './check.ts';
import {
	anything,
	array,
	boolean,
	either,
	integer,
	leaving,
	mapped,
	object,
	oneOf,
	optional,
	requestSchema,
	ruled,
	string,
	unreadFields,
} from './fields.ts';
import {
	checkedBase64,
	fewImages,
	imagesOfUsers,
	maxImages,
	type UnplacedImage,
} from './imageFields.ts';
import { maxMessages, readMessage } from './messageFields.ts';
import { samplingFields, topLogprobsField } from './requestFields.ts';
import { schemaField } from './toolFields.ts';

const secondsOf: ReadonlyMap<string, number> = new Map([
	['ns', 1e-9],
	['us', 1e-6],
	['µs', 1e-6],
	['ms', 1e-3],
	['s', 1],
	['m', 60],
	['h', 3600],
]);
/** Longest idle time that can be asked for in seconds; more is for ever. */
const longestS = 30 * 86_400;
const duration = /^-?(?:\d{1,12}(?:\.\d{1,12})?(?:ns|us|µs|ms|s|m|h)){1,8}$/;

/**
 * Seconds that a model stays loaded after its last request; `Infinity` = for ever. A number of seconds or a text
 * as Go writes durations (`5m`, `1h30m`); below 0 means for ever.
 */
export const keepAliveField = ruled({ type: ['number', 'string'] }, (value): number => {
	const seconds = typeof value === 'string' ? durationOf(value) : value;
	if (typeof seconds !== 'number' || !Number.isFinite(seconds))
		throw invalid('', "a number of seconds or a duration such as '5m'", value);
	return seconds < 0 || seconds > longestS ? Number.POSITIVE_INFINITY : seconds;
});

function durationOf(text: string): number | undefined {
	if (/^-?\d{1,12}$/.test(text)) return Number(text);
	if (!duration.test(text)) return undefined;
	const parts = [...text.matchAll(/(\d{1,12}(?:\.\d{1,12})?)(ns|us|µs|ms|s|m|h)/g)];
	const sum = parts.reduce(
		(all, [, n, unit]) => all + Number(n) * (secondsOf.get(unit ?? '') ?? 0),
		0,
	);
	return text.startsWith('-') ? -sum : sum;
}

const stopText = string({ minLength: 1, maxLength: 256 });
const { temperature, top_p, top_k, min_p, presence_penalty, frequency_penalty } = samplingFields;

/** Fields of `options` that mean something here; all others are named as ignored. */
export const optionsField = object({
	temperature,
	top_p,
	top_k,
	min_p,
	presence_penalty,
	frequency_penalty,
	repeat_penalty: samplingFields.repetition_penalty,
	/** Below 0: a new one for each request. */
	seed: optional(integer()),
	/** Most tokens of the answer; 0 or below: as many as fit. */
	num_predict: optional(integer({ min: -2, max: 1 << 24 })),
	stop: optional(
		either(
			mapped(stopText, (text) => [text]),
			array(stopText, { max: 16 }),
			'a string or an array of at most 16 strings',
		),
	),
});

/** `''` for none, `'json'`, or a JSON Schema. */
export const formatField = ruled(
	{ anyOf: [{ enum: ['', 'json'] }, { type: 'object' }] },
	(value): 'json' | { readonly schema: JsonSchema } | undefined => {
		if (value === '') return undefined;
		if (value === 'json') return value;
		if (typeof value === 'string') throw invalid('', "'json' or a JSON schema", value);
		return { schema: read(schemaField, asObject(value, ''), '') };
	},
);

export const thinkField = either(
	boolean,
	oneOf('low', 'medium', 'high'),
	"true, false, 'low', 'medium' or 'high'",
);

/** Files of images in base64. */
export const imagesField = ruled(
	{ type: 'array', maxItems: maxImages, items: { type: 'string', contentEncoding: 'base64' } },
	(value): UnplacedImage[] => {
		if (!Array.isArray(value)) throw invalid('', 'an array of images in base64', value);
		if (value.length > maxImages) throw invalid('', `an array of at most ${maxImages} images`);
		return value.map((each, index) => {
			const at = `[${index}]`;
			const text = read(string(), each, at);
			return { base64: checkedBase64(text, at), detail: 'auto' as const };
		});
	},
);

const messageField = object({
	role: oneOf('system', 'user', 'assistant', 'tool'),
	content: optional(string()),
	thinking: optional(string()),
	images: optional(imagesField),
	tool_calls: optional(
		array(
			object({
				id: optional(string({ maxLength: 256 })),
				type: optional(string()),
				function: object({
					index: optional(integer()),
					name: string({ minLength: 1, maxLength: 256 }),
					arguments: optional(anything),
				}),
			}),
		),
	),
	/** Function whose result the message is. */
	tool_name: optional(string({ maxLength: 256 })),
	tool_call_id: optional(string({ maxLength: 256 })),
});

/** Messages; calls and results that have no ids find each other by name and order. */
export const ollamaMessagesField = leaving(
	ruled(
		{ type: 'array', maxItems: maxMessages, items: requestSchema(messageField) },
		(value): ChatMessage[] => {
			if (!Array.isArray(value)) throw invalid('', 'an array of messages', value);
			if (value.length > maxMessages)
				throw invalid('', `an array of at most ${maxMessages} messages`);
			const calls = new OpenCalls();
			const messages = value.map((each: unknown, index) => {
				if (each === undefined || each === null) throw missingField(`[${index}]`);
				const at = `[${index}]`;
				const message = read(messageField, each, at);
				const { images = [] } = message;
				if (images.length > 0 && message.role !== 'user') throw imagesOfUsers(`${at}.images`);
				return withImagesFirst(readMessage(uniform(message, calls), at), images);
			});
			return fewImages(messages);
		},
	),
	(value, path) =>
		Array.isArray(value)
			? value.flatMap((each, index) => unreadFields(messageField, each, `${path}[${index}]`))
			: [],
);

/** Images stand before the text of their message. */
export function withImagesFirst(
	message: ChatMessage,
	images: readonly UnplacedImage[],
): ChatMessage {
	if (images.length === 0) return message;
	const fromEnd = message.content?.length ?? 0;
	return { ...message, images: images.map((image) => ({ ...image, fromEnd })) };
}

type SentMessage = ReturnType<(typeof messageField)['parse']>;

/** The message in the words of chat completions. */
function uniform(message: SentMessage, open: OpenCalls): Record<string, unknown> {
	const { role, content = '', thinking, tool_calls: calls = [], tool_name: name } = message;
	return {
		role,
		content,
		...(thinking === undefined ? {} : { reasoning_content: thinking }),
		...(calls.length === 0
			? {}
			: {
					tool_calls: calls.map(({ id, function: { name: called, arguments: given = {} } }) => ({
						id: open.add(called, id),
						type: 'function',
						function: {
							name: called,
							arguments: typeof given === 'string' ? given : JSON.stringify(given),
						},
					})),
				}),
		...(role === 'tool' ? { tool_call_id: open.answer(name, message.tool_call_id) } : {}),
		...(role === 'tool' && name !== undefined ? { name } : {}),
	};
}

/** Calls that no result has answered yet, in their order. */
class OpenCalls {
	/** Ids and the functions they call. */
	readonly #names = new Map<string, string>();
	readonly #ids = new Map<string, Set<string>>();
	#count = 0;

	add(name: string, id = `call_${this.#count}`): string {
		this.#count++;
		this.#names.set(id, name);
		const ids = this.#ids.get(name);
		if (ids === undefined) this.#ids.set(name, new Set([id]));
		else ids.add(id);
		return id;
	}

	/** The id of the call that a result answers. */
	answer(name: string | undefined, given: string | undefined): string {
		const ids = name === undefined ? this.#names.keys() : this.#ids.get(name)?.values();
		const id = given ?? ids?.next().value ?? `call_${this.#count}`;
		this.#ids.get(this.#names.get(id) ?? '')?.delete(id);
		this.#names.delete(id);
		return id;
	}
}

/** Fields of chats and plain prompts alike. */
export const generationFields = {
	/** Default true. */
	stream: optional(boolean),
	format: optional(formatField),
	options: optional(optionsField),
	keep_alive: optional(keepAliveField),
	think: optional(thinkField),
	logprobs: optional(boolean),
	top_logprobs: optional(topLogprobsField),
};
