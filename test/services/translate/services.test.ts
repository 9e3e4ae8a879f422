import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { openUsageFile } from '../../../server/daemon/usageFile.ts';
import type { EngineModel, Seq2SeqRequest } from '../../../server/engine/api.ts';
import { bundledCatalogue, catalogueEntries, resolveEntry } from '../../../server/hub/catalogue.ts';
import { AppError, type ModelInfo } from '../../../server/protocol/index.ts';
import type { ModelHost } from '../../../server/services/host.ts';
import { createSentenceClient } from '../../../server/services/translate/sentenceClient.ts';
import { CharacterMeter } from '../../../server/services/translate/translateLimits.ts';
import {
	createTranslateModels,
	type TranslateModels,
} from '../../../server/services/translate/translateModels.ts';
import { translateSentences } from '../../../server/services/translate/translateSentences.ts';
import {
	canonicalLanguage,
	languageCodes,
	languageName,
	scriptOf,
} from '../../../server/translate/languageCodes.ts';
import {
	fromModelCode,
	type ModelLanguages,
	readModelLanguages,
} from '../../../server/translate/modelPairs.ts';
import { SentenceCache } from '../../../server/translate/sentenceCache.ts';
import { transliterate } from '../../../server/translate/transliterate.ts';
import { sharedFolder } from '../../support/sharedData.ts';
import { temporaryFolder } from '../../support/temporaryFolder.ts';
import { until } from '../../support/until.ts';

const m2m100 = sharedFolder('models-tiny', 'm2m100-tjs');

const info = (name: string, more: Partial<ModelInfo> = {}): ModelInfo => ({
	id: `${name}:1`,
	name,
	version: '1',
	alias: name,
	displayName: name,
	task: 'translation',
	state: 'cached',
	origin: 'local',
	publisher: '',
	license: '',
	supportsToolCalling: false,
	...more,
});

function hostOf(
	models: readonly ModelInfo[],
	seq2seq: EngineModel['seq2seq'] = async () => ({ outputs: [] }),
): ModelHost {
	return {
		list: async () => models,
		resolve: async (name) => {
			const found = models.find((model) => model.id === name || model.name === name);
			if (!found) throw new AppError('model_not_found');
			return found;
		},
		acquire: async () => ({
			info: models[0] ?? info('none'),
			engine: { seq2seq } as unknown as EngineModel,
			loadMs: 0,
			[Symbol.asyncDispose]: async () => {},
		}),
		textModel: async () => {
			throw new AppError('unsupported_model');
		},
	};
}

async function withFolders(
	names: Readonly<Record<string, Readonly<Record<string, unknown>>>>,
	run: (folder: (name: string) => string) => Promise<void>,
): Promise<void> {
	const home = temporaryFolder('pairs');
	for (const [name, files] of Object.entries(names)) {
		await mkdir(join(home, name));
		for (const [file, content] of Object.entries(files))
			await writeFile(join(home, name, file), JSON.stringify(content));
	}
	await run((name) => join(home, name));
}

const marian = { 'config.json': { model_type: 'marian' } };
const folders = {
	'opus-mt-en-de': marian,
	'opus-mt-fr-en': {
		...marian,
		'tokenizer_config.json': { source_lang: 'fra', target_lang: 'eng' },
	},
	'opus-mt-en-roa': {
		...marian,
		'tokenizer_config.json': { source_lang: 'en', target_lang: 'roa' },
		'vocab.json': { '>>ita<<': 1, '>>por<<': 2, a: 3 },
	},
	m2m100: {
		'config.json': { model_type: 'm2m_100' },
		'vocab.json': { __en__: 1, __cs__: 2, __zh__: 3, __de__: 4, __fr__: 5 },
	},
	nllb: {
		'config.json': { model_type: 'm2m_100' },
		'tokenizer_config.json': { tokenizer_class: 'NllbTokenizer' },
		'special_tokens_map.json': {
			additional_special_tokens: ['eng_Latn', 'zho_Hant', 'sin_Sinh', 'srp_Cyrl'],
		},
	},
};

