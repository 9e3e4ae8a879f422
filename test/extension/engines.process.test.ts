/** Engines on other machines as a person adds them in the editor, with a real model server. */

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, beforeEach, test } from 'node:test';
import type { MessageConnection } from 'vscode-jsonrpc/node';
import type { ModelInfo } from '../../server/protocol/index.ts';
import { connectFront } from '../support/editorDouble.ts';
import { startTestServer, type TestServer } from '../support/testServer.ts';
import { until } from '../support/until.ts';
import { desk, resetDesk } from './vscodeDouble.ts';

const { addEngine } = await import('../../extension/engines/addEngine.ts');
const { shareEngines } = await import('../../extension/engines/engineSetting.ts');
const { manageEngines } = await import('../../extension/engines/manageEngines.ts');
type Deps = Parameters<typeof addEngine>[0];

const rightKey = 'the-key-of-the-lab';
const keys: (string | undefined)[] = [];
/** Refuses whoever has not its key; says what it was told. */
const engine = createServer(async (request, response) => {
	keys.push(request.headers.authorization?.replace('Bearer ', ''));
	const text = Buffer.concat(await request.toArray()).toString();
	const refused = keys.at(-1) !== rightKey;
	response.writeHead(refused ? 401 : 200, { 'content-type': 'application/json' });
	if (refused) return response.end('{"error":{"message":"no"}}');
	if (request.url === '/v1/models')
		return response.end(JSON.stringify({ data: [{ id: 'qwen3-32b', max_model_len: 8192 }] }));
	const sentence = JSON.parse(text).response_format ? '{"1":"Guten Tag."}' : 'Hello from the lab.';
	const message = { role: 'assistant', content: sentence };
	return response.end(JSON.stringify({ choices: [{ index: 0, message, finish_reason: 'stop' }] }));
});

let server: TestServer;
let client: MessageConnection;
let address = '';
before(async () => {
	engine.listen(0, '127.0.0.1');
	await once(engine, 'listening');
	address = `http://127.0.0.1:${(engine.address() as AddressInfo).port}/v1`;
	server = await startTestServer({ fakeRunner: true });
	client = connectFront(() => server);
	client.listen();
	await client.sendRequest('initialize', { processId: null, rootUri: null, capabilities: {} });
});
after(async () => {
	client.dispose();
	await server.close();
	engine.close();
	engine.closeAllConnections();
});

const stored = new Map<string, string>();
const deps = {
	context: {
		secrets: {
			get: async (name: string) => stored.get(name),
			store: async (name: string, value: string) => void stored.set(name, value),
			delete: async (name: string) => void stored.delete(name),
		},
	},
	languageServer: {
		request: (name: string, params: object) => client.sendRequest(name, params),
	},
	models: { refresh: () => {} },
} as unknown as Deps;

interface Box {
	readonly prompt: string;
	readonly password?: boolean;
	readonly validateInput: (text: string) => string | undefined;
}
interface Row {
	readonly label: string;
	readonly use?: string;
	readonly detail?: string;
}

/** A person who types these lines, picks these rows, and notes what is said. */
function person(typed: (string | undefined)[], pick: (rows: readonly Row[]) => unknown) {
	const boxes: Box[] = [];
	const said: string[] = [];
	desk.input = async (options) => {
		boxes.push(options as Box);
		return typed.shift();
	};
	desk.quickPick = async (rows) => pick(rows as readonly Row[]);
	desk.message = async (text) => {
		said.push(String(text));
		return undefined;
	};
	return { boxes, said };
}
const picked =
	(...uses: string[]) =>
	(rows: readonly Row[]) =>
		rows.filter(({ use }) => use !== undefined && uses.includes(use));
const modelsNow = async () =>
	(await client.sendRequest<{ models: ModelInfo[] }>('nearglot/models', {})).models;
const ask = (model: string) =>
	server.post('/v1/chat/completions', { model, messages: [{ role: 'user', content: 'Hello' }] });

beforeEach(() => {
	const engines = desk.settings['engines'] ?? [];
	resetDesk();
	desk.settings = { 'translate.hosted': {}, engines };
	keys.length = 0;
});

