/**
 * The real sign-in layer in front of the real model server: what a signed-in member tries to do of what is
 * the owner's, and what a member needs.
 */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { after, before, test } from 'node:test';
import { translateFiles } from '../../server/daemon/translateBackend.ts';
import { TranslateKeyStore } from '../../server/services/translate/translateKeys.ts';
import { gatewaySecret, startTestServer, type TestServer } from '../support/testServer.ts';
import { bothWays } from './support/bothWays.ts';
import { browserHeaders, Harness } from './support/harness.ts';
import { exchangeBytes, parseAnswer, type RawAnswer } from './support/rawHttp.ts';

/** Two ways to run a team server: as in deploy/, and as in the first five minutes. */
interface Team {
	readonly name: string;
	readonly models: TestServer;
	readonly layer: Harness;
	/** Header lines of a person who is signed in. */
	readonly member: readonly string[];
}

const teams: Team[] = [];

async function team(name: string, locked: boolean): Promise<Team> {
	const models = await startTestServer({
		env: { HF_ENDPOINT: 'http://127.0.0.1:1' },
		listen: { requireKey: locked },
	});
	const layer = await Harness.start({
		upstream: models.url,
		env: { NEARGLOT_GATEWAY_SECRET: gatewaySecret },
		// With nothing closed here, the model server is on its own.
		config: { 'x-gateway': { closedPaths: [] } },
	});
	return { name, models, layer, member: [`X-ZUMO-AUTH: ${await layer.token()}`] };
}

before(async () => {
	teams.push(await team('with a key', true), await team('without a key', false));
});
after(async () => {
	for (const { layer, models } of teams) {
		await layer[Symbol.asyncDispose]();
		await models.close();
	}
});

function send(
	{ layer, member }: Team,
	request: string,
	body: unknown = {},
	headers: readonly string[] = [],
): Promise<RawAnswer> {
	const [method = '', target = ''] = request.split(' ');
	const withBody = method !== 'GET' && method !== 'HEAD';
	return layer.call({
		method,
		target,
		headers: [...member, ...(withBody ? ['Content-Type: application/json'] : []), ...headers],
		...(withBody ? { body: JSON.stringify(body) } : {}),
	});
}

/** What only the owner of the model server does; each would do it, or tell it, if it got through. */
const attacks: readonly (readonly [request: string, body?: unknown])[] = [
	['POST /openai/download', { model: { Name: 'attacker/model' } }],
	['POST /nearglot/models/download', { model: 'attacker/model' }],
	['POST /nearglot/models/pause', { model: 'starter-chat' }],
	['GET /openai/load/starter-chat'],
	['GET /models/load/starter-chat'],
	['GET /openai/unload/starter-chat?force=true'],
	['GET /models/unload/starter-chat?force=true'],
	['GET /openai/unloadall?force=true'],
	['GET /openai/getgpudevice'],
	['GET /openai/setgpudevice/0'],
	['GET /openai/status'],
	['GET /status'],
	['GET /foundry/cache'],
	['GET /metrics'],
	['GET /nearglot/models/list'],
	['GET /nearglot/models/gpus'],
	['GET /nearglot/models/suggest'],
	['POST /nearglot/models/remove', { model: 'starter-chat' }],
	['POST /nearglot/models/pin', { model: 'starter-chat', pinned: true }],
	['POST /nearglot/models/draft', { model: 'starter-chat' }],
	['POST /nearglot/models/register', { folder: tmpdir() }],
	['POST /nearglot/models/unregister', { folder: tmpdir() }],
	['POST /nearglot/models/move', { folder: tmpdir() }],
	['POST /nearglot/models/import', { path: tmpdir() }],
	['POST /nearglot/models/refresh'],
	['GET /nearglot/secrets/names'],
	['POST /nearglot/secrets/set', { hubToken: 'x' }],
	['GET /nearglot/runners'],
	['GET /nearglot/notices'],
	['POST /nearglot/shutdown'],
	['POST /nearglot/studio'],
	['POST /studio/claim', { ticket: 'x' }],
	['POST /nearglot/recorder'],
	['GET /recorder'],
	['POST /recorder/claim', { ticket: 'x' }],
	['POST /recorder/audio?rate=16000&from=0'],
	['POST /recorder/state', { state: 'ready' }],
	['GET /recorder/events'],
	['POST /mcp', { jsonrpc: '2.0', id: 1, method: 'tools/list' }],
	['POST /nearglot/translator/translate?api-version=3.0&to=de', [{ Text: 'x' }]],
	['POST /nearglot/translator/detect?api-version=3.0', [{ Text: 'x' }]],
	['GET /nearglot/translator/languages?api-version=3.0'],
];

