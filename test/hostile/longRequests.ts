/** Requests that are long, or whose answers are: as many values, fields, texts and tokens as routes take. */

import type { HostileRequest } from './holds.ts';

const words = 'Some words of an ordinary text. ';
const list = <T>(length: number, item: (index: number) => T): T[] =>
	Array.from({ length }, (_, at) => item(at));
const fields = (count: number) => Object.fromEntries(list(count, (at) => [`k${at}`, 'v']));
/** Thirty fields, hardly ever the same ones in the same order. */
const manyShaped = (at: number) =>
	Object.fromEntries(list(30, (name) => [`k${(at * 31 + name * (at % 97)) % 19_000}`, 1]));
const post = (name: string, path: string, value: unknown): HostileRequest => ({
	name,
	path,
	body: typeof value === 'string' ? value : JSON.stringify(value),
});
const message = { role: 'user', content: 'hi' };
const chat = (name: string, more: object) =>
	post(name, '/v1/chat/completions', {
		model: 'good',
		messages: [message],
		max_tokens: 2,
		...more,
	});
const translate = (query: string) =>
	`/translate?api-version=3.0&to=de&includeAlignment=true&includeSentenceLength=true${query}`;
const called = { type: 'function_call', call_id: 'a', name: 'f', arguments: '{}' };

/** For a model called `good`, whose tokens are bytes, and the built-in models. */
export const longRequests: readonly HostileRequest[] = [
	post('4 MB to tokens', '/tokenize', { model: 'good', content: words.repeat(130_000) }),
	post('1 MB to pieces', '/tokenize', {
		model: 'good',
		content: words.repeat(32_000),
		with_pieces: true,
	}),
	post('399,000 tokens to text', '/detokenize', {
		model: 'good',
		tokens: list(399_000, (at) => at % 256),
	}),
	post('a prompt of 399,000 tokens', '/v1/completions', {
		model: 'good',
		prompt: list(399_000, (at) => at % 256),
	}),
	post('64 prompts of 6,000 tokens', '/v1/embeddings', {
		model: 'good',
		input: list(64, () => list(6000, (at) => at % 256)),
	}),
	chat('10,000 messages', { messages: list(10_000, () => message) }),
	chat('fields of many shapes, too many', {
		unknown: list(4000, manyShaped),
	}),
	chat('90,000 messages', { messages: list(90_000, () => message) }),
	chat('90,000 parts of a message', {
		messages: [{ role: 'user', content: list(90_000, () => ({ type: 'text', text: 'hi' })) }],
	}),
	chat('a message of 8 MB', { messages: [{ role: 'user', content: words.repeat(240_000) }] }),
	chat('390,000 unknown fields', fields(390_000)),
	chat('19,000 unknown fields', fields(19_000)),
	chat('19,000 fields of metadata', { metadata: fields(19_000) }),
	chat('10,000 biases', { logit_bias: Object.fromEntries(list(10_000, (at) => [at, 1])) }),
	chat('130,000 nested lists', { unknown: list(130_000, () => [[1]]) }),
	chat('objects of many shapes', {
		unknown: list(1600, manyShaped),
	}),
	chat('100,000 ends', { stop: list(100_000, (at) => `s${at}`) }),
	chat('20,000 tools', {
		tools: list(20_000, (at) => ({
			type: 'function',
			function: { name: `f${at}`, parameters: { type: 'object', properties: {} } },
		})),
	}),
	chat('390,000 allowed values', {
		response_format: {
			type: 'json_schema',
			json_schema: { name: 'x', schema: { enum: list(390_000, (at) => `s${at}`) } },
		},
	}),
	post('10,000 calls of tools', '/v1/responses', {
		model: 'good',
		input: [message, ...list(9999, () => called)],
	}),
	post('90,000 items', '/v1/responses', { model: 'good', input: list(90_000, () => message) }),
	post(
		'1,000 texts',
		translate('&from=en'),
		list(1000, (at) => ({ Text: `File ${at} is here.` })),
	),
	post(
		'1,000 texts of no known language',
		translate(''),
		list(1000, (at) => ({ Text: `File ${at} is here.` })),
	),
	post('16,000 sentences', translate('&from=en'), [{ Text: 'A. '.repeat(16_000) }]),
	post('2,600 sentences whose words are aligned', translate('&from=en'), [
		{ Text: 'Remove the window. '.repeat(2600) },
	]),
	post('10,000 ends of sentences', '/breaksentence?api-version=3.0&language=en', [
		{ Text: 'A b. '.repeat(10_000) },
	]),
	post(
		'100 languages',
		'/detect?api-version=3.0',
		list(100, () => ({ Text: words.repeat(15) })),
	),
	post(
		'5,000 characters of Japanese',
		'/transliterate?api-version=3.0&language=ja&fromScript=Jpan&toScript=Latn',
		[{ Text: '日本語の文字列を読む'.repeat(500) }],
	),
	post('8 MB in the other form', '/libretranslate/detect', { q: words.repeat(240_000) }),
	post('20 MB of ordinary text', '/documents/translate', {
		fileName: 'a.txt',
		text: `${words.repeat(2)}\n\n`.repeat(310_000),
		to: 'en',
		from: 'en',
	}),
	post('8 MB of brackets', '/v1/chat/completions', '['.repeat(8_000_000)),
	post('8 MB of numbers', '/v1/chat/completions', `[${'0,'.repeat(3_990_000)}0]`),
];
