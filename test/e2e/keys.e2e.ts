/**
 * Keys in a real VS Code: typed into hidden boxes, kept over a reload, handed to every daemon, used at
 * the services they are for, replaced and forgotten.
 */

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { until } from '../support/until.ts';
import { changeKey, isSet, openKeys, row, setKey, typeKey } from './keyBoxes.ts';
import { type TeamDesk, teamDesk } from './teamDesk.ts';
import { command, editorText, openFile } from './window.ts';

/** What is typed, by the words of its row; `hidden` is not shown while typing. */
const keys = {
	'Key of the hosted translator': {
		name: 'translatorKey',
		value: 'translator+key/1=',
		hidden: true,
	},
	'Region of the hosted translator': {
		name: 'translatorRegion',
		value: 'westeurope',
		hidden: false,
	},
	'Client secret of the hosted translator': {
		name: 'translatorClientSecret',
		value: 'client~secret%1',
		hidden: true,
	},
	'Token of the model hub': { name: 'hubToken', value: 'hub_token.1', hidden: true },
	'Key of the upstream model server': {
		name: 'upstreamKey',
		value: 'upstream-key-1',
		hidden: true,
	},
} as const;
const address = 'Address of the hosted translator';

/** Names of the keys the daemon has. */
async function namesOf(desk: TeamDesk): Promise<readonly string[]> {
	const { url, key } = desk.daemon();
	const response = await fetch(`${url}/nearglot/secrets/names`, {
		headers: { authorization: `Bearer ${key}` },
	});
	return [...((await response.json()) as { names: string[] }).names].sort();
}

let lines = 0;

/** Translates a line nobody has translated before, as the answer to such a line is remembered. */
async function translateLine({ workspace }: TeamDesk, page: Page): Promise<void> {
	const name = `line${++lines}.txt`;
	writeFileSync(join(workspace, name), `Line ${lines} could not be read.\n`);
	await openFile(page, name, 'could not be read');
	await page.keyboard.press('Control+Home');
	await page.keyboard.press('Shift+End');
	await command(page, 'Nearglot: Translate Selection');
	await editorText(page)
		.filter({ hasText: `hosted de: Line ${lines}` })
		.waitFor();
	await command(page, 'File: Revert File');
	await command(page, 'View: Close All Editors');
}

test('keys are typed into hidden boxes, and a reload, a new daemon and a new editor have them', async () => {
	const desk = await teamDesk();
	await desk.fresh({ 'nearglot.translate.engine': 'hosted' });
	const { services } = desk;
	const page = await desk.open();
	for (const [title, { value, hidden }] of Object.entries(keys)) {
		assert.equal(await isSet(page, title), false);
		await setKey(page, title, value, hidden);
	}
	await setKey(page, address, services.translator, false);
	await openKeys(page);
	await page.screenshot({ path: join(desk.pictures, 'keys.png') });
	await page.keyboard.press('Escape');
	const all = [...Object.values(keys).map(({ name }) => name), 'translatorEndpoint'].sort();
	const lookAgain = async () => {
		for (const title of [...Object.keys(keys), address]) assert.ok(await isSet(page, title), title);
		const before = services.translations.length;
		await translateLine(desk, page);
		const headers = services.translations.slice(before);
		assert.ok(headers.length > 0);
		for (const shown of headers) {
			assert.equal(shown['ocp-apim-subscription-key'], 'translator+key/1=');
			assert.equal(shown['ocp-apim-subscription-region'], 'westeurope');
		}
		assert.deepEqual(await namesOf(desk), all);
	};
	await lookAgain();
	await desk.load(page);
	await lookAgain();
	// A daemon that starts anew knows nothing; the front of the window tells it.
	await desk.endDaemon();
	await lookAgain();
	await desk.endDaemon();
	await desk.restart();
	await desk.load(page);
	await lookAgain();
});

test('a key that is replaced counts at once, and one that is forgotten is gone', async () => {
	const desk = await teamDesk();
	await desk.fresh({ 'nearglot.translate.engine': 'hosted' });
	const { services } = desk;
	const page = await desk.open();
	const title = 'Key of the hosted translator';
	await setKey(page, address, services.translator, false);
	await setKey(page, title, 'first-key', true);
	await translateLine(desk, page);
	assert.equal(services.translations.at(-1)?.['ocp-apim-subscription-key'], 'first-key');
	await changeKey(page, title, 'Replace');
	await typeKey(page, title, 'second-key', true);
	const used = async (key: string | undefined) => {
		await translateLine(desk, page);
		return services.translations.at(-1)?.['ocp-apim-subscription-key'] === key;
	};
	await until('the new key is used', () => used('second-key'));
	await changeKey(page, title, 'Forget');
	await until('the key is forgotten', async () => !(await isSet(page, title)));
	await until(
		'the daemon forgets it',
		async () => !(await namesOf(desk)).includes('translatorKey'),
	);
	await desk.load(page);
	assert.equal(await isSet(page, title), false);
	assert.equal(await isSet(page, address), true);
});

test('the token of the hub goes to the hub, and Escape changes nothing', async () => {
	const desk = await teamDesk();
	await desk.fresh();
	const { hub } = desk.services;
	const page = await desk.open();
	const title = 'Token of the model hub';
	await setKey(page, title, 'hub_token.2', true);
	await changeKey(page, title, 'Replace');
	await page.locator('.quick-input-widget input.input').fill('never sent');
	await page.keyboard.press('Escape');
	const before = hub.requests.length;
	await command(page, 'Nearglot: Download Model');
	const input = page.locator('.quick-input-widget input.input');
	await page.locator('.quick-input-title', { hasText: 'Download a model' }).waitFor();
	await input.fill('type a hub id');
	await row(page, 'Other: type a hub id').click();
	await page.locator('.quick-input-message', { hasText: 'type a hub id' }).waitFor();
	await input.fill('acme/tiny');
	await page.keyboard.press('Enter');
	await until('the hub is asked', () => hub.requests.length > before);
	for (const { authorization } of hub.requests.slice(before)) {
		assert.equal(authorization, 'Bearer hub_token.2');
	}
});
