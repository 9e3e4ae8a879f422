/** The page that says which wall stands where names only walls and tests that are there. */

import assert from 'node:assert/strict';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));
const read = (name: string) => readFileSync(join(root, name), 'utf8');

/** Paths of this project that a text names in code style. */
function named(text: string): string[] {
	return [
		...text.matchAll(/`((?:server|test|extension|deploy|docs|webview|scripts)\/[^`\s]*)`/g),
	].map(([, path = '']) => path);
}

/** What is wrong with a page, as sentences. */
function faults(page: string): string[] {
	const rows = page
		.split('\n')
		.filter((line) => line.startsWith('| ') && !line.startsWith('| Who'))
		.map((line) => line.split('|').slice(1, -1));
	return [
		...named(page)
			.filter((path) => !existsSync(join(root, path)))
			.map((path) => `${path} is not there`),
		...rows.flatMap((cells) => {
			const [who = '', , , tests = ''] = cells;
			const names = named(tests);
			if (cells.length !== 4) return [`${who} has ${cells.length} cells`];
			if (names.length === 0) return [`${who} has no test`];
			return names
				.filter((path) => !/^test\/.*\.(test|e2e)\.ts$/.test(path))
				.map((path) => `${path} is no test`);
		}),
	];
}

test('the threat model names walls and tests that exist, and every row has a test', () => {
	const page = read('docs/threat-model.md');
	assert.deepEqual(faults(page), []);
	assert.ok(named(page).length > 40);
	for (const path of named(page).filter((name) => name.endsWith('.test.ts')))
		assert.ok(/\b(test|it)\(/.test(read(path)), `${path} tests nothing`);
});

test('a page that names what is not there, or has a row without a test, is found', () => {
	assert.deepEqual(
		faults('| a | b | `server/none.ts` | `test/none.test.ts` |\n| c | d | e | f |'),
		['server/none.ts is not there', 'test/none.test.ts is not there', ' c  has no test'],
	);
	assert.deepEqual(faults('| a | b | c | `test/support/home.ts` |'), [
		'test/support/home.ts is no test',
	]);
});

test('what SECURITY.md promises leads to the pages that prove it, and both are linked and packed', () => {
	const security = read('SECURITY.md');
	for (const path of named(security)) assert.ok(existsSync(join(root, path)), path);
	assert.ok(named(security).includes('docs/threat-model.md'));
	for (const name of ['SECURITY.md', 'docs/threat-model.md']) {
		assert.ok(read('README.md').includes(name), `README.md does not name ${name}`);
		assert.ok(read('.vscodeignore').includes(`!${name}`), `the extension leaves ${name} out`);
		assert.ok(
			read('scripts/package.mjs').includes(`'${name}'`),
			`the extension leaves ${name} out`,
		);
		assert.ok(read('scripts/packageNpm.mjs').includes(`'${name}'`), `npm leaves ${name} out`);
		assert.ok(statSync(join(root, name)).size > 1000);
	}
});
