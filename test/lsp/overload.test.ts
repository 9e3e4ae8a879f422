/** An editor whose server has too much to do waits for its turn; it gives up when its request is cancelled. */

import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { type Daemon, DaemonLink } from '../../server/lsp/daemonLink.ts';
import { TeamLink } from '../../server/lsp/teamLink.ts';
import { translateTexts } from '../../server/lsp/translateTexts.ts';
import { sender } from '../../server/protocol/routeClient.ts';
import { onNotice } from '../../server/store/notices.ts';

const overloaded = () =>
	Response.json(
		{ error: { code: 503000, message: 'The model server is overloaded.' } },
		{ status: 503, headers: { 'retry-after': '7' } },
	);
const translated = () => Response.json([{ translations: [{ text: 'Datei' }] }]);

/** A link to a daemon that is overloaded so many times, and how often it was asked. */
function linkOf(times: number) {
	let asked = 0;
	const daemon: Daemon = {
		...{ url: 'http://127.0.0.1:1', key: 'key', pid: 7, version: '1.0.0' },
		request: sender({
			fetch: async () => (asked++ < times ? overloaded() : translated()),
			key: 'key',
		}),
	};
	const link = new DaemonLink(
		async () => daemon,
		() => {},
	);
	return { link, asked: () => asked };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));
async function pass(t: TestContext, seconds: number): Promise<void> {
	for (let second = 0; second < seconds; second++) {
		await turn();
		t.mock.timers.tick(1000);
	}
	await turn();
}

test('the daemon of this computer is asked again until there is room', async (t) => {
	t.mock.timers.enable({ apis: ['setTimeout'] });
	const told: string[] = [];
	using _ = onNotice((text) => told.push(text));
	const { link, asked } = linkOf(2);
	const { signal } = new AbortController();
	const made = translateTexts(link.client, { texts: ['file'], to: 'de' }, signal);
	await pass(t, 17);
	assert.deepEqual(await made, { items: [{ text: 'Datei' }] });
	assert.equal(asked(), 3);
	assert.equal(told.length, 1);
});

test('nothing is asked again for a request that the editor has cancelled', async (t) => {
	t.mock.timers.enable({ apis: ['setTimeout'] });
	const { link, asked } = linkOf(9);
	const stop = new AbortController();
	const made = translateTexts(link.client, { texts: ['file'], to: 'de' }, stop.signal);
	await pass(t, 2);
	stop.abort();
	await assert.rejects(made, { code: 'cancelled' });
	await pass(t, 30);
	assert.equal(asked(), 1);
});

test('a team server is asked again, too', async (t) => {
	t.mock.timers.enable({ apis: ['setTimeout'] });
	let asked = 0;
	t.mock.method(globalThis, 'fetch', async () => (asked++ < 1 ? overloaded() : translated()));
	const team = new TeamLink();
	team.team = { origin: 'https://models.example.org', token: 'token' };
	const { signal } = new AbortController();
	const made = translateTexts(team.client, { texts: ['file'], to: 'de' }, signal);
	await pass(t, 9);
	assert.deepEqual(await made, { items: [{ text: 'Datei' }] });
	assert.equal(asked, 2);
});
