/** Renewal by several windows whose secret storages hear of each other late, as those of VS Code do. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SessionManager } from '../../../extension/account/sessionManager.ts';
import { SessionStore } from '../../../extension/account/sessionStore.ts';

const origin = 'https://team.example';

/** Time that passes only when everybody waits. */
class Clock {
	now = 1_000_000_000_000;
	readonly #queue: { readonly at: number; readonly run: () => void }[] = [];

	later(ms: number, run: () => void): () => void {
		const entry = { at: this.now + ms, run };
		this.#queue.push(entry);
		return () => {
			const place = this.#queue.indexOf(entry);
			if (place >= 0) this.#queue.splice(place, 1);
		};
	}

	wait(ms: number): Promise<void> {
		return new Promise((resolve) => this.later(ms, resolve));
	}

	async until(done: () => boolean): Promise<void> {
		while (!done()) {
			for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
			if (done()) return;
			const next = this.#queue.sort((a, b) => a.at - b.at).shift();
			assert.ok(next, 'nobody waits any more');
			this.now = next.at;
			next.run();
		}
	}
}

/**
 * Secret storages of windows as a desktop VS Code has them: what one writes is read back there at once,
 * stored 0.1 s later, and told to all windows 0.1 s after that.
 */
class SlowStorages {
	readonly #clock: Clock;
	#stored: string | undefined;
	readonly #windows: { cache: string | undefined }[] = [];

	constructor(clock: Clock) {
		this.#clock = clock;
	}

	window(): SessionStore {
		const own = { cache: this.#stored };
		this.#windows.push(own);
		return new SessionStore({
			get: async () => own.cache,
			store: async (_key, value) => {
				own.cache = value;
				this.#clock.later(100, () => {
					this.#stored = own.cache;
					this.#clock.later(100, () => {
						for (const window of this.#windows) window.cache = this.#stored;
					});
				});
			},
		});
	}
}

test('windows renew once, however little apart they begin and however late they hear of each other', async () => {
	for (let apartMs = 0; apartMs <= 600; apartMs += 25) {
		const clock = new Clock();
		const storages = new SlowStorages(clock);
		const end = () => Buffer.from(JSON.stringify({ exp: clock.now / 1000 + 3600 }));
		const token = (name: string) => `${name}.${end().toString('base64url')}.s`;
		let refreshes = 0;
		const keepers = ['one', 'two', 'three'].map(
			(window) =>
				new SessionManager({
					store: storages.window(),
					api: () => ({
						refresh: async () => {
							const name = `new${++refreshes}`;
							await clock.wait(80);
							return { kind: 'renewed', session: { token: token(name), userId: 'u' } };
						},
						signOut: async () => {},
					}),
					now: () => clock.now,
					random: () => 0.5,
					wait: (ms) => clock.wait(ms),
					later: (ms, run) => clock.later(ms, run),
					window,
					log: () => {},
					onChange: () => {},
					onEnded: () => assert.fail('ended'),
				}),
		);
		const session = { id: 'a#u', origin, userId: 'u', label: 'Ann', token: token('old') };
		await keepers[0]?.add(session);
		let passed = false;
		clock.later(1000, () => {
			passed = true;
		});
		await clock.until(() => passed);
		const tokens: (string | undefined)[] = [];
		for (const [index, keeper] of keepers.entries()) {
			clock.later(index * apartMs, () => {
				void keeper.renew(session.id, session.token).then((one) => tokens.push(one?.token));
			});
		}
		await clock.until(() => tokens.length === 3);
		assert.deepEqual([refreshes, new Set(tokens).size], [1, 1], `${apartMs} ms apart`);
		for (const keeper of keepers) keeper.dispose();
	}
});