test('an engine is added in four steps; its models stand in the list as remote and answer by name', async () => {
	const { boxes, said } = person(['lab', address, ` ${rightKey} `], picked('chat', 'translate'));
	await addEngine(deps);
	assert.deepEqual(said, ['lab answers: lab/qwen3-32b.']);
	const listed = [{ name: 'lab', url: address, for: ['chat', 'translate'] }];
	assert.deepEqual(desk.settings['engines'], listed, 'the setting has it, without the key');
	const [name, where, key] = boxes;
	for (const wrong of ['', 'Lab', 'a/b', '-a']) assert.ok(name?.validateInput(wrong), wrong);
	for (const wrong of ['lab', 'ftp://a', 'https://u:p@a/v1', 'https://a/v1?k=1'])
		assert.ok(where?.validateInput(wrong), wrong);
	assert.match(where?.prompt ?? '', /leaves this computer/);
	assert.equal(key?.password, true);
	const remote = (await modelsNow()).filter(({ origin }) => origin === 'upstream');
	assert.deepEqual(
		remote.map(({ id, state, contextLength }) => [id, state, contextLength]),
		[['lab/qwen3-32b', 'remote', 8192]],
	);
	const answer = await ask('lab/qwen3-32b');
	assert.match(await answer.text(), /Hello from the lab/);
	assert.deepEqual(new Set(keys), new Set([rightKey]));
});

test('its key is in the secret storage alone: in no file, no setting and no answer', async () => {
	assert.deepEqual([...stored.keys()], ['nearglot.secret.engineKeys']);
	assert.ok(stored.get('nearglot.secret.engineKeys')?.includes(rightKey));
	const { readFile } = await import('node:fs/promises');
	const file = await readFile(`${server.backend.settings.dataDir}/upstreams.json`, 'utf8');
	const list = await client.sendRequest('nearglot/engines', {});
	for (const text of [file, JSON.stringify(list), JSON.stringify(desk.commands)])
		assert.ok(!text.includes(rightKey));
	assert.match(file, /"isKeyInEditor":\s*true/);
});

test('an engine is used only for what it was added for', async () => {
	const refused = await server.post('/v1/embeddings', { model: 'lab/qwen3-32b', input: 'a' });
	assert.equal(refused.status, 404);
	assert.match(await refused.text(), /was added for chat, translate, not for embeddings/);
	person([], (rows) => rows[0]);
	await client.sendRequest('nearglot/engines/add', {
		...{ name: 'lab', url: address, uses: ['translate'], keyInEditor: true },
	});
	assert.equal((await ask('lab/qwen3-32b')).status, 404);
	const list = await (await fetch(`${server.url}/v1/models`)).json();
	assert.ok(!list.data.some(({ state }: { state: string }) => state === 'remote'));
	const translated = await server.post(
		'/translate?api-version=3.0&from=en&to=de&category=chat:lab/qwen3-32b',
		[{ Text: 'Good day.' }],
	);
	assert.equal(translated.status, 200);
	const systems = await client.sendRequest<{ systems: { name: string; host?: string }[] }>(
		'nearglot/translationSystems',
		{},
	);
	assert.equal(
		systems.systems.find((each) => each.name === 'chat:lab/qwen3-32b')?.host,
		new URL(address).host,
	);
});

test('another address does not get the key that was given for the first one', async () => {
	const { port } = engine.address() as AddressInfo;
	await client.sendRequest('nearglot/engines/add', {
		...{ name: 'lab', url: `http://localhost:${port}/v1`, keyInEditor: true },
	});
	const test = await client.sendRequest<{ problem?: string }>('nearglot/engines/test', {
		name: 'lab',
	});
	assert.match(test.problem ?? '', /needs its key, which the editor keeps/);
	assert.deepEqual(keys, []);
	await client.sendRequest('nearglot/engines/add', {
		name: 'lab',
		url: address,
		keyInEditor: true,
	});
});

test('a wrong key is said by the engine it is of, and another one mends it at once', async () => {
	const change = (rows: readonly Row[]) =>
		rows.find((row) => typeof row === 'string' && row === 'Change Key') ?? rows[0];
	const wrong = person(['wrong'], change);
	await manageEngines(deps);
	assert.match(wrong.said[0] ?? '', /^The engine 'lab' .* refuses its key \(401\)/);
	const right = person([rightKey], change);
	await manageEngines(deps);
	assert.deepEqual(right.said, ['lab answers: lab/qwen3-32b.']);
});

test('an address that is not encrypted is taken only when the person says so', async () => {
	const { said } = person(['far', 'http://far.example/v1', 'k'], picked('chat'));
	await addEngine(deps);
	assert.deepEqual(said, ['What goes to far.example is not encrypted.']);
	const { engines } = await client.sendRequest<{ engines: { name: string }[] }>(
		'nearglot/engines',
		{},
	);
	assert.deepEqual(
		engines.map(({ name }) => name),
		['lab'],
	);
});

