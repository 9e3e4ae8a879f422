/** A front between an editor, the daemon of this computer and a team server behind a real sign-in layer. */

import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, before, beforeEach, test } from 'node:test';
import { type MessageConnection, ProgressType } from 'vscode-jsonrpc/node';
import { TeamLink } from '../../server/lsp/teamLink.ts';
import type {
	ChatDelta,
	ChatResult,
	ModelInfo,
	TeamRenewal,
	TeamRenewed,
	TeamStatus,
} from '../../server/protocol/index.ts';
import { countChatTokens } from '../../server/protocol/routeAddresses.ts';
import { Harness } from '../gateway/support/harness.ts';
import { connectFront } from '../support/editorDouble.ts';
import { type FakeDaemon, startFakeDaemon } from '../support/fakeDaemon.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

type WireError = Error & { data?: { code: string; data?: { team?: string; origin?: string } } };

let daemon: FakeDaemon;
let layer: Harness;
let origin = '';
let client: MessageConnection;
const folder = temporaryFolder('team');
/** What the team's model server was asked: path, person, body. */
let asked: { path: string; who: string; token: string; body: string }[] = [];
/** How the team's model server leaves in the middle of an answer. */
let cut: 'closed' | 'broken' | undefined;
/** What the editor answers when a token was refused. */
let renew: (refused: TeamRenewal) => Promise<TeamRenewed> = async () => ({});
let renewals: TeamRenewal[] = [];

before(async () => {
	await writeFile(join(folder, 'talk.wav'), 'RIFF');
	daemon = await startFakeDaemon();
	const probe = createServer();
	await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve));
	const { port } = probe.address() as AddressInfo;
	await new Promise((resolve) => probe.close(resolve));
	origin = `http://127.0.0.1:${port}`;
	layer = await Harness.start({ port, config: { 'x-gateway': { publicUrl: origin } } });
	layer.app.handler = async (request, response) => {
		const body = await textOf(request);
		const header = (name: string) => String(request.headers[name] ?? '');
		asked.push({
			path: request.url ?? '',
			who: header('x-ms-client-principal-name'),
			token: header('x-zumo-auth'),
			body,
		});
		const json = (value: unknown) => {
			response.setHeader('content-type', 'application/json').end(JSON.stringify(value));
		};
		switch (request.url?.split('?')[0]) {
			case '/v1/models':
				return json({
					data: [
						{
							id: 'big:1',
							name: 'Big',
							state: 'loaded',
							task: 'chat-completion',
							context_length: 9,
						},
						{ id: 'ear:1', state: 'cached', task: 'automatic-speech-recognition' },
						{ id: 'later:1', state: 'not-downloaded' },
					],
				});
			case '/v1/chat/completions': {
				const chunk = { choices: [{ index: 0, delta: { content: 'from the team' } }] };
				const end = { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] };
				response.setHeader('content-type', 'text/event-stream');
				response.write(`data: ${JSON.stringify(chunk)}\n\n`);
				if (cut === 'closed') return void response.end();
				if (cut === 'broken') return void setTimeout(() => response.destroy(), 50);
				response.write(`data: ${JSON.stringify(end)}\n\n`);
				response.end('data: [DONE]\n\n');
				return;
			}
			case '/translate':
				return json([{ translations: [{ text: 'vom Team', to: 'de' }] }]);
			case '/v1/audio/transcriptions':
				response.end('heard by the team\n');
				return;
			case '/v1/chat/completions/tokenizer/encode/count':
				return json({ tokenCount: 42 });
			default:
				response.writeHead(404).end();
		}
	};
	client = startFront();
});

beforeEach(() => {
	asked = [];
	cut = undefined;
	renewals = [];
	renew = async () => ({});
});

after(async () => {
	client.dispose();
	await daemon.close();
	await layer[Symbol.asyncDispose]();
});

function startFront(): MessageConnection {
	const editor = connectFront(() => daemon);
	editor.onRequest('nearglot/team/renew', (refused: TeamRenewal) => {
		renewals.push(refused);
		return renew(refused);
	});
	editor.listen();
	return editor;
}

const use = (team?: { origin: string; token?: string }) =>
	client.sendRequest('nearglot/team', team ? { team } : {});
const configure = (chatModel: string, engine?: string) =>
	client.sendNotification('workspace/didChangeConfiguration', {
		settings: { nearglot: { chat: { model: chatModel }, translate: { engine } } },
	});
const chat = (model?: string) =>
	client.sendRequest<ChatResult>('nearglot/chat', {
		messages: [{ role: 'user', content: 'hello' }],
		...(model === undefined ? {} : { model }),
	});
const translate = () =>
	client.sendRequest<{ items: { text: string }[] }>('nearglot/translate', {
		texts: ['from here'],
		to: 'de',
	});

