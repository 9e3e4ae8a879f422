/** One small request for everything that a daemon loads, compiles or measures when it is first needed. */

import type { HostileRequest } from './holds.ts';
import { wideModels } from './modelFolders.ts';

const body = (value: unknown) => JSON.stringify(value);
const translator = (route: string, query: Readonly<Record<string, string>>, text?: string) => ({
	name: `first ${route} ${Object.values(query).join(' ')}`,
	path: `/${route}?${new URLSearchParams({ 'api-version': '3.0', ...query })}`,
	...(text === undefined ? {} : { body: body([{ Text: text, Translation: 'Datei' }]) }),
});

const transliterated = [
	['ja', 'Jpan', 'Latn', '日本語の文字列を読む'],
	['zh-Hans', 'Hans', 'Latn', '汉字的文字'],
	['zh-Hans', 'Hans', 'Hant', '汉字的文字'],
	['zh-Hans', 'Latn', 'Hans', 'zhongguo'],
	['ru', 'Cyrl', 'Latn', 'Привет'],
	['ar', 'Arab', 'Latn', 'مرحبا'],
	['hi', 'Deva', 'Latn', 'नमस्ते'],
	['hi', 'Latn', 'Deva', 'namaste'],
	['th', 'Thai', 'Latn', 'สวัสดี'],
	['ko', 'Kore', 'Latn', '안녕하세요'],
] as const;

const chat = (model: string, more: object = {}) => ({
	path: '/v1/chat/completions',
	body: body({ model, messages: [{ role: 'user', content: 'hi' }], max_tokens: 4, ...more }),
});

const documents = 'md html json yaml po xliff srt vtt txt properties strings resx xml arb'.split(
	' ',
);

/** Of a daemon that has the built-in models and one called `good`. */
export const firstUses: readonly HostileRequest[] = [
	translator('detect', {}, 'Where are the words of yesterday'),
	translator('detect', { of: 'Chinese' }, '漢字的文字'),
	...transliterated.map(([language, fromScript, toScript, text]) =>
		translator('transliterate', { language, fromScript, toScript }, text),
	),
	...['en', 'zh-Hans', 'ja', 'th'].map((language) =>
		translator('breaksentence', { language }, '日本語の。汉字的文字。 สวัสดี a b.'),
	),
	translator('translate', { from: 'en', to: 'de', textType: 'html' }, '<b>The file</b> is here.'),
	translator('translate', { from: 'en', to: 'de', profanityAction: 'Marked' }, 'The damn file.'),
	translator('translate', { to: 'de' }, 'The file could not be saved.'),
	translator('dictionary/lookup', { from: 'en', to: 'de' }, 'file'),
	translator('dictionary/examples', { from: 'en', to: 'de' }, 'file'),
	translator('languages', {}),
	...documents.map((ending) => ({
		name: `first document .${ending}`,
		path: '/documents/translate',
		body: body({ fileName: `a.${ending}`, text: 'Hello you.', from: 'en', to: 'de' }),
	})),
	...wideModels.map((model) => ({
		name: `first /api/show of ${model}`,
		path: '/api/show',
		body: body({ model }),
	})),
	...['/openapi.json', '/v1/models', '/svc/list', '/api/tags', '/openai/status'].map((path) => ({
		name: `first ${path}`,
		path,
	})),
	...['list', 'gpus', 'suggest'].map((route) => ({
		name: `first ${route} of models`,
		path: `/nearglot/models/${route}`,
	})),
	{
		name: 'first tool of MCP',
		path: '/mcp',
		body: body({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
	},
	{ name: 'first count', path: '/tokenize', body: body({ model: 'good', content: 'hello' }) },
	{ name: 'first chat', ...chat('good') },
	{ name: 'first chat of the built-in model', ...chat('starter-chat') },
	{ name: 'first JSON', ...chat('good', { response_format: { type: 'json_object' } }) },
	{
		name: 'first response',
		path: '/v1/responses',
		body: body({ model: 'good', input: 'hi', max_output_tokens: 4 }),
	},
	{
		name: 'first translation in the other form',
		path: '/libretranslate/translate',
		body: body({ q: 'Hello', source: 'en', target: 'de' }),
	},
];
