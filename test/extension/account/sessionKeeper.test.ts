/** Renewal of sessions: once for all requests and windows, and never at the cost of the session. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type SessionChange, SessionManager } from '../../../extension/account/sessionManager.ts';
import { SessionStore, type StoredSession } from '../../../extension/account/sessionStore.ts';
import type { RefreshedSession } from '../../../extension/account/teamApi.ts';
import { AppError, type EndReason } from '../../../server/protocol/index.ts';

const origin = 'https://team.example';
const hour = 3_600_000;

/** A clock, a secret storage that all windows share, and a server. */
class World {
	now = 1_000_000_000_000;
	text: string | undefined;
	refreshes: string[] = [];
	signOuts: string[] = [];
	isOnline = true;
	lines: string[] = [];
	answer: (token: string) => Promise<RefreshedSession> = async (token) => ({
		kind: 'renewed',
		session: { token: this.token(`${token.length}${this.refreshes.length}`), userId: 'u' },
	});
	readonly listeners: (() => void)[] = [];

	token(name: string, lifeMs = hour): string {
		const claims = { exp: (this.now + lifeMs) / 1000, jti: name };
		return `e30.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.s`;
	}

	window(name: string) {
		const store = new SessionStore({
			get: async () => this.text,
			store: async (_key, value) => {
				this.text = value;
				for (const listener of this.listeners) listener();
			},
		});
		const ended: [string, EndReason][] = [];
		const changes: SessionChange[] = [];
		const timers: { at: number; run: () => void }[] = [];
		const keeper = new SessionManager({
			store,
			api: () => ({
				refresh: async (token) => {
					this.refreshes.push(token);
					return this.answer(token);
				},
				signOut: async (token) => {
					if (!this.isOnline) throw new AppError('upstream_failed', 'no network');
					this.signOuts.push(token);
				},
			}),
			now: () => this.now,
			random: () => 0.5,
			wait: async (ms) => {
				this.now += ms;
				await new Promise((resolve) => setImmediate(resolve));
			},
			later: (ms, run) => {
				const timer = { at: this.now + ms, run };
				timers.push(timer);
				return () => timers.splice(timers.indexOf(timer), 1);
			},
			window: name,
			log: (line) => this.lines.push(line),
			onChange: (change) => changes.push(change),
			onEnded: (session, reason) => ended.push([session.id, reason]),
		});
		this.listeners.push(() => void keeper.reload());
		return { keeper, store, ended, changes, timers };
	}

	session(token = this.token('first')): StoredSession {
		return { id: `${origin}#u`, origin, userId: 'u', label: 'Ann', token };
	}
}

test('a session is renewed at four fifths of its life, and the new token is stored', async () => {
	const world = new World();
	const { keeper, store, timers, changes } = world.window('one');
	await keeper.add(world.session());
	assert.deepEqual(
		timers.map(({ at }) => at - world.now),
		[0.8 * hour],
	);
	world.now += 0.8 * hour;
	timers[0]?.run();
	const renewed = await keeper.renew(`${origin}#u`);
	assert.equal(world.refreshes.length, 1);
	assert.notEqual(renewed?.token, world.refreshes[0]);
	assert.equal((await store.find(`${origin}#u`))?.lease, undefined);
	assert.equal(changes.at(-1)?.changed[0]?.token, renewed?.token);
	assert.equal(timers.length, 1, 'the next renewal is planned');
});

test('ten requests and two windows that were refused together renew once', async () => {
	const world = new World();
	const [one, two] = [world.window('one'), world.window('two')];
	const { answer } = world;
	// A server takes longer than everything else that happens here.
	world.answer = async (token) => {
		for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
		return answer(token);
	};
	const session = world.session();
	await one.keeper.add(session);
	await two.keeper.reload();
	const both = [one.keeper, two.keeper].flatMap((keeper) =>
		Array.from({ length: 5 }, () => keeper.renew(session.id, session.token)),
	);
	const tokens = new Set((await Promise.all(both)).map((renewed) => renewed?.token));
	assert.equal(world.refreshes.length, 1);
	assert.equal(tokens.size, 1);
	assert.ok(!tokens.has(session.token));
	assert.deepEqual([one.ended, two.ended], [[], []]);
});

test('a window that died while renewing holds the others up only for a while', async () => {
	const world = new World();
	const { keeper, store } = world.window('one');
	const session = world.session();
	await keeper.add(session);
	await store.update({ ...session, lease: { by: 'gone', until: world.now + 20_000 } });
	const before = world.now;
	const renewed = await keeper.renew(session.id, session.token);
	assert.notEqual(renewed?.token, session.token);
	assert.ok(world.now - before >= 20_000);
});

test('without a network the session stays and is tried again, later each time', async () => {
	const world = new World();
	const { keeper, timers, ended } = world.window('one');
	const session = world.session();
	await keeper.add(session);
	world.answer = async () => {
		throw new AppError('upstream_failed', 'no network');
	};
	const waits: number[] = [];
	// Far beyond the end of the token: the server renews up to three days later.
	for (let round = 0; round < 7; round++) {
		world.now += 2 * hour;
		await assert.rejects(keeper.renew(session.id), { code: 'upstream_failed' });
		waits.push(Math.round(((timers.at(-1)?.at ?? 0) - world.now) / 1000));
		assert.equal(timers.length, 1);
	}
	assert.deepEqual(waits, [30, 60, 120, 240, 480, 600, 600]);
	assert.deepEqual(ended, []);
	assert.equal((await keeper.list()).length, 1);
});