test('one list holds the models of this computer and those of the team that can answer', async () => {
	await use({ origin, token: await signedIn() });
	const { models, team } = await client.sendRequest<{ models: ModelInfo[]; team: TeamStatus }>(
		'nearglot/models',
		{},
	);
	assert.deepEqual(team, { origin, state: 'ready' });
	const theirs = models.filter((model) => model.origin === 'team');
	assert.deepEqual(
		theirs.map(({ id, displayName, state, contextLength }) => [
			id,
			displayName,
			state,
			contextLength,
		]),
		[
			['team:big:1', `Big · ${new URL(origin).host}`, 'loaded', 9],
			['team:ear:1', `ear:1 · ${new URL(origin).host}`, 'cached', undefined],
		],
	);
	assert.ok(models.some((model) => model.origin !== 'team'));
});

test('a chat with a model of the team goes there as the person signed in, others stay here', async () => {
	await use({ origin, token: await signedIn() });
	assert.equal((await chat('team:big:1')).text, 'from the team');
	assert.equal(asked[0]?.who, 'alice@corp.example');
	assert.equal(asked[0]?.token, '', 'the token stays at the sign-in layer');
	assert.equal(JSON.parse(asked[0]?.body ?? '{}').model, 'big:1');
	const before = daemon.chats.length;
	await chat();
	assert.equal(daemon.chats.length, before + 1);
	assert.equal(asked.length, 1);
	const { tokens } = await client.sendRequest<{ tokens: number }>('nearglot/countTokens', {
		model: 'team:big:1',
		messages: [],
	});
	assert.equal(tokens, 42);
});

test('translations and recordings follow the chat model, unless something else is set', async () => {
	await use({ origin, token: await signedIn() });
	const path = join(folder, 'talk.wav');
	await configure('team:big:1');
	assert.equal((await translate()).items[0]?.text, 'vom Team');
	const { text } = await client.sendRequest<{ text: string }>('nearglot/transcribe', { path });
	assert.equal(text, 'heard by the team');
	assert.match(asked.find(({ path: at }) => at.startsWith('/v1/audio'))?.body ?? '', /default/);
	await configure('team:big:1', 'local');
	assert.equal((await translate()).items[0]?.text, '[de] from here');
	asked = [];
	await configure('');
	assert.equal((await translate()).items[0]?.text, '[de] from here');
	await client.sendRequest('nearglot/transcribe', { path }).catch(() => undefined);
	assert.deepEqual(asked, [], 'nothing leaves this computer');
	await configure('', 'team');
	assert.equal((await translate()).items[0]?.text, 'vom Team');
	await configure('');
});

test('a token that has ended is renewed and the request repeated, without the person noticing', async () => {
	await use({ origin, token: 'e30.e30.old' });
	const fresh = await signedIn();
	renew = async () => ({ origin, token: fresh });
	assert.equal((await chat('team:big:1')).text, 'from the team');
	assert.deepEqual(renewals, [{ origin, token: 'e30.e30.old' }]);
	await chat('team:big:1');
	assert.equal(renewals.length, 1);
});

test('a team that goes away in the middle of an answer is told, and what arrived is handed over', async () => {
	await use({ origin, token: await signedIn() });
	for (cut of ['closed', 'broken'] as const) {
		let arrived = '';
		const listening = client.onProgress(new ProgressType<ChatDelta>(), 'cut', ({ text = '' }) => {
			arrived += text;
		});
		const asking = client.sendRequest('nearglot/chat', {
			model: 'team:big:1',
			messages: [{ role: 'user', content: 'hello' }],
			partialResultToken: 'cut',
		});
		await assert.rejects(asking, (error: WireError) => {
			assert.equal(error.data?.code, 'upstream_failed');
			assert.deepEqual(error.data?.data, {
				team: 'unreachable',
				origin,
				isInReadersLanguage: true,
			});
			assert.match(error.message, /went away in the middle.*What arrived is kept/);
			return true;
		});
		assert.equal(arrived, 'from the team');
		listening.dispose();
	}
	cut = undefined;
	assert.equal((await chat('team:big:1')).text, 'from the team');
});

test('a session that has ended is an error that says to sign in, after one try', async () => {
	await use({ origin, token: 'e30.e30.old' });
	renew = async () => ({ origin });
	await assert.rejects(chat('team:big:1'), (error: WireError) => {
		assert.equal(error.data?.code, 'sign_in_required');
		assert.equal(error.data?.data?.team, 'sign-in');
		assert.match(error.message, /has ended/);
		return true;
	});
	assert.deepEqual(asked, []);
	renew = async () => ({ origin, reason: 'revoked' });
	await assert.rejects(chat('team:big:1'), /was withdrawn/);
	renew = async () => ({ origin, token: 'e30.e30.also-old' });
	await assert.rejects(
		chat('team:big:1'),
		(error: WireError) => error.data?.code === 'sign_in_required',
	);
});

test('a token that was given for another server is not sent to the one that refused', async () => {
	await use({ origin, token: 'e30.e30.old' });
	const fresh = await signedIn();
	renew = async () => ({ origin: 'https://other.example', token: fresh });
	await assert.rejects(
		chat('team:big:1'),
		(error: WireError) => error.data?.code === 'sign_in_required',
	);
	assert.deepEqual(asked, []);
});

