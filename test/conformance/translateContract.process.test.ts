/** What the route objects say of the translate interface, the handlers do: methods, versions, values of parameters. */

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import {
	latestVersion,
	libreFormats,
	libreTranslate,
	maxAlternatives,
	translatorMounts,
} from '../../server/protocol/routes/translatorApi.ts';
import { scriptedChat } from '../support/scriptedChat.ts';
import { startTranslateServer, type TranslateServer } from '../support/translateServer.ts';

let server: TranslateServer;
before(async () => {
	server = await startTranslateServer({ chat: scriptedChat() });
});
after(() => server.close());

/** A call that each operation answers with 200. */
const calls: Readonly<Record<string, { query: Record<string, string>; body?: unknown }>> = {
	translate: { query: { to: 'de' }, body: [{ Text: 'A house.' }] },
	detect: { query: {}, body: [{ Text: 'A house.' }] },
	breaksentence: { query: {}, body: [{ Text: 'A house.' }] },
	transliterate: {
		query: { language: 'ja', fromScript: 'Jpan', toScript: 'Latn' },
		body: [{ Text: 'こんにちは' }],
	},
	'dictionary/lookup': { query: { from: 'en', to: 'de' }, body: [{ Text: 'house' }] },
	'dictionary/examples': {
		query: { from: 'en', to: 'de' },
		body: [{ Text: 'house', Translation: 'Haus' }],
	},
	languages: { query: {} },
};

async function codeOf(
	path: string,
	{ query, body }: (typeof calls)[string],
	method: string,
): Promise<number> {
	const response = await fetch(`${server.url}${path}?${new URLSearchParams(query)}`, {
		method,
		headers: { 'content-type': 'application/json', ...server.keyed },
		...(body === undefined ? {} : { body: JSON.stringify(body) }),
	});
	if (response.status === 200) return 200;
	const { error } = (await response.json()) as { error: { code: number } };
	return Number(error.code);
}

/** The first mount has the paths of the interface itself. */
const first = translatorMounts.filter(({ operation, route }) => route.path === `/${operation}`);

for (const { operation, route, versions } of first)
	test(`${operation} takes the methods, versions and values it is described with`, async () => {
		const call = calls[operation] as (typeof calls)[string];
		const method = route.shown[0] ?? 'GET';
		const ask = (query: Record<string, string>) =>
			codeOf(route.path, { ...call, query: { ...call.query, ...query } }, method);
		const wrong = method === 'GET' ? 'POST' : 'PUT';
		assert.equal(await codeOf(route.path, call, wrong), 405000);
		assert.equal(await ask({ 'api-version': '2.0' }), 400021);
		for (const version of ['3.0', latestVersion])
			assert.equal(
				(await ask({ 'api-version': version })) === 400021,
				!versions.includes(version),
				version,
			);
		for (const { name, values, many } of route.parameters ?? []) {
			if (values === undefined || name === 'api-version') continue;
			// Only chat models are told how to translate.
			const system = name === 'tone' || name === 'gender' ? { category: 'chat' } : {};
			const with30 = (value: string) => ask({ 'api-version': '3.0', ...system, [name]: value });
			assert.ok(
				[400001, 400042, 400071].includes(await with30('nonsense')),
				`${name} takes nonsense`,
			);
			// Other engines would ask other machines.
			const here = name === 'engine' ? ['local'] : values;
			for (const value of many ? [here.join(), ...here] : here)
				assert.equal(await with30(value), 200, `${name}=${value}`);
		}
	});

test('every operation is there at every mount', async () => {
	assert.equal(first.length, Object.keys(calls).length);
	for (const { operation, route } of translatorMounts) {
		const call = calls[operation] as (typeof calls)[string];
		const path = route.path.replace(/:\w+\{.+?\}(?=\/)/, 'cognitiveservices.example');
		const query = { ...call.query, 'api-version': '3.0' };
		assert.equal(await codeOf(path, { ...call, query }, route.shown[0] ?? 'GET'), 200, path);
	}
});

test('the LibreTranslate form takes the values it is described with', async () => {
	const ask = async (more: object) => {
		const body = { q: 'A house.', source: 'en', target: 'de', ...more };
		return (await server.post(libreTranslate.path, body, { headers: server.keyed })).status;
	};
	for (const format of libreFormats) assert.equal(await ask({ format }), 200);
	assert.equal(await ask({ format: 'markdown' }), 400);
	assert.equal(await ask({ alternatives: maxAlternatives }), 200);
	assert.equal(await ask({ alternatives: maxAlternatives + 1 }), 400);
});