test('the models of a pair are chosen by kind: own pair, several pairs, through English, any to any', async () => {
	await withFolders(folders, async (folder) => {
		const all = Object.keys(folders).map((name) => info(name, { folder: folder(name) }));
		const models = createTranslateModels(hostOf(all), transliterate);
		const names = async (from: string, to: string) =>
			(await models.route(from, to)).hops.map(({ model }) => model.name);
		assert.deepEqual(await names('en', 'de'), ['opus-mt-en-de']);
		assert.deepEqual(await names('en', 'it'), ['opus-mt-en-roa']);
		assert.deepEqual(await names('fr', 'de'), ['opus-mt-fr-en', 'opus-mt-en-de']);
		assert.deepEqual(await names('fr-CA', 'de'), ['opus-mt-fr-en', 'opus-mt-en-de']);
		assert.deepEqual(await names('cs', 'de'), ['m2m100']);
		assert.deepEqual(await names('en', 'zh-Hant'), ['nllb']);
		assert.deepEqual(await names('cs', 'zh-Hant'), ['m2m100']);
		assert.equal(typeof (await models.route('cs', 'zh-Hant')).postConvert, 'function');
		assert.deepEqual(await names('de', 'de'), []);
		const [leg] = (await models.route('en', 'it')).hops;
		assert.equal(leg?.languages.targets.get('it'), 'ita');
		await assert.rejects(
			models.viaModel('opus-mt-en-de', 'en', 'fr'),
			/does not translate en to fr/,
		);
	});
});

test('what is missing is named by models that can be had, for every pair of languages', async () => {
	await withFolders(folders, async (folder) => {
		const entries = catalogueEntries(bundledCatalogue());
		const adviceOf = async (models: TranslateModels, from: string, to: string) => {
			const error = await models.route(from, to).then(
				() => undefined,
				(error: AppError) => error.message,
			);
			for (const [, name = ''] of (error ?? '').matchAll(/\b((?:opus-mt|m2m100|nllb)-?[\w-]*)/g))
				assert.ok(
					resolveEntry(entries, name, { devices: new Set(['CPU'] as const) }),
					`${from} ${to}: ${name}`,
				);
			return error?.replace(/^No installed model translates \S+ to \S+?(?=\. |, )/, '');
		};
		const none = createTranslateModels(hostOf([]), transliterate);
		for (const from of languageCodes)
			for (const to of ['en', 'de', 'ja', 'zh-Hant', 'mi', 'hsb']) await adviceOf(none, from, to);
		for (const to of languageCodes) await adviceOf(none, 'en', to);
		assert.equal(
			await adviceOf(none, 'en', 'ja'),
			'. Models of the catalogue that do: m2m100-418m; nllb-200-600m.',
		);
		assert.equal(
			await adviceOf(none, 'ja', 'de'),
			'. Models of the catalogue that do: opus-mt-ja-en and opus-mt-en-de; m2m100-418m; nllb-200-600m.',
		);
		assert.match((await adviceOf(none, 'en', 'mi')) ?? '', / nllb-200-600m\.$/);
		assert.match((await adviceOf(none, 'en', 'hsb')) ?? '', /nor does one of the catalogue\.$/);
		const some = createTranslateModels(
			hostOf([info('opus-mt-en-de', { folder: folder('opus-mt-en-de') })]),
			transliterate,
		);
		assert.match((await adviceOf(some, 'ja', 'de')) ?? '', / opus-mt-ja-en; m2m100/);
	});
});

test('the catalogue says of M2M100 which languages its files say', {
	skip: m2m100.skip,
}, async () => {
	const { sources } = await readModelLanguages(m2m100.path, 'm2m100');
	const row = bundledCatalogue().models.find(({ alias }) => alias === 'm2m100-418m');
	assert.deepEqual(
		row?.languages?.map((code) => canonicalLanguage(code)).sort(),
		[...sources.keys()].sort(),
	);
	for (const { alias, languages = [] } of bundledCatalogue().models)
		for (const code of languages) assert.ok(canonicalLanguage(code), `${alias}: ${code}`);
});