test('nothing that is the owner’s is open to a member, nor to a route nobody wrote into this list', async () => {
	for (const one of teams) {
		for (const [request, body] of attacks) {
			const answer = await send(one, request, body);
			assert.equal(answer.status, 403, `${one.name}: ${request}: ${answer.body.slice(0, 200)}`);
			assert.match(answer.body, /for the owner of the model server/, request);
		}
	}
});

test('no spelling, method or header opens what is the owner’s', async () => {
	const targets = [
		'/openai//unloadall',
		'//openai/unloadall',
		'/openai/%75nloadall',
		'/openai/%2575nloadall',
		'/openai%2funloadall',
		'/OPENAI/unloadall',
		'/openai/unloadall/',
		'/openai/unloadall;a=b',
		'/openai;a/unloadall',
		'/health/..;/openai/unloadall',
		'/health/%2e%2e/openai/unloadall',
		'/health/../openai/unloadall',
		'/openai/unloadall%00',
		'/openai/unloadall%3fforce',
		'/openai\\unloadall',
		'http://127.0.0.1/openai/unloadall',
		'/openai/unloadall#',
	];
	for (const one of teams) {
		await one.models.backend.models.load('starter-chat', {}, AbortSignal.timeout(120_000));
		const { key } = one.models;
		const headers = [
			...['owner', '', 'member, owner', '*'].map((role) => [`X-Nearglot-Role: ${role}`]),
			['x_nearglot_role: owner'],
			['X.Nearglot.Role: owner'],
			['X-Nearglot-Role: owner', 'X-Nearglot-Role: owner'],
			['Connection: close, X-Nearglot-Role'],
			[`Authorization: Bearer ${key}`],
			[`X-Api-Key: ${key}`],
			[`api-key: ${key}`],
			[`Ocp-Apim-Subscription-Key: ${key}`],
			['X-HTTP-Method-Override: GET', 'X-HTTP-Method: GET'],
			['X-Original-URL: /openai/unloadall', 'X-Rewrite-URL: /openai/unloadall'],
			...[900, 985, 990, 995, 1990].map((length) => Array.from({ length }, () => 'a:1')),
		];
		const answers = [
			...targets.map((target) => send(one, `GET ${target}`)),
			...headers.map((lines) => send(one, 'GET /openai/unloadall', {}, lines)),
			...['HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH'].map((method) =>
				send(one, `${method} /openai/unloadall`),
			),
		];
		for (const answer of await Promise.all(answers))
			assert.ok(answer.status >= 400, `${one.name}: ${answer.status} ${answer.body.slice(0, 200)}`);
		assert.deepEqual(one.models.backend.host.loaded(), ['starter-chat:1'], 'nothing was unloaded');
	}
});

