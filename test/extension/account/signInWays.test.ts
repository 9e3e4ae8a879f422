/** The order of the ways to sign in, the loopback port, and sign-ins that other windows finish. */

import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { test } from 'node:test';
import { startLoopbackServer } from '../../../extension/account/loopbackServer.ts';
import { PendingSignIns } from '../../../extension/account/pending.ts';
import { tryWays, type Way, type WayName } from '../../../extension/account/ways.ts';
import { AppError } from '../../../server/protocol/index.ts';

const session = { token: 't', userId: 'u' };

function way(name: WayName, possible: boolean, run: Way['run'], ran: string[]): Way {
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
	assert.deepEqual(await tryWays(ways, async (...all) => void asked.push(all)), session);
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
	const choices: WayName[] = ['loopback', 'device'];
	const result = await tryWays(ways, async (failed, { message }, next) => {
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
		tryWays([way('device', true, fails, ran)], async () => undefined),
		{
			code: 'cancelled',
		},
	);
	await assert.rejects(
		tryWays([way('browser', false, works, ran)], async () => undefined),
		{
			code: 'not_supported',
		},
	);
	const away: Way = {
		name: 'browser',
		possible: async () => {
			throw new AppError('upstream_failed', 'cannot be reached');
		},
		run: works,
	};
	await assert.rejects(
		tryWays([away], async () => undefined),
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

/** A request whose Host is somebody else's name for this machine. */
function raw(callback: string, host: string): Promise<string> {
	const { port, pathname, search } = new URL(callback);
	return new Promise((resolve, reject) => {
		let text = '';
		const socket = connect(Number(port), '127.0.0.1', () => {
			socket.write(
				`GET ${pathname}${search}&code=c&provider=p HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`,
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