test('a model that is being downloaded is waited for, not pulled again', async () => {
	for (const models of [
		createTranslateModels(hostOf([info('opus-mt-en-ja', { state: 'downloading' })]), transliterate),
		createTranslateModels(hostOf([]), transliterate, () => ['opus-mt-en-ja:1']),
	])
		await assert.rejects(
			models.route('en', 'ja'),
			(error: AppError) => error.code === 'model_loading' && error.retryAfterS === 30,
		);
});

test('codes of models and of other services are understood', () => {
	for (const [code, language] of [
		['eng_Latn', 'en'],
		['zho_Hans', 'zh-Hans'],
		['zho_Hant', 'zh-Hant'],
		['srp_Cyrl', 'sr-Cyrl'],
		['pt_BR', 'pt'],
		['nob', 'nb'],
		['deu', 'de'],
	])
		assert.equal(fromModelCode(code ?? ''), language);
	// Tokens of a model may be called anything.
	for (const name of ['constructor', 'valueOf', '__proto__'])
		assert.equal(fromModelCode(name), undefined, name);
	for (const [written, language] of [
		['zh-CHS', 'zh-Hans'],
		['de-AT', 'de'],
		['sr-latn-RS', 'sr-Latn'],
		['iw', 'he'],
		[' EN ', 'en'],
	])
		assert.equal(canonicalLanguage(written ?? ''), language);
	for (const wrong of ['', 'xx', 'english', '..', 'de;', 'e', '中文', 'constructor', '__proto__'])
		assert.equal(canonicalLanguage(wrong), undefined);
	for (const code of languageCodes) {
		assert.equal(canonicalLanguage(code), code);
		assert.match(scriptOf(code), /^[A-Z][a-z]{3}$/);
		assert.ok(languageName(code, 'en').length > 1);
	}
});

test('windows slide: what was used leaves them after a minute and after an hour', () => {
	let now = 0;
	const meter = new CharacterMeter(() => now);
	const limits = { charactersPerMinute: 100, charactersPerHour: 250 };
	assert.equal(meter.take('a', 80, limits).kind, 'ok');
	assert.equal(meter.take('a', 40, limits).kind, 'rate');
	assert.equal(meter.take('b', 40, limits).kind, 'ok', 'callers do not share');
	now += 61_000;
	assert.equal(meter.take('a', 80, limits).kind, 'ok');
	now += 61_000;
	assert.equal(meter.take('a', 80, limits).kind, 'ok');
	now += 61_000;
	const refused = meter.take('a', 80, limits);
	assert.ok(refused.kind === 'rate' && (refused.retryAfterS ?? 0) > 3000, JSON.stringify(refused));
	const tooLarge = meter.take('a', 101, limits);
	assert.ok(tooLarge.kind === 'rate' && tooLarge.retryAfterS === undefined);
	assert.equal(
		meter.take('c', 61, { charactersPerHour: 3600 }).kind,
		'rate',
		'an hour is used up evenly',
	);
	assert.equal(meter.take('d', 1e9, {}).kind, 'ok');
});

test('a quota goes on where it was after a restart, and nobody counts from zero when the numbers are lost', async () => {
	const home = temporaryFolder('usage');
	const path = join(home, 'usage.json');
	const open = () => {
		const file = openUsageFile(path, { holds: 'What was used', guards: true }, () => {});
		return new CharacterMeter(() => 0, file.used, file.record);
	};
	const quota = 100;
	assert.equal(open().take('a', 70, { quota }).kind, 'ok');
	await until('the usage is written', () => existsSync(path));
	const sound = await readFile(path);
	assert.equal(open().take('a', 40, { quota }).kind, 'quota');
	assert.equal(open().take('a', 30, { quota }).kind, 'ok');
	for (const lose of [() => writeFile(path, 'broken'), () => rm(path)]) {
		await lose();
		const meter = open();
		assert.throws(() => meter.take('a', 1, { quota }), { code: 'store_unavailable' });
		assert.equal(meter.take('b', 1, {}).kind, 'ok', 'who has no quota loses nothing');
		await writeFile(path, sound);
		assert.equal(meter.take('a', 40, { quota }).kind, 'quota', 'the numbers are back');
	}
});