test('the role cannot be pushed out of the head, sent as a trailer or left out by an upgrade', async () => {
	for (const one of teams) {
		const head = [
			'POST /nearglot/shutdown HTTP/1.1',
			'Host: app.example',
			...one.member,
			`Authorization: Bearer ${one.models.key}`,
		];
		const tricks = [
			...[900, 985, 1980].map(
				(length) =>
					`${[...head, 'Connection: close', ...Array.from({ length }, () => 'a:1')].join('\r\n')}\r\n\r\n`,
			),
			`${[...head, 'Connection: close', 'Trailer: X-Nearglot-Role', 'Transfer-Encoding: chunked'].join('\r\n')}\r\n\r\n0\r\nX-Nearglot-Role: owner\r\n\r\n`,
			`${[...head, 'Connection: Upgrade, X-Nearglot-Role', 'Upgrade: websocket'].join('\r\n')}\r\n\r\n`.replace(
				'POST /nearglot/shutdown',
				'GET /nearglot/secrets/names',
			),
		];
		for (const bytes of tricks) {
			const answer = parseAnswer(await exchangeBytes(one.layer.gateway.port, bytes));
			// Too many lines are refused by some versions of Node, and dropped by others.
			const refused = answer.status === 403 || (answer.status === 431 && bytes.includes('a:1'));
			assert.ok(refused, `${one.name}: ${bytes.slice(0, 60)} ${answer.status} ${answer.body}`);
		}
		assert.deepEqual(one.models.stopped, []);
	}
});

test('any app behind the layer is told the role once, whoever asks and whatever they say', async () => {
	await using anonymous = await Harness.start({
		config: { globalValidation: { unauthenticatedClientAction: 'AllowAnonymous' } },
	});
	const cookie = await anonymous.signIn();
	for (const extra of [[], [`Cookie: ${cookie}`]])
		for (const line of [
			'X-Other: 1',
			'X-Nearglot-Role: owner',
			'x_nearglot_role: owner',
			'X-Nearglot.Role: owner',
			'X-Nearglot-Role:',
		])
			for (const { way, seen } of await bothWays(anonymous, {
				target: '/x',
				headers: [line, ...extra],
			})) {
				const { rawHeaders } = seen!;
				// Servers read so many lines of a head and drop the rest.
				assert.equal(rawHeaders[2]?.toLowerCase(), 'x-nearglot-role', `${way}: ${line}`);
				const said = rawHeaders.filter(
					(_, at) => at % 2 === 0 && /^x.nearglot.role/i.test(rawHeaders[at] ?? ''),
				);
				assert.equal(said.length, 1, `${way}: ${line}`);
				assert.deepEqual(seen!.values('x-nearglot-role'), ['member'], `${way}: ${line}`);
			}
});

const messages = [{ role: 'user', content: 'show the date' }];
const chat = { model: 'starter-chat', messages, max_tokens: 4 };