test('an engine that is removed takes its models and its key along', async () => {
	const { said } = person([], (rows) =>
		rows.some((row) => typeof row === 'string') ? 'Remove' : rows[0],
	);
	desk.message = async (text) => {
		said.push(String(text));
		return 'Remove';
	};
	await manageEngines(deps);
	assert.deepEqual(said, ['Remove lab?']);
	assert.deepEqual([...stored], []);
	assert.deepEqual(desk.settings['engines'], []);
	assert.equal((await modelsNow()).filter(({ origin }) => origin === 'upstream').length, 0);
	assert.ok(!server.backend.secrets.names().includes('engineKeys'));
});

interface Listed {
	readonly name: string;
	readonly url: string;
	readonly uses: readonly string[];
	readonly timeoutS: number;
	readonly inSetting: boolean;
}
const listedNow = async () =>
	(await client.sendRequest<{ engines: Listed[] }>('nearglot/engines', {})).engines;

/** A window whose server has just come up; `changed` is what VS Code tells after a change of the setting. */
function openWindow() {
	let health: (health: object) => void = () => {};
	let refreshed = 0;
	const sharing = shareEngines({
		secrets: { ...deps.context.secrets, onDidChange: () => ({ dispose: () => {} }) },
		languageServer: {
			request: (name: string, params: object) => client.sendRequest(name, params),
			onHealth: (listener: typeof health) => {
				health = listener;
				return { dispose: () => {} };
			},
		},
		onChanged: () => refreshed++,
	} as unknown as Parameters<typeof shareEngines>[0]);
	const settled = async (act: () => void) => {
		const before = refreshed;
		act();
		await until('the server has it', () => refreshed > before);
	};
	return {
		sharing,
		settled,
		start: () => health({ server: 'running' }),
		changed: () => desk.configure('engines'),
	};
}

test('the server has what the setting lists, and beside it what was added elsewhere; of one name the setting counts', async () => {
	for (const name of ['terminal', 'both'])
		await client.sendRequest('nearglot/engines/add', { name, url: 'https://a.example/v1' });
	desk.settings['engines'] = [
		{ name: 'both', url: 'https://b.example/v1/', for: ['chat'], timeout: 9 },
		{ name: 'desk', url: 'http://c.example/v1', allowHttp: true },
	];
	const window = openWindow();
	await window.settled(window.start);
	const facts = ({ name, url, uses, timeoutS, inSetting }: Listed) =>
		[name, url, uses.join(), timeoutS, inSetting] as const;
	assert.deepEqual((await listedNow()).map(facts), [
		['terminal', 'https://a.example/v1', '', 120, false],
		['both', 'https://b.example/v1', 'chat', 9, true],
		['desk', 'http://c.example/v1', '', 120, true],
	]);
	desk.settings['engines'] = [];
	await window.settled(window.changed);
	assert.deepEqual(
		(await listedNow()).map(({ name }) => name),
		['terminal'],
	);
	await client.sendRequest('nearglot/engines/remove', { name: 'terminal' });
	window.sharing.dispose();
});

test('a setting that cannot be used changes nothing, and what is wrong is said with the way to the setting', async () => {
	const window = openWindow();
	await window.settled(window.start);
	for (const [engines, problem] of [
		[[{ name: 'Lab', url: 'https://a.example' }], /'Lab' cannot be the name of an engine/],
		[[{ name: 'a', url: 'http://a.example' }], /a\.example unencrypted/],
		[[{ name: 'a' }], /url/],
		[[{ name: 'a', url: 'https://k:v@a.example' }], /must hold no name or password/],
		[
			[
				{ name: 'a', url: 'https://a.example' },
				{ name: 'a', url: 'https://b.example' },
			],
			/Two engines have the name 'a'/,
		],
	] as const) {
		desk.settings['engines'] = engines;
		const said: string[] = [];
		desk.message = async (text, ...buttons) => {
			said.push(String(text));
			return String(buttons.at(-1));
		};
		window.changed();
		await until('it is said', () => said.length > 0);
		assert.match(said[0] ?? '', /^The setting nearglot\.engines cannot be used: /);
		assert.match(said[0] ?? '', problem);
		assert.deepEqual(await listedNow(), []);
	}
	assert.deepEqual(desk.commands.at(-1), ['workbench.action.openSettings', 'nearglot.engines']);
	desk.settings['engines'] = [];
	window.sharing.dispose();
});
