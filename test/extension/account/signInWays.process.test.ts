/** The order of the ways to sign in, the loopback port, and sign-ins that other windows finish. */

import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { test } from 'node:test';
import { Callbacks } from '../../../extension/account/callbacks.ts';
import { startLoopbackServer } from '../../../extension/account/loopbackServer.ts';
import { type Pending, PendingSignIns, pendingKey } from '../../../extension/account/pending.ts';
import {
	type SignInFlow,
	type SignInFlowName,
	trySignInFlows,
} from '../../../extension/account/signInFlows.ts';
import { TeamApi } from '../../../extension/account/teamApi.ts';
import { tokenExchangeFlow } from '../../../extension/account/tokenExchangeFlow.ts';
import { AppError } from '../../../server/protocol/index.ts';

const session = { token: 't', userId: 'u' };

function way(
	name: SignInFlowName,
	possible: boolean,
	run: SignInFlow['run'],
	ran: string[],
): SignInFlow {
	return {
		name,
		possible: async () => possible,
		run: () => {
			ran.push(name);
			return run();
		},
	};
}
const works = async () => session;
const fails = async (): Promise<never> => {
	throw new AppError('timeout', 'Nobody came.');
};

test('ways that cannot work are passed over without a question', async () => {
	const ran: string[] = [];
	const ways = [
		way('browser', false, works, ran),
		way('loopback', false, works, ran),
		way('device', true, works, ran),
	];
	const asked: unknown[] = [];
	assert.deepEqual(await trySignInFlows(ways, async (...all) => void asked.push(all)), session);
	assert.deepEqual(ran, ['device']);
	assert.deepEqual(asked, []);
});

test('after a way that failed the next ones are offered first, and the person chooses', async () => {
	const ran: string[] = [];
	const ways = [
		way('browser', true, fails, ran),
		way('loopback', true, fails, ran),
		way('device', true, works, ran),
		way('paste', false, works, ran),
	];
	const offers: (readonly [string, string, readonly string[]])[] = [];
	const choices: SignInFlowName[] = ['loopback', 'device'];
	const result = await trySignInFlows(ways, async (failed, { message }, next) => {
		offers.push([failed, message, next]);
		return choices.shift();
	});
	assert.deepEqual(result, session);
	assert.deepEqual(ran, ['browser', 'loopback', 'device']);
	assert.deepEqual(offers, [
		['browser', 'Nobody came.', ['loopback', 'device', 'browser']],
		['loopback', 'Nobody came.', ['device', 'browser', 'loopback']],
	]);
});

test('giving up is cancelling, and a server without any way says so', async () => {
	const ran: string[] = [];
	await assert.rejects(
		trySignInFlows([way('device', true, fails, ran)], async () => undefined),
		{
			code: 'cancelled',
		},
	);
	await assert.rejects(
		trySignInFlows([way('browser', false, works, ran)], async () => undefined),
		{
			code: 'not_supported',
		},
	);
	const away: SignInFlow = {
		name: 'browser',
		possible: async () => {
			throw new AppError('upstream_failed', 'cannot be reached');
		},
		run: works,
	};
	await assert.rejects(
		trySignInFlows([away], async () => undefined),
		{ code: 'upstream_failed' },
	);
});

const words = { title: 'Signed in', text: 'You can close <this> page.' };

