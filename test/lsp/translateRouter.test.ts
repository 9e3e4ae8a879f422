import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseEditorSettings } from '../../server/lsp/editorSettings.ts';
import { translateRouter } from '../../server/lsp/translateRouter.ts';
import { listTranslatorLanguages, translateTexts } from '../../server/lsp/translateTexts.ts';
import type { TranslateEngine } from '../../server/protocol/index.ts';
import { detect } from '../../server/protocol/routeAddresses.ts';
import { Client } from '../../server/protocol/routeClient.ts';

function world(engine: TranslateEngine, system = '', tone = '') {
	const asked: string[] = [];
	const caller = (name: string) =>
		new Client(async (path) => {
			asked.push(`${name} ${path}`);
			if (path.includes('/detect')) return Response.json([{ language: 'en', score: 1 }]);
			if (path.includes('/languages')) return Response.json({ translation: {} });
			return Response.json([{ translations: [{ text: 'done', to: 'de' }] }]);
		});
	return {
		asked,
		door: translateRouter({
			link: caller('here'),
			team: caller('team'),
			engine: () => engine,
			system: () => ({ system, tone }),
		}),
	};
}

const signal = new AbortController().signal;

test('translations go where the setting says, over the private path of the daemon', async () => {
	for (const [engine, expected] of [
		[
			'local',
			'here /nearglot/translator/translate?api-version=3.0&to=de&includeQuality=true&engine=local',
		],
		[
			'hosted',
			'here /nearglot/translator/translate?api-version=3.0&to=de&includeQuality=true&engine=hosted',
		],
		['team', 'team /translate?api-version=3.0&to=de&includeQuality=true'],
	] as const) {
		const { asked, door } = world(engine);
		const { items } = await translateTexts(door, { texts: ['x'], to: 'de' }, signal);
		assert.deepEqual([items[0]?.text, ...asked], ['done', expected]);
	}
});

test('a call may name another engine than the setting', async () => {
	const { asked, door } = world('team');
	await translateTexts(door, { texts: ['x'], to: 'de', engine: 'local' }, signal);
	await translateTexts(door, { texts: ['x'], to: 'de', engine: 'team' }, signal);
	assert.deepEqual(asked, [
		'here /nearglot/translator/translate?api-version=3.0&to=de&engine=local&includeQuality=true',
		'team /translate?api-version=3.0&to=de&includeQuality=true',
	]);
});

test('the system and the tone of the settings hold on this machine, unless a call names another', async () => {
	const { asked, door } = world('local', 'chat:big', 'formal');
	await translateTexts(door, { texts: ['x'], to: 'de' }, signal);
	await translateTexts(door, { texts: ['x'], to: 'de', engine: 'hosted' }, signal);
	assert.deepEqual(asked, [
		'here /nearglot/translator/translate?api-version=3.0&to=de&includeQuality=true&engine=local&category=chat%3Abig&tone=formal',
		'here /nearglot/translator/translate?api-version=3.0&to=de&engine=hosted&includeQuality=true',
	]);
	const toned = world('local', '', 'formal');
	await translateTexts(toned.door, { texts: ['x'], to: 'de' }, signal);
	assert.ok(!toned.asked[0]?.includes('tone'), 'the general system knows no tone');
});

test('languages are detected and listed on this machine, whoever translates', async () => {
	const { asked, door } = world('team');
	const query = { 'api-version': '3.0' };
	const [found] = await door.call(detect, { query, body: [{ Text: 'text' }] }, { signal });
	assert.equal(found?.language, 'en');
	await listTranslatorLanguages(door, 'de', signal);
	assert.ok(asked.every((entry) => entry.startsWith('here /nearglot/translator/')));
});

test('an engine the setting does not know is the one that follows the chat model', () => {
	assert.equal(parseEditorSettings({ translate: { engine: 'cloud' } }).engine, 'auto');
	assert.equal(parseEditorSettings({ translate: { engine: 'hosted' } }).engine, 'hosted');
	assert.equal(parseEditorSettings({ translate: { engine: 'local' } }).engine, 'local');
	assert.equal(parseEditorSettings(undefined).engine, 'auto');
});
