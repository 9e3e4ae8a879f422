/**
 * After everything that has to do with accounts and keys, no key and no session token is in a file of
 * the editor, of its server or of the browser, nor in an argument or an environment. (This host has no
 * native logger, so that the extension's log is no file; `test/extension/messageTrace.test.ts` reads it.)
 */

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { until } from '../support/until.ts';
import { findSecrets } from './findSecrets.ts';
import { setKey } from './keyBoxes.ts';
import { chooseModel, teamModels } from './signInPages.ts';
import { teamDesk } from './teamDesk.ts';
import { ask, command, editorText, openChat, openFile } from './window.ts';

/** Letters that look different in every encoding. */
const made = (name: string) => `${name}+${Math.random().toString(36).slice(2)}/%?=${Date.now()}`;

test('a secret is found by its value wherever and however it is written', async () => {
	const folder = temporaryFolder('secrets');
	const secret = made('planted');
	const code = Buffer.from(`xy{"key":"${secret}"}`).toString('base64');
	mkdirSync(join(folder, 'deep'));
	const files = {
		plain: `key=${secret}\n`,
		'deep/base64': code,
		base64url: code.replaceAll('+', '-').replaceAll('/', '_'),
		url: `https://a.example/?key=${encodeURIComponent(secret)}`,
		utf16: Buffer.from(secret, 'utf16le'),
		none: 'nothing',
	};
	for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
	const wait = 'setInterval(() => {}, 1000)';
	const told = spawn(process.execPath, ['-e', wait, secret], { stdio: 'ignore' });
	const given = spawn(process.execPath, ['-e', wait], {
		stdio: 'ignore',
		env: { ...process.env, KEY: secret },
	});
	try {
		const found = () => findSecrets([folder], { planted: secret });
		const places = ['plain', 'deep/base64', 'base64url', 'url', 'utf16'].map((name) =>
			join(folder, name),
		);
		places.push(`cmdline of process ${told.pid}`, `environ of process ${given.pid}`);
		await until('both processes', () =>
			places.slice(-2).every((place) => found().some((line) => line.endsWith(place))),
		);
		for (const place of places)
			assert.ok(
				found().some((line) => line.endsWith(place)),
				place,
			);
		assert.ok(!found().some((line) => line.endsWith('none')));
		assert.deepEqual(findSecrets([folder], { other: made('never written') }), []);
	} finally {
		told.kill('SIGKILL');
		given.kill('SIGKILL');
	}
});

test('no key and no session token is in any file, log, argument or environment', async () => {
	const desk = await teamDesk();
	const { team, services } = desk;
	await desk.fresh({ 'nearglot.translate.engine': 'hosted' });
	await team.open({ callbacks: desk.callbacks, tokenLifetime: '00:00:40' });
	const page = await desk.open();
	await openChat(page);
	const secrets: Record<string, string> = {};
	for (const title of [
		'Key of the hosted translator',
		'Client secret of the hosted translator',
		'Token of the model hub',
		'Key of the upstream model server',
	]) {
		const value = made(title.replaceAll(' ', '-'));
		secrets[title] = value;
		await setKey(page, title, value, true);
	}
	await setKey(page, 'Address of the hosted translator', services.translator, false);
	await openFile(page, 'notes.txt', 'could not be opened');
	await page.keyboard.press('Control+Home');
	await page.keyboard.press('Shift+End');
	await command(page, 'Nearglot: Translate Selection');
	await editorText(page).filter({ hasText: 'hosted de' }).waitFor();
	const { 'ocp-apim-subscription-key': shown } = services.translations.at(-1) ?? {};
	assert.equal(shown, secrets['Key of the hosted translator']);
	await page.keyboard.press('Control+Z');
	const asked = services.hub.requests.length;
	await command(page, 'Nearglot: Download Model');
	const input = page.locator('.quick-input-widget input.input');
	await page.locator('.quick-input-title', { hasText: 'Download a model' }).waitFor();
	await input.fill('type a hub id');
	await page.locator('.quick-input-list .monaco-list-row').first().click();
	await page.locator('.quick-input-message', { hasText: 'type a hub id' }).waitFor();
	await input.fill('acme/tiny');
	await page.keyboard.press('Enter');
	await until('the hub is asked', () => services.hub.requests.length > asked);
	await desk.signIn(page, 'dora');
	const frame = await openChat(page);
	await teamModels(frame);
	await chooseModel(page, '· [::1]');
	await ask(frame, 'show disk usage');
	const refreshes = team.count('/.auth/refresh');
	await until('a refresh', () => team.count('/.auth/refresh') > refreshes);
	await ask(frame, 'show the date');
	const tokens = [...team.secrets].filter((secret) => secret.split('.').length === 3);
	assert.ok(tokens.length > 1, 'a token and the one after it');
	for (const [index, token] of tokens.entries()) secrets[`session token ${index}`] = token;
	// Signed in, with all processes running, and after signing out.
	assert.deepEqual(findSecrets(desk.folders, secrets), []);
	const before = team.count('/.auth/logout');
	await command(page, 'Nearglot: Sign Out of Team Server');
	await until('the server was told', () => team.count('/.auth/logout') > before);
	await page.close();
	await desk.endDaemon();
	assert.deepEqual(findSecrets(desk.folders, secrets), []);
});
