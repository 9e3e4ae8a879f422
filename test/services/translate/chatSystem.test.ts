/** Chat models as systems of the translation service: how they are chosen, and what comes of whole texts. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AppError, type ModelInfo } from '../../../server/protocol/index.ts';
import type { ModelHost } from '../../../server/services/host.ts';
import type { ChatUpstreams } from '../../../server/services/translate/chatSystems.ts';
import type { SentenceClient } from '../../../server/services/translate/sentenceClient.ts';
import type { TranslateRequest } from '../../../server/services/translate/translateRequest.ts';
import { createTranslateService } from '../../../server/services/translate/translateService.ts';
import type { CustomSystem } from '../../../server/services/translate/translateSystems.ts';
import { categoryName } from '../../../server/services/translate/translateSystems.ts';
import { termFinder } from '../../../server/translate/glossary.ts';
import { languageToolsHere } from '../../../server/translate/languageTools.ts';
import { memoryLookup, memoryNeighbours } from '../../../server/translate/memory.ts';
import { SentenceCache } from '../../../server/translate/sentenceCache.ts';
import { askedTexts, type ScriptedChat, scriptedChat } from '../../support/scriptedChat.ts';

const chatModel = (name: string): ModelInfo => ({
	id: `${name}:1`,
	...{ name, version: '1', alias: name, displayName: name, publisher: '', license: '' },
	task: 'chat-completion',
	state: 'cached',
	origin: 'local',
	supportsToolCalling: false,
	contextLength: 4096,
});

const request: TranslateRequest = {
	owner: 'local',
	texts: [],
	targets: [{ language: 'de' }],
	source: 'en',
	textType: 'plain',
	allowFallback: true,
	profanityAction: 'NoAction',
	profanityMarker: 'Asterisk',
	alignment: false,
	priority: 'interactive',
};

function newService(chat: ScriptedChat, custom?: CustomSystem, upstreams?: ChatUpstreams) {
	const rows = [chatModel('small'), chatModel('big')];
	const host: ModelHost = {
		list: async (task) => (task === 'chat-completion' ? rows : []),
		resolve: () => Promise.reject(new AppError('model_not_found')),
		acquire: () => Promise.reject(new AppError('model_not_found')),
		textModel: () => Promise.reject(new AppError('model_not_found')),
	};
	const client: SentenceClient = { translate: () => assert.fail('no other model is asked') };
	return createTranslateService({
		...{ host, client, language: languageToolsHere, cache: new SentenceCache(1 << 20) },
		generateChat: chat.ask,
		...(upstreams ? { upstreams } : {}),
		custom: {
			find: async (category) => (category === custom?.category ? custom : undefined),
			list: async () => [],
			terms: async () => [],
			dictionaryPairs: async () => [],
		},
	});
}

const textsOf = async (
	service: ReturnType<typeof newService>,
	more: Partial<TranslateRequest>,
): Promise<string[]> => {
	const { items } = await service.translate({ ...request, ...more });
	return items.map(({ translations }) => translations[0]?.text ?? '');
};

test('a chat model translates any pair by its name, and the answer names it', async () => {
	const chat = scriptedChat();
	const service = newService(chat);
	for (const [category, model] of [
		['chat:big', 'big:1'],
		['big', 'big:1'],
		['chat:small:1', 'small:1'],
	] as const) {
		const made = await service.translate({
			...{ ...request, texts: ['One. Two.', 'Three.'], category },
			...{ source: 'mi', targets: [{ language: 'yo' }] },
		});
		assert.equal(made.items[0]?.translations[0]?.text, 'ONE. TWO.');
		assert.deepEqual([made.models, made.systems, made.refused], [[model], ['Custom'], 0]);
	}
	assert.deepEqual(
		chat.asked.map((question) => Object.values(askedTexts(question).sentences)),
		[
			['One.', 'Two.', 'Three.'],
			['One.', 'Two.', 'Three.'],
		],
		'texts of a request stand in one prompt, and what is known is not asked for again',
	);
	assert.deepEqual(
		(await service.systems()).systems.map(({ name }) => name),
		['general', 'chat:small:1', 'chat:big:1'],
	);
});

test('without its name no chat model is asked', async () => {
	const chat = scriptedChat();
	const service = newService(chat);
	await assert.rejects(textsOf(service, { texts: ['One.'] }), { code: 'model_not_found' });
	await assert.rejects(textsOf(service, { texts: ['One.'], category: 'chat:none' }), {
		code: 'model_not_found',
	});
	for (const more of [{ tone: 'formal' }, { gender: 'male' }] as const)
		await assert.rejects(textsOf(service, { texts: ['One.'], ...more }), /takes a chat model/);
	assert.equal(chat.asked.length, 0);
	for (const name of ['constructor', '__proto__', 'chat:constructor'])
		assert.equal(categoryName(name), name);
	await assert.rejects(textsOf(service, { texts: ['One.'], category: 'constructor' }), {
		code: 'model_not_found',
	});
});

test('a chat model of an engine elsewhere translates by its full name alone', async () => {
	const chat = scriptedChat();
	const entry = { name: 'lab', url: 'http://127.0.0.1:1/v1', models: [], timeoutS: 9 };
	const models = [
		{ id: 'org/poly:7b', contextLength: 32_768 },
		{ id: 'bge', task: 'feature-extraction' },
	] as const;
	const engine = { entry, models: async () => models, lastModels: [] };
	const upstreams = {
		find: async (name: string) => {
			if (name.startsWith('lab/secret')) throw new AppError('model_not_found', 'not allowed');
			if (!name.startsWith('lab/')) return undefined;
			return { upstream: engine, model: name.slice(4), id: name };
		},
		list: async () =>
			models.map((model) => ({ ...model, fullId: `lab/${model.id}`, host: 'lab:8000', uses: [] })),
	} as unknown as ChatUpstreams;
	const service = newService(chat, undefined, upstreams);
	const category = categoryName('chat:lab/org/poly:7b') ?? assert.fail();
	const made = await service.translate({ ...request, texts: ['One.'], category, tone: 'formal' });
	assert.equal(made.items[0]?.translations[0]?.text, 'ONE.');
	assert.deepEqual(made.models, ['lab/org/poly:7b']);
	assert.equal(chat.asked[0]?.model, 'lab/org/poly:7b');
	assert.ok((await service.systems()).systems.some(({ name }) => name === category));
	assert.ok(!(await service.systems()).systems.some(({ name }) => name.includes('bge')));
	for (const name of ['chat:lab/secret', 'chat:other/poly'])
		await assert.rejects(textsOf(service, { texts: ['One.'], category: name }), {
			code: 'model_not_found',
			param: 'category',
		});
	for (const name of ['lab/org/poly', 'chat:../../x', 'chat:/etc', 'chat:lab/', 'chat:lab/a b'])
		assert.equal(categoryName(name), undefined);
	assert.equal(chat.asked.length, 1);
});

test('masks, tags and line ends of a text come through a chat model', async () => {
	const chat = scriptedChat((text) =>
		text.replace(/Click <x1>Save<\/x1>/, '<x1>SICHERN</x1> drücken'),
	);
	const service = newService(chat);
	const [html = ''] = await textsOf(service, {
		texts: ['<p>Click <b>Save</b> to keep <code>a.b</code>.</p>\n<p translate="no">No</p>'],
		...{ textType: 'html', category: 'chat' },
	});
	assert.equal(
		html,
		'<p><b>SICHERN</b> drücken to keep <code>a.b</code>.</p>\n<p translate="no">No</p>',
	);
	const sent = Object.values(askedTexts(chat.asked[0] ?? assert.fail()).sentences);
	assert.match(sent[0] ?? '', /^Click <x1>Save<\/x1> to keep/);
	const [plain] = await textsOf(service, {
		texts: ['  Run `npm i` now.\r\n\tThen %s stops.\n'],
		category: 'chat',
	});
	assert.equal(plain, '  Run `npm i` now.\r\n\tThen %s stops.\n');
});

test('tags that a model has lost go where the words went', async () => {
	const chat = scriptedChat((text) => text.replace(/<\/?x\d>/g, '').toUpperCase());
	const [html = ''] = await textsOf(newService(chat), {
		texts: ['<p>Open <b>README</b> now.</p>'],
		...{ textType: 'html', category: 'chat' },
	});
	assert.equal(html, '<p>OPEN <b>README</b> NOW.</p>');
	assert.ok(chat.asked.length >= 2);
});

test('a custom system gives a chat model its terms, neighbours and guidance', async () => {
	const like = { source: 'The file was saved.', target: 'Die Datei wurde gesichert.' };
	const pairs = [like, { source: 'It works.', target: 'Es geht.' }];
	const term = { source: 'file', target: 'Akte', caseSensitive: false, examples: [] };
	const custom: CustomSystem = {
		category: 'docs',
		model: 'chat:big',
		terms: termFinder([term], 'en'),
		memory: memoryLookup(pairs),
		neighbours: memoryNeighbours(pairs),
		guidance: { description: 'An archive', tone: 'formal' },
	};
	const chat = scriptedChat();
	const texts = ['It works.', 'The file was not saved.'];
	const comments = [undefined, 'A fault'];
	const found = await textsOf(newService(chat, custom), { texts, comments, category: 'docs' });
	assert.deepEqual(found, ['Es geht.', 'THE Akte WAS NOT SAVED.']);
	const [question = assert.fail()] = chat.asked;
	assert.equal(question.model, 'big:1');
	assert.match(question.messages[0]?.content ?? '', /formally[\s\S]*"An archive"/);
	assert.deepEqual(askedTexts(question), {
		sentences: { 1: 'The {0} was not saved.' },
		placeholders: { 1: { '{0}': 'Akte' } },
		comments: { 1: 'A fault' },
		examples: [like],
	});
	// The request knows better than the system.
	await textsOf(newService(chat, custom), { texts, category: 'docs', tone: 'informal' });
	assert.match(chat.asked.at(-1)?.messages[0]?.content ?? '', /informally/);
});

test('a sentence that is refused stays as it was and is counted', async () => {
	const chat = scriptedChat((text) => (text.startsWith('Bad') ? '' : text.toUpperCase()));
	const service = newService(chat);
	const texts = ['Good one. Bad `x` one.', 'Fine.'];
	const made = await service.translate({ ...request, texts, category: 'chat' });
	assert.deepEqual(
		made.items.map(({ translations }) => translations[0]?.text),
		['GOOD ONE. Bad `x` one.', 'FINE.'],
	);
	assert.equal(made.refused, 1);
	assert.equal(made.items[0]?.translations[0]?.refused.length, 1);
	await assert.rejects(textsOf(service, { texts: ['Bad one.'], category: 'chat' }), {
		code: 'unsupported_model',
	});
	const several = await textsOf(service, { texts: ['Bad one.', 'Bad two.'], category: 'chat' });
	assert.deepEqual(several, ['Bad one.', 'Bad two.']);
});
