/** What `/openapi.json` says of the translate interface is what the interface does. */

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { scriptedChat } from '../support/scriptedChat.ts';
import { startTranslateServer, type TranslateServer } from '../support/translateServer.ts';

interface Operation {
	readonly parameters: readonly {
		readonly name: string;
		readonly required: boolean;
		readonly schema: { readonly enum?: readonly string[] };
	}[];
}

let server: TranslateServer;
let paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
before(async () => {
	server = await startTranslateServer({ chat: scriptedChat() });
	const answer = await fetch(new URL('/openapi.json', server.url));
	paths = ((await answer.json()) as { paths: typeof paths }).paths;
});
after(() => server.close());

const ask = async (query: string): Promise<number> => {
	const response = await server.post(`/translate?api-version=3.0&to=de&from=en&${query}`, [
		{ Text: 'Go on.' },
	]);
	await response.text();
	return response.status;
};

test('every value the description lists is taken, and others are refused', async () => {
	const { parameters = [] } = paths['/translate']?.['post'] ?? {};
	assert.ok(parameters.length >= 14);
	for (const { name, schema } of parameters) {
		if (!schema.enum || name === 'api-version' || name === 'engine') continue;
		// Only chat models are told how to translate.
		const system = name === 'tone' || name === 'gender' ? 'category=chat&' : '';
		for (const value of schema.enum)
			assert.equal(await ask(`${system}${name}=${value}`), 200, `${name}=${value}`);
		assert.equal(await ask(`${name}=unheard-of`), 400, name);
	}
	assert.equal(await ask('engine=unheard-of'), 400);
});

test('every described operation exists, with the required parameters it names', async () => {
	const described = Object.entries(paths).filter(([, methods]) =>
		Object.values(methods).some(({ parameters = [] }) =>
			parameters.some(({ name }) => name === 'api-version'),
		),
	);
	// Seven operations at six mount points, and six of the document interface at two.
	assert.equal(described.length, 54);
	for (const [path, methods] of described) {
		// The mount of the user's own programs takes nothing without the key of the model server.
		if (path.startsWith('/nearglot/')) continue;
		for (const [method, { parameters }] of Object.entries(methods)) {
			const without = new URL(path.replace('{endpoint}', 'cognitiveservices'), server.url);
			const refused = await fetch(without, {
				method,
				...(method === 'post'
					? { headers: { 'content-type': 'application/json' }, body: '[{"Text":"x"}]' }
					: {}),
			});
			const { error } = (await refused.json()) as { error: { code: number | string } };
			const isDocument = /\/document[:/]/.test(path);
			assert.equal(error.code, isDocument ? 'InvalidRequest' : 400021, path);
			assert.equal(parameters.find(({ name }) => name === 'api-version')?.required, true);
		}
	}
	assert.ok(paths['/sts/v1.0/issueToken']?.['post']);
});