test('a provider without refresh tokens keeps its session until the token ends, then says so once', async () => {
	const world = new World();
	const { keeper, timers, ended } = world.window('one');
	const session = world.session(world.token('eight hours', 8 * hour));
	await keeper.add(session);
	world.answer = async () => ({ kind: 'fixed' });
	world.now += 6.5 * hour;
	assert.equal((await keeper.renew(session.id))?.token, session.token);
	assert.equal((await keeper.list())[0]?.fixed, true);
	assert.equal(timers.length, 1);
	assert.ok((timers[0]?.at ?? 0) >= world.now + 1.4 * hour);
	await keeper.renew(session.id);
	assert.equal(world.refreshes.length, 1, 'what cannot be renewed is not asked again');
	world.now += 2 * hour;
	assert.equal(await keeper.renew(session.id), undefined);
	assert.equal(await keeper.renew(session.id), undefined);
	assert.deepEqual(ended, [[session.id, 'expired']]);
});

test('a session that was ended or revoked there is forgotten, and said why', async () => {
	for (const [kind, reason] of [
		['ended', 'expired'],
		['revoked', 'revoked'],
	] as const) {
		const world = new World();
		const { keeper, ended, changes } = world.window('one');
		const session = world.session();
		await keeper.add(session);
		world.answer = async () => ({ kind });
		assert.equal(await keeper.renew(session.id, session.token), undefined);
		assert.deepEqual(ended, [[session.id, reason]]);
		assert.deepEqual(
			changes.at(-1)?.removed.map(({ id }) => id),
			[session.id],
		);
	}
});

test('signing out works without a network: the session is gone here, and the log says that it is here only', async () => {
	const world = new World();
	const { keeper, store, timers, changes } = world.window('one');
	const session = world.session();
	await keeper.add(session);
	world.isOnline = false;
	await keeper.remove(session.id);
	assert.deepEqual(await store.list(), []);
	assert.ok(!world.text?.includes(session.token));
	assert.deepEqual(
		changes.at(-1)?.removed.map(({ id }) => id),
		[session.id],
	);
	assert.deepEqual(world.lines, ['signed out here only: no network']);
	// Tried again, later each time, until the server is there or the token has ended.
	const tries = async (rounds: number) => {
		for (let round = 0; round < rounds; round++) {
			const timer = timers.pop();
			assert.deepEqual(timers, []);
			world.now = timer?.at ?? Number.NaN;
			timer?.run();
			await new Promise((resolve) => setImmediate(resolve));
		}
	};
	const start = world.now;
	await tries(3);
	assert.equal((timers[0]?.at ?? 0) - start, (30 + 60 + 120 + 240) * 1000);
	world.isOnline = true;
	await tries(1);
	assert.deepEqual(world.signOuts, [session.token]);
	assert.deepEqual([timers.length, world.lines.length], [0, 4]);
	world.isOnline = false;
	const short = world.session(world.token('short', 20_000));
	await keeper.add(short);
	await keeper.remove(short.id);
	await tries(1);
	assert.deepEqual([world.signOuts.length, timers.length], [1, 0], 'it has ended by itself');
	await keeper.add(world.session());
	await keeper.remove(session.id);
	keeper.dispose();
	assert.equal(timers.length, 0, 'a window that is gone tries nothing');
});

test('signing out tells the server, and a renewal under way does not bring the session back', async () => {
	const world = new World();
	const { keeper, store } = world.window('one');
	const session = world.session();
	await keeper.add(session);
	let release = () => {};
	world.answer = (token) =>
		new Promise((resolve) => {
			release = () =>
				resolve({ kind: 'renewed', session: { token: world.token(`late ${token}`), userId: 'u' } });
		});
	const renewing = keeper.renew(session.id, session.token);
	while (world.refreshes.length === 0) await new Promise((resolve) => setImmediate(resolve));
	await keeper.remove(session.id);
	release();
	assert.equal(await renewing, undefined);
	assert.deepEqual(await store.list(), []);
	assert.deepEqual(world.signOuts, [session.token]);
});

test('what one window stores, the others hear of: sign-in, new token, sign-out', async () => {
	const world = new World();
	const [one, two] = [world.window('one'), world.window('two')];
	const session = world.session();
	const settled = () => new Promise((resolve) => setTimeout(resolve, 5));
	await one.keeper.add(session);
	await settled();
	await one.keeper.renew(session.id, session.token);
	await settled();
	await one.keeper.remove(session.id);
	await settled();
	assert.deepEqual(
		two.changes.map(({ added, changed, removed }) => [
			added.length,
			changed.length,
			removed.length,
		]),
		[
			[1, 0, 0],
			[0, 1, 0],
			[0, 0, 1],
		],
	);
	assert.equal(two.timers.length, 0, 'nothing is planned for a session that is gone');
});

test('a storage that refuses is said once, and the session lives in memory', async () => {
	const refused: string[] = [];
	const store = new SessionStore(
		{
			get: async () => undefined,
			store: async () => {
				throw new Error('no keyring');
			},
		},
		({ message }) => refused.push(message),
	);
	await store.put(new World().session());
	await store.put({ ...new World().session(), id: 'other' });
	assert.equal((await store.list()).length, 2);
	assert.deepEqual(refused, ['no keyring']);
});