test('what keys have used is on the disk when the ending has saved it, without a wait', async () => {
	const home = temporaryFolder('usage');
	const path = join(home, 'usage.json');
	const faults: unknown[] = [];
	const file = openUsageFile(path, { holds: 'What was used' }, (error) => faults.push(error));
	await file.save();
	assert.ok(!existsSync(path), 'nothing to save makes no file');
	file.record('a', 29);
	file.record('a', 58);
	await file.save();
	file.record('b', 1);
	await file.save();
	const fresh = openUsageFile(path, { holds: 'What was used' }, () => {});
	assert.deepEqual([fresh.used('a'), fresh.used('b')], [58, 1]);
	await rm(home, { recursive: true });
	await writeFile(home, 'no folder');
	file.record('b', 2);
	await file.save();
	assert.equal(faults.length, 1, 'a save that fails is told and ends nothing');
});

test('the cache stays within its size and forgets what was used longest ago', () => {
	const cache = new SentenceCache(4000);
	const entry = { text: 'x'.repeat(40), score: 0 };
	for (let index = 0; index < 100; index++) {
		cache.set('me', `key ${index}`, entry);
		cache.get('me', 'key 0', { attention: false });
	}
	assert.ok(cache.stats.sizeBytes <= 4000);
	assert.ok(cache.get('me', 'key 0', { attention: false }), 'what is used stays');
	assert.equal(cache.get('me', 'key 1', { attention: false }), undefined);
	assert.equal(
		cache.get('me', 'key 99', { attention: true }),
		undefined,
		'an entry without attention does not serve those who need it',
	);
	cache.set('me', 'big', { text: 'x'.repeat(5000), score: 0 });
	assert.equal(cache.get('me', 'big', { attention: false }), undefined);
});

test('a sentence somebody had translated is translated again for the next person', async () => {
	const asked: string[] = [];
	const host = hostOf([info('opus-mt-en-de')], async ({ items }) => {
		asked.push(...items.map(({ text }) => text));
		return {
			outputs: items.map(({ text }) => ({
				text: `Satz ${text.length}.`,
				tokenIds: [],
				score: 0,
				reason: 'stop' as const,
			})),
		};
	});
	const deps = { client: createSentenceClient(host), cache: new SentenceCache(100_000) };
	const translate = async (owner: string | undefined) => {
		asked.length = 0;
		const options = { owner, priority: 'interactive' } as const;
		const route = { hops: [leg('en', 'de')] };
		const [done] = await translateSentences(['A secret'], route, { links: false }, options, deps);
		assert.equal(done?.text, 'Satz 8.');
		return asked.length;
	};
	assert.deepEqual([await translate('alice'), await translate('alice')], [1, 0]);
	assert.deepEqual([await translate('bob'), await translate('bob')], [1, 0]);
	assert.deepEqual([await translate(undefined), await translate(undefined)], [1, 1]);
	assert.equal(await translate('alice'), 0, 'hers is still there');
});

test('the sentences of a request go over together, those of another apart; options part them', async () => {
	const calls: Seq2SeqRequest[] = [];
	const host = hostOf([info('m')], async (request) => {
		calls.push(request);
		return {
			outputs: request.items.map(({ text }) => ({
				text: text.toUpperCase(),
				tokenIds: [],
				score: 0,
				reason: 'stop' as const,
			})),
		};
	});
	const client = createSentenceClient(host);
	const interactive = { priority: 'interactive' as const };
	const [one, other] = [new AbortController().signal, new AbortController().signal];
	const results = await Promise.all([
		...Array.from({ length: 300 }, (_, index) =>
			client.translate('m', { text: `a ${index}` }, interactive, one),
		),
		client.translate('m', { text: 'wide' }, { ...interactive, beams: 4 }, one),
		client.translate('m', { text: 'other' }, interactive, other),
	]);
	assert.deepEqual(
		results.slice(0, 300).map(({ text }) => text),
		Array.from({ length: 300 }, (_, index) => `A ${index}`),
	);
	assert.deepEqual(
		calls.map(({ items, beams = 1 }) => `${items.length} by ${beams}`),
		['64 by 1', '64 by 1', '64 by 1', '64 by 1', '44 by 1', '1 by 4', '1 by 1'],
	);
	assert.ok(calls.every(({ isAdmitted }) => isAdmitted));
	await assert.rejects(
		client.translate('m', { text: 'late' }, interactive, AbortSignal.abort()),
		(error: AppError) => error.code === 'cancelled',
	);
});