/** What a member needs, and what the answer holds. */
const memberCalls: readonly (readonly [request: string, body: unknown, answer: RegExp])[] = [
	['GET /v1/models', undefined, /starter-chat/],
	['POST /v1/chat/completions', chat, /finish_reason/],
	['POST /v1/chat/completions/tokenizer/encode/count', chat, /tokenCount/],
	['POST /v1/completions', { model: 'starter-chat', prompt: 'a', max_tokens: 2 }, /finish_reason/],
	['POST /tokenize', { model: 'starter-chat', content: 'a' }, /tokens/],
	['POST /translate?api-version=3.0&to=de', [{ Text: 'Open the file.' }], /Datei/],
	['GET /languages?api-version=3.0', undefined, /German/],
	['POST /libretranslate/translate', { q: 'Open the file.', source: 'en', target: 'de' }, /Datei/],
	['GET /libretranslate/languages', undefined, /German/],
	['POST /documents/translate', { fileName: 'a.md', text: 'Open the file.\n', to: 'de' }, /Datei/],
	['GET /api/version', undefined, /version/],
	['GET /api/tags', undefined, /starter-chat/],
	['POST /api/show', { model: 'starter-chat' }, /capabilities/],
	['GET /svc/list', undefined, /starter-chat/],
	['GET /openai/models', undefined, /starter-chat/],
	['GET /openai/loadedmodels', undefined, /\[/],
	['GET /models/loaded', undefined, /\[/],
	['GET /openapi.json', undefined, /openapi/],
	['GET /health', undefined, /^\{"status":"ok"\}$/],
	['GET /', undefined, /Nearglot is running/],
	['POST /v1/audio/transcriptions', undefined, /text/],
];

test('what a member needs works', async () => {
	for (const one of teams) {
		for (const [request, body, wanted] of memberCalls) {
			if (request.includes('/audio/')) continue;
			const answer = await send(one, request, body);
			assert.equal(answer.status, 200, `${one.name}: ${request}: ${answer.body.slice(0, 300)}`);
			assert.match(answer.body, wanted, request);
			for (const place of [one.models.backend.settings.dataDir, one.models.key])
				assert.ok(!answer.body.includes(place), `${request} tells ${place}`);
		}
		const form = recording();
		const head = [
			'POST /v1/audio/transcriptions HTTP/1.1',
			'Host: app.example',
			'Connection: close',
			...one.member,
			'Content-Type: multipart/form-data; boundary=b',
			`Content-Length: ${form.length}`,
		];
		const bytes = Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`), form]);
		const heard = parseAnswer(await exchangeBytes(one.layer.gateway.port, bytes));
		assert.equal(heard.status, 200, heard.body);
	}
});

test('the page a member opens knows that it is a member’s, and its files come', async () => {
	for (const { layer } of teams) {
		const cookie = await layer.signIn();
		const page = await layer.navigate('/', cookie);
		assert.equal(page.status, 200);
		assert.match(page.body, /<body data-caller="member" data-person="person:[0-9a-f]{32}" /);
		const [, file = ''] = /src="(studio\/\w+\.js)"/.exec(page.body) ?? [];
		const [accept] = browserHeaders;
		const script = await layer.get(`/${file}`, [`${accept}`, `Cookie: ${cookie}`]);
		assert.equal(script.status, 200);
	}
});

test('whoever is not signed in gets no more than a member, and is told nothing of the server', async () => {
	for (const { layer, models } of teams) {
		const answer = await layer.get('/health');
		assert.deepEqual([answer.status, answer.body], [200, '{"status":"ok"}']);
		const keyed = await layer.get('/health', [`Authorization: Bearer ${models.key}`]);
		assert.equal(keyed.body, '{"status":"ok"}');
	}
});

test('a key of the translate interface counts for a member who sends it, and its quota with it', async () => {
	const [one] = teams as [Team];
	const { keys } = translateFiles(one.models.backend.settings.dataDir);
	const { key } = await new TranslateKeyStore(keys).create(
		{ label: 'small', multiService: false, quota: 20 },
		new Date(),
	);
	const translate = (headers: readonly string[]) =>
		send(one, 'POST /translate?api-version=3.0&to=de', [{ Text: 'Open the file.' }], headers);
	const shown = [`Ocp-Apim-Subscription-Key: ${key}`];
	assert.equal((await translate(shown)).status, 200);
	assert.equal((await translate(shown)).status, 403, 'the quota is used up');
	assert.equal((await translate(['Ocp-Apim-Subscription-Key: wrong'])).status, 401);
	const own = [`Ocp-Apim-Subscription-Key: ${one.models.key}`];
	assert.equal((await translate(own)).status, 401, 'the owner’s key is no member’s');
	assert.equal((await translate([])).status, 200, 'signing in stands for a key');
	const elsewhere = 'POST /translate?api-version=3.0&to=de&engine=hosted';
	assert.equal((await send(one, elsewhere, [{ Text: 'x' }])).status, 403);
	const token = await send(one, 'POST /sts/v1.0/issueToken');
	assert.equal(token.status, 401, 'nobody gets a token of the owner');
	// The role alone lets nobody in: a program that claims it is where nobody is signed in.
	const direct = await one.models.post('/translate?api-version=3.0&to=de', [{ Text: 'x' }], {
		headers: { 'x-nearglot-role': 'member' },
	});
	assert.equal(direct.status, 401);
});

/** A multipart form with a recording. */
function recording(): Buffer {
	const sound = readFileSync(new URL('../fixtures/speech/f2.flac', import.meta.url));
	const field = (name: string) => `--b\r\nContent-Disposition: form-data; name="${name}"`;
	const before = `${field('model')}\r\n\r\ndefault\r\n${field('file')}; filename="a.flac"\r\n\r\n`;
	return Buffer.concat([Buffer.from(before), sound, Buffer.from('\r\n--b--\r\n')]);
}
