/** Keys: typed into hidden boxes, kept in the secret storage, handed to the server and to nobody else. */

import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import type { LanguageServerHealth } from '../../extension/languageServerClient.ts';
import { desk, resetDesk } from './vscodeDouble.ts';

const { manageKeys, shareSecrets } = await import('../../extension/secretStorage.ts');

type Secrets = Parameters<typeof manageKeys>[0];
type Front = Parameters<typeof shareSecrets>[1];

/** The secret storage all windows share. */
function storage() {
	const values = new Map<string, string>();
	const listeners = new Set<(event: { key: string }) => void>();
	const tell = (key: string) => {
		for (const listener of listeners) listener({ key });
	};
	const secrets = {
		get: async (key: string) => values.get(key),
		store: async (key: string, value: string) => {
			values.set(key, value);
			tell(key);
		},
		delete: async (key: string) => {
			values.delete(key);
			tell(key);
		},
		onDidChange: (listener: (event: { key: string }) => void) => {
			listeners.add(listener);
			return { dispose: () => listeners.delete(listener) };
		},
	};
	return { secrets: secrets as unknown as Secrets, values, listeners };
}

/** The server of a window, which notes what it is handed. */
function window(secrets: Secrets) {
	const handed: Record<string, string>[] = [];
	const storages = new Set<string>();
	let health: (health: LanguageServerHealth) => void = () => {};
	const front = {
		onHealth: (listener: (health: LanguageServerHealth) => void) => {
			health = listener;
			return { dispose: () => {} };
		},
		request: async (
			method: string,
			params: { secrets: Record<string, string>; storage: string },
		) => {
			assert.equal(method, 'nearglot/secrets');
			handed.push(params.secrets);
			storages.add(params.storage);
		},
	};
	const sharing = shareSecrets(secrets, front as unknown as Front);
	const become = (server: LanguageServerHealth['server']) => health({ server, status: undefined });
	return { handed, storages, become, sharing };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

/** Picks rows by their labels and types; returns the rows and boxes that were shown. */
function person(picks: string[], typed?: string) {
	const rows: { label: string; description: string }[][] = [];
	const boxes: { password: boolean; validateInput: (text: string) => string | undefined }[] = [];
	desk.quickPick = async (items) => {
		const shown = items as ({ label: string; description: string } | string)[];
		rows.push(shown.filter((row) => typeof row !== 'string'));
		const wanted = picks.shift();
		return shown.find((row) => (typeof row === 'string' ? row : row.label) === wanted);
	};
	desk.input = async (options) => {
		boxes.push(options as (typeof boxes)[number]);
		return typed;
	};
	return { rows, boxes };
}

beforeEach(() => {
	resetDesk();
	desk.settings = { 'translate.hosted': {} };
});

test('a key is typed into a hidden box and kept without the blanks around it; a region may be seen', async () => {
	const { secrets, values } = storage();
	for (const [label, key, hidden] of [
		['Key of the hosted translator', 'nearglot.secret.translatorKey', true],
		['Client secret of the hosted translator', 'nearglot.secret.translatorClientSecret', true],
		['Token of the model hub', 'nearglot.secret.hubToken', true],
		['Key of the upstream model server', 'nearglot.secret.upstreamKey', true],
		['Region of the hosted translator', 'nearglot.secret.translatorRegion', false],
	] as const) {
		const { boxes, rows } = person([label], ' typed ');
		await manageKeys(secrets);
		assert.equal(boxes[0]?.password, hidden, label);
		assert.equal(values.get(key), 'typed');
		assert.equal(rows[0]?.find((row) => row.label === label)?.description, '');
	}
	const { boxes } = person(['Address of the hosted translator'], 'https://a.example');
	await manageKeys(secrets);
	const [box] = boxes;
	for (const wrong of ['', ' ', 'http://a.example', 'a.example', 'https://', 'https://a b']) {
		assert.equal(typeof box?.validateInput(wrong), 'string', wrong);
	}
	assert.equal(box?.validateInput('https://a.example/path'), undefined);
});

test('what is set is said and never shown; it can be replaced, forgotten or left alone', async () => {
	const { secrets, values } = storage();
	const label = 'Token of the model hub';
	const key = 'nearglot.secret.hubToken';
	values.set(key, 'old-token');
	const { rows } = person([label]);
	await manageKeys(secrets);
	const described = rows[0]?.map((row) => [row.label, row.description]);
	assert.deepEqual(
		described?.filter(([, description]) => description !== ''),
		[[label, 'set']],
	);
	assert.ok(!JSON.stringify(rows).includes('old-token'));
	assert.equal(values.get(key), 'old-token', 'nothing was chosen');
	person([label, 'Replace'], undefined);
	await manageKeys(secrets);
	assert.equal(values.get(key), 'old-token', 'Escape in the box');
	person([label, 'Replace'], 'new-token');
	await manageKeys(secrets);
	assert.equal(values.get(key), 'new-token');
	const { boxes } = person([label, 'Forget'], 'not asked');
	await manageKeys(secrets);
	assert.equal(values.has(key), false);
	assert.deepEqual(boxes, []);
});

test('the server is handed everything when it starts, starts again, and when a key changes in any window', async () => {
	const { secrets, values, listeners } = storage();
	values.set('nearglot.secret.hubToken', 'h');
	const { handed, become, sharing } = window(secrets);
	await secrets.store('nearglot.secret.upstreamKey', 'u');
	await settled();
	assert.deepEqual(handed, [], 'no server runs');
	become('starting');
	become('running');
	become('running');
	await settled();
	assert.deepEqual(handed, [{ hubToken: 'h', upstreamKey: 'u' }]);
	await secrets.store('nearglot.secret.upstreamKey', 'v');
	await settled();
	await secrets.delete('nearglot.secret.hubToken');
	await settled();
	await secrets.store('of.another.extension', 'x');
	await settled();
	assert.deepEqual(handed.slice(1), [{ hubToken: 'h', upstreamKey: 'v' }, { upstreamKey: 'v' }]);
	become('restarting');
	become('running');
	await settled();
	assert.equal(handed.length, 4);
	sharing.dispose();
	assert.equal(listeners.size, 0);
});

test('the settings of the hosted translator go along, and again when they change', async () => {
	const { secrets } = storage();
	const { handed, become, sharing } = window(secrets);
	become('running');
	await settled();
	desk.settings = { 'translate.hosted': { region: 'westeurope' } };
	desk.configure('chat.model');
	desk.configure('translate.hosted');
	await settled();
	assert.deepEqual(handed, [{}, { translatorSettings: '{"region":"westeurope"}' }]);
	sharing.dispose();
	desk.configure('translate.hosted');
	await settled();
	assert.equal(handed.length, 2);
});

test('the windows of one editor name the same storage, those of another editor another', async () => {
	const named = async () => {
		const { become, storages, sharing } = window(storage().secrets);
		become('running');
		await settled();
		sharing.dispose();
		assert.equal(storages.size, 1);
		return [...storages][0];
	};
	const first = await named();
	assert.match(first ?? '', /^[0-9a-f]{16}$/);
	assert.equal(await named(), first);
	desk.environment.appName = 'Another Editor';
	const other = await named();
	assert.notEqual(other, first);
	desk.environment.machineId = 'another machine';
	assert.notEqual(await named(), other);
});