test('a failure of the engine reaches exactly those who waited for it', async () => {
	let fail = true;
	const host = hostOf([info('m')], async (request) => {
		if (fail) throw new AppError('runner_crashed');
		return {
			outputs: request.items.map(({ text }) => ({
				text,
				tokenIds: [],
				score: 0,
				reason: 'stop' as const,
			})),
		};
	});
	const client = createSentenceClient(host);
	const translate = () => client.translate('m', { text: 'a' }, { priority: 'batch' });
	await assert.rejects(translate(), (error: AppError) => error.code === 'runner_crashed');
	fail = false;
	assert.equal((await translate()).text, 'a');
});

const languages: ModelLanguages = {
	family: 'marian',
	sources: new Map([['en', 'en']]),
	targets: new Map([['de', 'de']]),
	tagged: { source: false, target: false },
	contextLength: 512,
	bilingual: true,
};
const leg = (source: string, target: string) => ({
	model: info(`${source}-${target}`),
	languages,
	source,
	target,
});

test('a loop is tried again without repeated groups; what still loops is copied', async () => {
	const asked: (number | undefined)[] = [];
	const host = hostOf([info('m')], async ({ items, noRepeatNgram }) => {
		asked.push(noRepeatNgram);
		return {
			outputs: items.map(({ text }) => ({
				text:
					noRepeatNgram === undefined || text.startsWith('Hopeless')
						? 'der der der der der der'
						: 'Gut gemacht.',
				tokenIds: [],
				score: 0,
				reason: 'stop' as const,
			})),
		};
	});
	const deps = { client: createSentenceClient(host), cache: new SentenceCache(100_000) };
	const results = await translateSentences(
		['Well done.', 'Hopeless case.'],
		{ hops: [leg('en', 'de')] },
		{ links: false },
		{ owner: 'me', priority: 'interactive' },
		deps,
	);
	assert.deepEqual(
		results.map(({ text }) => text),
		['Gut gemacht.', 'Hopeless case.'],
	);
	assert.deepEqual(asked, [undefined, 3]);
});

test('a sentence the model cannot read at once is read in parts, and fails nobody else', async () => {
	const host = hostOf([info('m')], async ({ items }) => {
		const tooLong = items.flatMap(({ text }, index) => (text.length > 20 ? [index] : []));
		if (tooLong.length > 0)
			throw new AppError('context_length_exceeded', undefined, { data: { items: tooLong } });
		return {
			outputs: items.map(({ text }) => ({
				text: text.toUpperCase(),
				tokenIds: [],
				score: 0,
				reason: 'stop' as const,
			})),
		};
	});
	const deps = { client: createSentenceClient(host), cache: new SentenceCache(100_000) };
	const texts = ['short', 'many little words that go on and on {0} for ever', '世'.repeat(50)];
	const results = await translateSentences(
		texts,
		{ hops: [leg('en', 'de')] },
		{ links: true },
		{ owner: 'me', priority: 'interactive' },
		deps,
	);
	assert.deepEqual(
		results.map(({ text }) => text),
		texts.map((text) => text.toUpperCase()),
	);
});

test('a lost placeholder is looked for in a wider search', async () => {
	const asked: (number | undefined)[] = [];
	const host = hostOf([info('m')], async ({ items, beams }) => {
		asked.push(beams);
		return {
			outputs: items.map(() => ({
				text: 'Öffne es.',
				tokenIds: [],
				score: 0,
				reason: 'stop' as const,
				...(beams === 4
					? {
							alternatives: [
								{ text: 'Öffne {0} {0}.', score: 0 },
								{ text: 'Öffne {0}.', score: 0 },
							],
						}
					: {}),
			})),
		};
	});
	const deps = { client: createSentenceClient(host), cache: new SentenceCache(100_000) };
	const [result] = await translateSentences(
		['Open {0}.'],
		{ hops: [leg('en', 'de')] },
		{ links: false },
		{ owner: 'me', priority: 'interactive' },
		deps,
	);
	assert.equal(result?.text, 'Öffne {0}.');
	assert.deepEqual(asked, [undefined, 4]);
});

