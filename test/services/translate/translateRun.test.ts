/** What a translation asks of its surroundings, and how often. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AppError } from '../../../server/protocol/index.ts';
import type { ModelHost } from '../../../server/services/host.ts';
import type { SentenceClient } from '../../../server/services/translate/sentenceClient.ts';
import type { TranslateModels } from '../../../server/services/translate/translateModels.ts';
import type { TranslateRequest } from '../../../server/services/translate/translateRequest.ts';
import { translateSentences } from '../../../server/services/translate/translateSentences.ts';
import { createTranslateService } from '../../../server/services/translate/translateService.ts';
import { languageToolsHere } from '../../../server/translate/languageTools.ts';
import type { ModelLanguages } from '../../../server/translate/modelPairs.ts';
import { SentenceCache } from '../../../server/translate/sentenceCache.ts';

const languages: ModelLanguages = {
	family: 'marian',
	sources: new Map(),
	targets: new Map(),
	tagged: { source: false, target: false },
	contextLength: 512,
	bilingual: true,
};
const model = {
	id: 'any:1',
	name: 'any',
	version: '1',
	alias: 'any',
	displayName: 'any',
	task: 'translation',
	state: 'loaded',
	origin: 'local',
	publisher: '',
	license: '',
	supportsToolCalling: false,
} as const;
const host: ModelHost = {
	list: async () => [],
	resolve: () => Promise.reject(new AppError('model_not_found')),
	acquire: () => Promise.reject(new AppError('model_not_found')),
	textModel: () => Promise.reject(new AppError('model_not_found')),
};
const request = {
	owner: 'local',
	textType: 'plain',
	allowFallback: true,
	profanityAction: 'NoAction',
	profanityMarker: 'Asterisk',
	alignment: false,
	priority: 'interactive',
} as const;

/** Translates to upper case, and says what was asked. */
function newService() {
	const asked: string[] = [];
	const models: TranslateModels = {
		installed: async () => [],
		route: async (source, target) => {
			asked.push(`${source}-${target}`);
			return { hops: [{ model, languages, source, target }] };
		},
		named: async () => undefined,
		viaModel: (_name, source, target) => models.route(source, target),
	};
	const client: SentenceClient = {
		translate: async (_model, { text }) => ({
			text: text.toUpperCase(),
			tokenIds: [],
			score: 0,
			reason: 'stop',
		}),
	};
	const service = createTranslateService({
		host,
		models,
		client,
		language: languageToolsHere,
		cache: new SentenceCache(1 << 20),
		custom: {
			find: async (category, source, target) => {
				asked.push(`${category} ${source}-${target}`);
				return undefined;
			},
			list: async () => [],
			terms: async () => [],
			dictionaryPairs: async () => [],
		},
	});
	return { service, asked };
}

test('a run chooses what translates once for each source, target and category', async () => {
	const { service, asked } = newService();
	const texts = Array.from({ length: 50 }, (_, index) => `The house number ${index} is old.`);
	const whole: TranslateRequest = {
		...request,
		texts,
		source: 'en',
		targets: [{ language: 'de' }, { language: 'fr' }],
	};
	const run = service.newRun();
	await run.check(whole);
	const { items } = await run.translate(whole);
	assert.equal(items[49]?.translations[1]?.text, 'THE HOUSE NUMBER 49 IS OLD.');
	assert.deepEqual(asked, ['en-de', 'en-fr']);
	const { source: _, ...detected } = whole;
	await run.translate(detected);
	assert.deepEqual(asked, ['en-de', 'en-fr']);
	await run.translate({ ...whole, category: 'own', targets: [{ language: 'de' }] });
	assert.deepEqual(asked.slice(2), ['own en-de', 'en-de']);
	await service.translate({ ...whole, targets: [{ language: 'de' }] });
	assert.deepEqual(asked.slice(4), ['en-de']);
});

test('what is wrong with some sentences is seen to side by side', async () => {
	const log: string[] = [];
	const answers: Record<string, string> = {
		'The end is near.': 'Das das das das das das das das das das das das das das das das.',
		'Save {0} now.': 'Jetzt speichern.',
		House: 'House',
		'House.': 'Haus.',
	};
	const client: SentenceClient = {
		translate: async (_model, { text }, options) => {
			const again = options.noRepeatNgram !== undefined || options.alternatives !== undefined;
			const repaired = text.startsWith('Save') ? 'Speichere {0} jetzt.' : 'Das Ende ist nahe.';
			log.push(`begin ${text}${again ? ' again' : ''}`);
			await new Promise((resolve) => setImmediate(resolve));
			log.push(`end ${text}${again ? ' again' : ''}`);
			const made = again ? repaired : (answers[text] ?? text);
			return { text: made, tokenIds: [], score: 0, reason: 'stop' };
		},
	};
	const texts = ['The end is near.', 'Save {0} now.', 'House'];
	const results = await translateSentences(
		texts,
		{ hops: [{ model, languages, source: 'en', target: 'de' }] },
		{ links: false },
		{ owner: 'local', priority: 'interactive' },
		{ client, cache: new SentenceCache(1 << 20) },
	);
	assert.deepEqual(
		results.map(({ text }) => text),
		['Das Ende ist nahe.', 'Speichere {0} jetzt.', 'Haus'],
	);
	assert.deepEqual(log.slice(6), [
		'begin The end is near. again',
		'begin Save {0} now. again',
		'begin House.',
		'end The end is near. again',
		'end Save {0} now. again',
		'end House.',
	]);
});

test('a sentence of which the built-in model is not sure stays as it is where that is wanted', async () => {
	const builtIn = { ...model, origin: 'built-in' } as const;
	const hop = (source: string, target: string, of: { origin: 'built-in' | 'local' }) => ({
		...{ model: { ...model, ...of }, languages, source, target },
	});
	const client: SentenceClient = {
		translate: async (_model, { text }) => ({
			text: text.toUpperCase(),
			...{ tokenIds: [], reason: 'stop' as const },
			score: text.toLowerCase().includes('odd') ? -2 : -0.2,
		}),
	};
	const done = (hops: ReturnType<typeof hop>[], minQuality?: number) =>
		translateSentences(
			['open the odd file', 'open the file'],
			{ hops },
			{ links: true },
			{ priority: 'batch', owner: 'a', ...(minQuality === undefined ? {} : { minQuality }) },
			{ client, cache: new SentenceCache(1 << 20) },
		);
	const textsOf = (results: Awaited<ReturnType<typeof done>>) => results.map(({ text }) => text);
	const all = await done([hop('en', 'de', builtIn)]);
	assert.deepEqual(textsOf(all), ['OPEN THE ODD FILE', 'OPEN THE FILE']);
	assert.ok((all[0]?.quality ?? 1) < 0.2 && (all[1]?.quality ?? 0) > 0.5, JSON.stringify(all));
	const sure = await done([hop('en', 'de', builtIn)], 0.2);
	assert.deepEqual(textsOf(sure), ['open the odd file', 'OPEN THE FILE']);
	assert.equal(sure[0]?.links?.length, 4, 'its words are linked to themselves');
	// Whichever step is doubtful, the source comes out, not what lies between.
	const chain = [hop('de', 'en', { origin: 'local' }), hop('en', 'fr', builtIn)];
	assert.deepEqual(textsOf(await done(chain, 0.2))[0], 'open the odd file');
	// Models that somebody has chosen are taken at their word.
	const own = await done([hop('en', 'de', { origin: 'local' })], 0.2);
	assert.equal(own[0]?.text, 'OPEN THE ODD FILE');
});