test('a language server that was not told of the team yet asks the editor', async () => {
	const told = client;
	client = startFront();
	try {
		const token = await signedIn();
		renew = async () => ({ origin, token });
		assert.equal((await chat('team:big:1')).text, 'from the team');
		assert.deepEqual(renewals, [{ origin: '', token: '' }]);
	} finally {
		client.dispose();
		client = told;
	}
});

test('without any team a team model is an error that says what to do', async () => {
	await use();
	await assert.rejects(chat('team:big:1'), /Sign In to Team Server/);
	const { models, team } = await client.sendRequest<{ models: ModelInfo[]; team?: TeamStatus }>(
		'nearglot/models',
		{},
	);
	assert.equal(team, undefined);
	assert.ok(models.every((model) => model.origin !== 'team'));
});

test('a team server that does not answer is told apart, and the models here stay in the list', async () => {
	const gone = 'http://127.0.0.1:9';
	await use({ origin: gone, token: 'e30.e30.x' });
	const { models, team } = await client.sendRequest<{ models: ModelInfo[]; team: TeamStatus }>(
		'nearglot/models',
		{},
	);
	assert.equal(team.state, 'unreachable');
	assert.ok(models.length > 0);
	await configure('team:big:1');
	for (const failing of [chat('team:big:1'), translate()]) {
		await assert.rejects(failing, (error: WireError) => {
			assert.equal(error.data?.code, 'upstream_failed');
			assert.deepEqual(error.data?.data, {
				team: 'unreachable',
				origin: gone,
				isInReadersLanguage: true,
			});
			return true;
		});
	}
	await configure('');
	assert.equal((await translate()).items[0]?.text, '[de] from here', 'the way back is explicit');
});

test('a team server that accepts and says nothing does not hold up the list of models', async () => {
	const silent = createServer(() => {});
	await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
	try {
		const link = new TeamLink(undefined, 50);
		link.team = {
			origin: `http://127.0.0.1:${(silent.address() as AddressInfo).port}`,
			token: 'e30.e30.x',
		};
		const { models, status } = await link.list(new AbortController().signal);
		assert.deepEqual(models, []);
		assert.equal(status?.state, 'unreachable');
		assert.match(status?.message ?? '', /cannot be reached/);
	} finally {
		silent.closeAllConnections();
		await new Promise((resolve) => silent.close(resolve));
	}
});

test('a redirect does not carry the token to another origin', async () => {
	const seen: string[] = [];
	const thief = createServer((request, response) => {
		seen.push(JSON.stringify(request.headers));
		response.end('{}');
	});
	await new Promise<void>((resolve) => thief.listen(0, '127.0.0.1', resolve));
	const elsewhere = `http://127.0.0.1:${(thief.address() as AddressInfo).port}/`;
	const redirecting = createServer((_request, response) => {
		response.writeHead(307, { location: elsewhere }).end();
	});
	await new Promise<void>((resolve) => redirecting.listen(0, '127.0.0.1', resolve));
	try {
		const { port } = redirecting.address() as AddressInfo;
		await use({ origin: `http://127.0.0.1:${port}`, token: 'secret-token' });
		await assert.rejects(chat('team:big:1'), /cannot be reached/);
		assert.deepEqual(seen, []);
	} finally {
		for (const server of [thief, redirecting]) {
			server.closeAllConnections();
			await new Promise((resolve) => server.close(resolve));
		}
	}
});

/** A session token of the layer. */
async function signedIn(): Promise<string> {
	const response = await fetch(`${origin}/.auth/login/corp`, {
		method: 'POST',
		headers: { 'content-type': 'application/json' },
		body: JSON.stringify({ id_token: await layer.provider.sign(layer.provider.claims) }),
	});
	const { authenticationToken } = (await response.json()) as { authenticationToken: string };
	return authenticationToken;
}

async function textOf(request: IncomingMessage): Promise<string> {
	let text = '';
	for await (const chunk of request) text += String(chunk);
	return text;
}

test('a question whose kept connection the other side was closing is asked again, once', async () => {
	let asked = 0;
	let closes = 1;
	const closing = createServer((request, response) => {
		asked++;
		request.resume().on('end', () => {
			if (closes-- > 0) request.socket.destroy();
			else response.setHeader('content-type', 'application/json').end('{"ok":true}');
		});
	});
	await new Promise<void>((resolve) => closing.listen(0, '127.0.0.1', resolve));
	try {
		const link = new TeamLink();
		link.team = {
			origin: `http://127.0.0.1:${(closing.address() as AddressInfo).port}`,
			token: 'e30.e30.x',
		};
		const ask = () => link.client.call(countChatTokens, { body: { messages: [] } });
		assert.deepEqual(await ask(), { ok: true });
		assert.equal(asked, 2);
		closes = 10;
		await assert.rejects(ask(), /cannot be reached/);
		assert.equal(asked, 4);
	} finally {
		closing.closeAllConnections();
		await new Promise((resolve) => closing.close(resolve));
	}
});