test('a bare word that comes back as it went is asked for as a sentence', async () => {
	const known: Readonly<Record<string, string>> = { 'Hello.': 'Hallo.', 'Berlin.': 'Berlin.' };
	const asked: string[] = [];
	const host = hostOf([info('m')], async ({ items }) => {
		asked.push(...items.map(({ text }) => text));
		return {
			outputs: items.map(({ text }) => ({
				text: known[text] ?? text,
				tokenIds: [],
				score: 0,
				reason: 'stop' as const,
			})),
		};
	});
	const results = await translateSentences(
		['Hello', 'Berlin', 'HTTP', 'Stays as it is {0}.'],
		{ hops: [leg('en', 'de')] },
		{ links: false },
		{ owner: 'me', priority: 'interactive' },
		{ client: createSentenceClient(host), cache: new SentenceCache(100_000) },
	);
	assert.deepEqual(
		results.map(({ text }) => text),
		['Hallo', 'Berlin', 'HTTP', 'Stays as it is {0}.'],
	);
	assert.deepEqual(asked.slice(4).sort(), ['Berlin.', 'Hello.']);
});

test('a model that cannot align is asked without it, once, and words are linked by what they are', async () => {
	const asked: (boolean | undefined)[] = [];
	const host = hostOf([info('m')], async ({ items, alignment }) => {
		asked.push(alignment);
		if (alignment)
			throw new AppError('unsupported_parameter', 'No alignment.', { param: 'alignment' });
		return {
			outputs: items.map(({ text }) => ({
				text: text.replace('Page', 'Seite'),
				tokenIds: [],
				score: 0,
				reason: 'stop' as const,
			})),
		};
	});
	const deps = { client: createSentenceClient(host), cache: new SentenceCache(100_000) };
	const run = () =>
		translateSentences(
			['Page 42.'],
			{ hops: [leg('en', 'de')] },
			{ links: true },
			{ owner: 'me', priority: 'interactive' },
			deps,
		);
	const [result] = await run();
	assert.equal(result?.text, 'Seite 42.');
	assert.deepEqual(
		result?.links?.map(({ source }) => 'Page 42.'.slice(...source)),
		['42', '.'],
	);
	await run();
	assert.deepEqual(asked, [true, false], 'the second time the answer is remembered');
});

test('through a third language the links of both steps are joined', async () => {
	const host = hostOf([info('m')], async ({ items }) => ({
		outputs: items.map(({ text }) => {
			const words = text.split(' ').reverse();
			const spans = (list: readonly string[]) => {
				let at = 0;
				return list.map((word): [number, number] => {
					const span: [number, number] = [at, at + word.length];
					at += word.length + 1;
					return span;
				});
			};
			const attention = new Float32Array(words.length ** 2);
			words.forEach((_, index) => {
				attention[index * words.length + (words.length - 1 - index)] = 1;
			});
			return {
				text: words.join(' '),
				tokenIds: [],
				score: 0,
				reason: 'stop' as const,
				sourceSpans: spans(text.split(' ')),
				targetSpans: spans(words),
				attention,
			};
		}),
	}));
	const deps = { client: createSentenceClient(host), cache: new SentenceCache(100_000) };
	const [result] = await translateSentences(
		['ab cde f'],
		{ hops: [leg('fr', 'en'), leg('en', 'de')] },
		{ links: true },
		{ owner: 'me', priority: 'interactive' },
		deps,
	);
	assert.equal(result?.text, 'ab cde f');
	assert.deepEqual(
		result?.links?.map(({ source, target }) => [source, target]),
		[
			[
				[0, 2],
				[0, 2],
			],
			[
				[3, 6],
				[3, 6],
			],
			[
				[7, 8],
				[7, 8],
			],
		],
	);
});
