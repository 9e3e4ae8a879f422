/** Commands that run at once and change the same file: whatever one of them said, is so. */

import assert from 'node:assert/strict';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { forwardClock } from '../../server/services/limits/forwardClock.ts';
import { KeyStore } from '../../server/services/limits/keyStore.ts';
import { thisProcess } from '../../server/store/processIdentity.ts';
import { type Home, newHome } from '../support/home.ts';

let home: Home;
before(async () => {
	home = await newHome();
});
after(() => home.close());

const numbers = (length: number) => Array.from({ length }, (_, index) => index);
const storedKeys = () =>
	new KeyStore(
		join(home.folder, 'keys.db'),
		forwardClock(() => Date.now()),
	);

test('of 24 keys made at once every one that was shown works', async () => {
	const runs = await Promise.all(numbers(24).map((n) => home.run(['keys', 'create', `key-${n}`])));
	for (const { code, stderr } of runs) assert.equal(code, 0, stderr);
	const kept = storedKeys();
	assert.equal(kept.list().length, 24);
	for (const { stdout } of runs) assert.ok(kept.find(stdout.trim()), 'a key that was shown');
	assert.equal(new Set(kept.list().map(({ hash }) => hash)).size, 24);
	kept.close();
});

test('keys revoked, made and access changed at once, beside a lock of a dead process', async () => {
	await writeFile(
		join(home.folder, 'translator-keys.json.lock'),
		JSON.stringify({ ...thisProcess(), pid: 999_999_999, token: 'old' }),
	);
	const made = home.run(['keys', 'create', 'late']);
	const runs = await Promise.all([
		...numbers(6).map((n) => home.run(['keys', 'revoke', `key-${n}`])),
		home.run(['keys', 'access', '--virtual-network', 'on']),
		made,
	]);
	for (const { code, stderr } of runs) assert.equal(code, 0, stderr);
	const kept = storedKeys();
	assert.equal(kept.list().length, 19);
	assert.ok(kept.find(runs.at(-1)?.stdout.trim() ?? ''));
	kept.close();
	assert.match((await home.run(['keys', 'access'])).stdout, /Virtual network: on/);
	const files = (await readdir(home.folder)).filter((name) => name.startsWith('translator-keys'));
	assert.deepEqual(files, ['translator-keys.json', 'translator-keys.json.made']);
});

test('pairs of a system added at once are all there', async () => {
	const glossary = join(home.folder, 'terms.tsv');
	await writeFile(glossary, 'dog\tHund\n');
	const empty = join(home.folder, 'prose.tsv');
	await writeFile(empty, 'There are no columns here.\n');
	for (const [option, value, says] of [
		['--glossary', empty, /prose\.tsv holds no terms from en to de\./],
		['--memory', join(home.folder, 'none.tmx'), /none\.tmx/],
		['--model', 'nobody', /'nobody' is neither a translation model nor a chat model/],
	] as const) {
		const run = await home.run([
			...'systems add office --from en --to de'.split(' '),
			option,
			value,
		]);
		assert.notEqual(run.code, 0);
		assert.match(run.stderr, says);
	}
	const languages = ['de', 'fr', 'es', 'it', 'nl', 'pl', 'cs', 'da'];
	const runs = await Promise.all(
		languages.map((to) =>
			home.run(['systems', 'add', 'office', '--from', 'en', '--to', to, '--glossary', glossary]),
		),
	);
	for (const { code, stderr } of runs) assert.equal(code, 0, stderr);
	const listed = await home.run(['systems', 'list']);
	for (const to of languages) assert.match(listed.stdout, new RegExp(`en → ${to} `));
	const removed = await home.run(['systems', 'remove', 'office', '--from', 'en', '--to', 'de']);
	assert.equal(removed.code, 0, removed.stderr);
	assert.doesNotMatch((await home.run(['systems', 'list'])).stdout, /en → de /);
	assert.equal((await home.run(['systems', 'remove', 'office'])).code, 0);
	assert.match((await home.run(['systems', 'list'])).stdout, /No custom systems/);
});