test('the loopback port takes one answer with its nonce, says so on the page, and closes', async () => {
	const server = await startLoopbackServer('right-nonce', words);
	const { origin, hostname } = new URL(server.callback);
	assert.equal(hostname, '127.0.0.1');
	const good = `${server.callback}&code=c1&provider=corp`;
	for (const wrong of [
		`${origin}/signed-in?nonce=wrong&code=c&provider=p`,
		`${origin}/signed-in?code=c&provider=p`,
		`${origin}/other?nonce=right-nonce&code=c&provider=p`,
		`${origin}/favicon.ico`,
		server.callback,
	]) {
		assert.equal((await fetch(wrong)).status, 404, wrong);
	}
	assert.equal((await fetch(good, { method: 'POST' })).status, 404);
	assert.match(await raw(server.callback, 'evil.example'), /^HTTP\/1\.1 404/);
	const page = await fetch(good);
	assert.equal(page.status, 200);
	assert.match(page.headers.get('content-security-policy') ?? '', /default-src 'none'/);
	assert.match(await page.text(), /You can close &#60;this&#62; page/);
	assert.deepEqual(await server.answer, { code: 'c1', provider: 'corp' });
	await assert.rejects(fetch(good), 'the port is closed');
	server.close();
});

test('of two right answers at the same time the loopback port takes one', async () => {
	const server = await startLoopbackServer('right-nonce', words);
	const { host } = new URL(server.callback);
	// Both are connected before either is heard.
	let [connected, bothConnected] = [0, () => {}];
	const ready = new Promise<void>((resolve) => {
		bothConnected = resolve;
	});
	const whenReady = () => {
		if (++connected === 2) bothConnected();
		return ready;
	};
	const answers = await Promise.all([1, 2].map(() => raw(server.callback, host, whenReady)));
	assert.deepEqual(answers.map((text) => text.split(' ')[1]).sort(), ['200', '404']);
	server.close();
});

/** A request whose Host may be somebody else's name for this machine. */
function raw(callback: string, host: string, ready = async () => {}): Promise<string> {
	const { port, pathname, search } = new URL(callback);
	return new Promise((resolve, reject) => {
		let text = '';
		const socket = connect(Number(port), '127.0.0.1', () => {
			void ready().then(() =>
				socket.write(
					`GET ${pathname}${search}&code=c&provider=p HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`,
				),
			);
		});
		socket.on('data', (chunk) => {
			text += String(chunk);
		});
		socket.once('end', () => resolve(text));
		socket.once('error', reject);
	});
}

test('a sign-in can be finished by another window, once, and is forgotten after ten minutes', async () => {
	let text: string | undefined;
	let now = 1_000_000_000_000;
	const secrets = {
		get: async () => text,
		store: async (_key: string, value: string) => {
			text = value;
		},
	};
	const [one, two] = [
		new PendingSignIns(secrets, () => now),
		new PendingSignIns(secrets, () => now),
	];
	await one.add({ nonce: 'n', origin: 'https://t', verifier: 'proof' });
	assert.equal((await two.find('n'))?.verifier, 'proof');
	assert.equal(await two.find('m'), undefined);
	await two.finish('n', 'session-id');
	assert.equal((await one.find('n'))?.done, 'session-id');
	assert.ok(!text?.includes('proof'), 'the proof key is not kept longer than needed');
	await one.add({ nonce: 'old', origin: 'https://t', verifier: 'v' });
	now += 601_000;
	assert.equal(await one.find('old'), undefined);
	await one.add({ nonce: 'new', origin: 'https://t', verifier: 'v' });
	assert.ok(!text?.includes('"old"'));
	await one.remove('new');
	assert.equal(text, '[]');
});

/** Secrets that two windows share, each with its own listeners. */
function sharedSecrets() {
	const values = new Map<string, string>();
	const listeners = new Set<(event: { key: string }) => void>();
	const secrets = {
		get: async (key: string) => values.get(key),
		store: async (key: string, value: string) => {
			values.set(key, value);
			for (const listener of listeners) listener({ key });
		},
		onDidChange: (listener: (event: { key: string }) => void) => {
			listeners.add(listener);
			return { dispose: () => listeners.delete(listener) };
		},
	};
	return { secrets, values };
}

const neverCancelled = { onCancellationRequested: () => ({ dispose: () => {} }) };
const signedIn = (nonce: string) => ({
	path: '/signed-in',
	query: `nonce=${nonce}&code=c1&provider=corp`,
});

function windowOf(secrets: ReturnType<typeof sharedSecrets>['secrets']) {
	const pending = new PendingSignIns(secrets);
	const finished: Pending[] = [];
	const failures: unknown[] = [];
	const callbacks = new Callbacks(
		secrets,
		pending,
		async (found, { code }) => {
			if (code === 'bad') throw new AppError('forbidden', 'refused');
			finished.push(found);
			return 'session-1';
		},
		(error) => failures.push(error),
	);
	return { pending, callbacks, finished, failures };
}

test('the answer of a page goes to the window that waits for its nonce, and to no other nonce', async () => {
	const { secrets } = sharedSecrets();
	const { pending, callbacks, finished } = windowOf(secrets);
	await pending.add({ nonce: 'n1', origin: 'https://t', verifier: 'v' });
	const waiting = callbacks.wait('n1', 60_000, neverCancelled, 'late');
	for (const wrong of [
		signedIn('unknown'),
		{ path: '/signed-in', query: 'code=c&provider=p' },
		{ path: '/signed-in', query: 'nonce=n1' },
		{ path: '/elsewhere', query: 'nonce=n1&code=of-another-page&provider=corp' },
	]) {
		await callbacks.handleUri(wrong);
	}
	assert.deepEqual(finished, [], 'an unknown nonce redeems nothing');
	await callbacks.handleUri(signedIn('n1'));
	assert.deepEqual(await waiting, { code: 'c1', provider: 'corp' });
	callbacks.dispose();
});

test('another window that receives the answer finishes, and the first one hears of it', async () => {
	const { secrets, values } = sharedSecrets();
	const [first, second] = [windowOf(secrets), windowOf(secrets)];
	await first.pending.add({ nonce: 'n2', origin: 'https://t', verifier: 'proof' });
	const waiting = first.callbacks.wait('n2', 60_000, neverCancelled, 'late');
	await second.callbacks.handleUri(signedIn('n2'));
	assert.deepEqual(await waiting, { session: 'session-1' });
	assert.equal(second.finished[0]?.verifier, 'proof');
	await second.callbacks.handleUri(signedIn('n2'));
	assert.equal(second.finished.length, 1, 'an answer that comes twice counts once');
	assert.ok(!values.get(pendingKey)?.includes('proof'));
	await first.pending.add({ nonce: 'n3', origin: 'https://t', verifier: 'v' });
	await second.callbacks.handleUri({ path: '/signed-in', query: 'nonce=n3&code=bad&provider=p' });
	assert.equal((second.failures[0] as Error).message, 'refused');
	first.callbacks.dispose();
	second.callbacks.dispose();
});

test('waiting for a page ends with its time or with a cancel, and leaves nothing behind', async () => {
	const { secrets } = sharedSecrets();
	const { callbacks } = windowOf(secrets);
	await assert.rejects(callbacks.wait('n', 5, neverCancelled, 'Nobody came.'), {
		code: 'timeout',
		message: 'Nobody came.',
	});
	let cancel = () => {};
	let disposed = 0;
	const token = {
		onCancellationRequested: (listener: (event: unknown) => void) => {
			cancel = () => listener(undefined);
			return { dispose: () => disposed++ };
		},
	};
	const waiting = callbacks.wait('m', 60_000, token, 'late');
	cancel();
	await assert.rejects(waiting, { code: 'cancelled' });
	assert.equal(disposed, 1);
	callbacks.dispose();
});

test('the Microsoft account of the editor is offered once: a "no" goes on and is remembered', async () => {
	const offer = {
		providers: [{ name: 'aad', editorSession: { scopes: ['api://t/access', 'VSCODE_TENANT:x'] } }],
	};
	const posted: unknown[] = [];
	const api = new TeamApi('https://t.example', async (input, init) => {
		if (String(input).endsWith('/.auth/providers')) return Response.json(offer);
		posted.push(JSON.parse(String(init?.body)));
		return Response.json({ authenticationToken: 'tok', user: { userId: 'sid:1' } });
	});
	const kept = new Map<string, unknown>();
	const memory = {
		get: <T>(key: string) => kept.get(key) as T | undefined,
		update: async (key: string, value: unknown) => void kept.set(key, value),
	} as Parameters<typeof tokenExchangeFlow>[1]['memory'];
	const answers: ('use' | 'never')[] = ['use', 'never'];
	let asked = 0;
	const scopesAsked: (readonly string[])[] = [];
	const deps = {
		memory,
		confirm: async () => {
			asked++;
			return answers.shift();
		},
		accessToken: async (scopes: readonly string[]) => {
			scopesAsked.push(scopes);
			return 'microsoft-token';
		},
	};
	const ran: string[] = [];
	const ways = () => [tokenExchangeFlow(api, deps), way('browser', true, works, ran)];
	const choose = async () => assert.fail('nobody is asked how to go on');
	assert.deepEqual(await trySignInFlows(ways(), choose), { token: 'tok', userId: 'sid:1' });
	assert.deepEqual(posted, [{ access_token: 'microsoft-token' }]);
	assert.deepEqual(scopesAsked, [['api://t/access', 'VSCODE_TENANT:x']]);
	assert.deepEqual(await trySignInFlows(ways(), choose), session, 'the next way follows at once');
	assert.deepEqual(await trySignInFlows(ways(), choose), session);
	assert.deepEqual([asked, ran.length], [2, 2]);
});
