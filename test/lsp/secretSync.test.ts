/** How a front hands the user's secrets to daemons: first, in order, and again to every new one. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Daemon } from '../../server/lsp/daemonLink.ts';
import { SecretSync } from '../../server/lsp/secretSync.ts';
import { sender } from '../../server/protocol/routeClient.ts';

/** A daemon that notes what it is handed; `answer` decides when it answers. */
function fakeDaemon(answer: () => Promise<Response> = async () => Response.json({})) {
	const handed: Record<string, string | null>[] = [];
	const sources: (string | null)[] = [];
	const daemon: Daemon = {
		url: 'http://127.0.0.1:1',
		key: 'k',
		pid: 1,
		version: '1',
		request: sender({
			fetch: async (path, init) => {
				const { pathname, searchParams } = new URL(path, 'http://a');
				assert.equal(pathname, '/nearglot/secrets/set');
				sources.push(searchParams.get('source'));
				const response = await answer();
				handed.push(JSON.parse(String(init.body)));
				return response;
			},
		}),
	};
	return { daemon, handed, sources };
}

const { signal } = new AbortController();

test('a daemon has the secrets before anybody may ask it, and so has the next one', async () => {
	const keeper = new SecretSync();
	await keeper.replace({ hubToken: 'h' });
	for (const { daemon, handed } of [fakeDaemon(), fakeDaemon()]) {
		assert.equal(await keeper.introduce(async () => daemon)(signal), daemon);
		assert.equal(handed.length, 1);
		assert.equal(handed[0]?.['hubToken'], 'h');
	}
});

test('a secret that is left out is forgotten', async () => {
	const { daemon, handed } = fakeDaemon();
	const keeper = new SecretSync();
	await keeper.introduce(async () => daemon)(signal);
	assert.deepEqual(handed, [], 'an editor that shares no secrets changes none');
	await keeper.replace({ hubToken: 'h', upstreamKey: 'u' });
	await keeper.replace({ upstreamKey: 'u' });
	assert.deepEqual(
		handed.map(({ hubToken, upstreamKey }) => [hubToken, upstreamKey]),
		[
			['h', 'u'],
			[null, 'u'],
		],
	);
});

test('the last of two changes arrives last, though the first is answered late, or refused', async () => {
	const answers: ((response: Response) => void)[] = [];
	const { daemon, handed } = fakeDaemon(() => new Promise((resolve) => answers.push(resolve)));
	const keeper = new SecretSync();
	await keeper.introduce(async () => daemon)(signal);
	const first = keeper.replace({ hubToken: 'first' });
	const second = keeper.replace({ hubToken: 'second' });
	const third = keeper.replace({ hubToken: 'third' });
	await new Promise((resolve) => setImmediate(resolve));
	assert.equal(answers.length, 1, 'one at a time');
	answers[0]?.(Response.json({ error: { message: 'no' } }, { status: 500 }));
	await assert.rejects(first);
	for (const [index, done] of [second, third].entries()) {
		while (!answers[index + 1]) await new Promise((resolve) => setImmediate(resolve));
		answers[index + 1]?.(Response.json({}));
		await done;
	}
	assert.equal(handed.at(-1)?.['hubToken'], 'third');
});

test('announced secrets are waited for before a daemon is asked anything', async () => {
	const { daemon, handed } = fakeDaemon();
	const keeper = new SecretSync(60_000);
	keeper.expect();
	let ready = false;
	const introduced = keeper
		.introduce(async () => daemon)(signal)
		.then(() => {
			ready = true;
		});
	await new Promise((resolve) => setImmediate(resolve));
	assert.equal(ready, false);
	await keeper.replace({ hubToken: 'h' });
	await introduced;
	assert.ok(handed.every(({ hubToken }) => hubToken === 'h'));
	assert.ok(handed.length > 0);
});

test('secrets that never come hold nobody up for ever', async () => {
	const { daemon, handed } = fakeDaemon();
	const keeper = new SecretSync(1);
	keeper.expect();
	assert.equal(await keeper.introduce(async () => daemon)(signal), daemon);
	assert.deepEqual(handed, []);
});

test('a daemon is told whose secrets they are', async () => {
	const { daemon, sources } = fakeDaemon();
	const keeper = new SecretSync();
	await keeper.introduce(async () => daemon)(signal);
	await keeper.replace({ hubToken: 'h' });
	await keeper.replace({ hubToken: 'h' }, 'a&b=c');
	assert.deepEqual(sources, ['editor:', 'editor:a&b=c']);
});
