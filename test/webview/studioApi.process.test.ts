/** What the studio page keeps of its access, against a real server. */

import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { AppError } from '../../server/protocol/index.ts';
import { answerText, StudioApi } from '../../webview/studioApi.ts';
import { startTestServer, type TestServer } from '../support/testServer.ts';

let open: TestServer;
let locked: TestServer;
let server: TestServer;
/** What the tab remembers, also when the page is loaded again. */
let tab: Map<string, string>;
const realFetch = globalThis.fetch;

before(async () => {
	open = await startTestServer({ fakeRunner: true });
	locked = await startTestServer({ fakeRunner: true, listen: { requireKey: true } });
	const globals = {
		fetch: (path: string, init?: RequestInit) => realFetch(new URL(path, server.url), init),
		document: { body: { dataset: {} } },
		localStorage: storage(() => new Map()),
		sessionStorage: storage(() => tab),
		history: { replaceState: () => visit('') },
	};
	for (const [name, value] of Object.entries(globals))
		Object.defineProperty(globalThis, name, { value, configurable: true });
});
beforeEach(() => {
	tab = new Map([['nearglot.owner', '']]);
	visit('');
});
after(async () => {
	Object.defineProperty(globalThis, 'fetch', { value: realFetch, configurable: true });
	await Promise.all([open.close(), locked.close()]);
});

const storage = (kept: () => Map<string, string>) => ({
	getItem: (name: string) => kept().get(name) ?? null,
	setItem: (name: string, value: string) => kept().set(name, value),
	removeItem: (name: string) => kept().delete(name),
});

/** Sets the address of the page. */
function visit(hash: string): void {
	const value = { hash, pathname: '/' };
	Object.defineProperty(globalThis, 'location', { value, configurable: true });
}

/** Follows a link of the owner's. */
async function follow(at: TestServer): Promise<StudioApi> {
	server = at;
	const made = await realFetch(`${at.url}/nearglot/studio`, { method: 'POST', headers: at.keyed });
	visit(new URL(((await made.json()) as { url: string }).url).hash);
	return StudioApi.open();
}

const noKeyIn = (at: TestServer) =>
	assert.ok(![...tab.values()].some((value) => value.includes(at.key)), 'the key is not kept');

test('a link opens the page, a reload keeps it open, a link that was used changes nothing', async () => {
	const page = await follow(locked);
	const used = `#ticket=${'x'.repeat(32)}`;
	assert.ok((await page.allModels()).models.length > 0);
	assert.equal(location.hash, '', 'the ticket is gone from the address');
	const again = await StudioApi.open();
	assert.ok((await again.allModels()).models.length > 0);
	visit(used);
	const old = await StudioApi.open();
	assert.ok((await old.allModels()).models.length > 0);
	assert.equal(old.ended.value, false);
	noKeyIn(locked);
});

test('a key that a person types opens the page and is not kept; a wrong one says so', async () => {
	server = locked;
	const page = await StudioApi.open();
	await assert.rejects(page.models(), (error: AppError) => error.code === 'invalid_api_key');
	await assert.rejects(page.enter('wrong'), (error: AppError) => error.code === 'invalid_api_key');
	assert.equal(page.hasAccess, false);
	await page.enter(locked.key);
	assert.ok((await page.allModels()).models.length > 0);
	noKeyIn(locked);
});

test('a page whose access has ended says so, goes on with what needs none, and takes the key', async () => {
	const page = await follow(open);
	assert.ok((await page.allModels()).models.length > 0);
	tab.set('nearglot.studio', 'a token of a server that has ended');
	const left = await StudioApi.open();
	await assert.rejects(left.allModels(), (error: AppError) => error instanceof AppError);
	assert.deepEqual([left.ended.value, left.hasAccess], [true, false]);
	assert.equal(tab.has('nearglot.studio'), false);
	const models = await left.models();
	assert.ok(models.length > 0, 'chats and translations go on');
	assert.ok(
		models.every(({ origin }) => origin === 'built-in'),
		'the page knows which ones to ask last',
	);
	await left.enter(open.key);
	assert.deepEqual([left.ended.value, left.hasAccess], [false, true]);
	assert.ok((await left.allModels()).models.length > 0);
	noKeyIn(open);
});

test('an answer is shown with its calls, whatever form they have', () => {
	const message = { role: 'assistant' as const, content: 'So:', refusal: null };
	const called = { name: 'f', arguments: '{"a":1}' };
	const custom = { id: 'c', type: 'custom' as const, custom: { name: 'g', input: '1+2' } };
	const calls = [{ id: 'b', type: 'function' as const, function: called }, custom];
	assert.equal(answerText({ ...message, tool_calls: calls }), 'So:\nf({"a":1})\ng(1+2)');
	assert.equal(answerText({ ...message, content: null, function_call: called }), 'f({"a":1})');
	assert.equal(answerText(undefined), '');
});
