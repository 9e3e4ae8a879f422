/** What every process of tests imports leaves errors with the tests in which they arise. */

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { temporaryFolder } from '../support/temporaryFolder.ts';

const testProcess = join(import.meta.dirname, '../../scripts/testProcess.mjs');

/** Runs the first of these files as a file of tests. */
function runTests(files: Readonly<Record<string, string>>) {
	const folder = temporaryFolder('testProcess');
	for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
	const [first = ''] = Object.keys(files);
	const { NODE_TEST_CONTEXT: _, ...env } = process.env;
	const options = ['--import', pathToFileURL(testProcess).href, '--test-reporter=tap'];
	return spawnSync(process.execPath, [...options, join(folder, first)], { encoding: 'utf8', env });
}

const outer = `
import { describe, it, suite, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

test('outer', async (t) => {
	await sleep(1);
	await t.test('inner', async () => { await sleep(1); });
	await test('inner without a context', async () => { await sleep(1); });
});
test('rejects: fails', async () => {
	await sleep(1);
	void Promise.reject(new Error('lost'));
	await sleep(20);
});
test('throws in a timer: fails', async () => {
	await sleep(1);
	setTimeout(() => { throw new Error('lost'); }, 1);
	await sleep(50);
});
describe('asynchronous suite', async () => {
	await sleep(1);
	it('in it', () => {});
	describe('in it too', () => {
		it('throws in a microtask: fails', async () => {
			await sleep(1);
			queueMicrotask(() => { throw new Error('lost'); });
			await sleep(20);
		});
	});
});
suite('file', async () => { await import('./file.mjs'); });
test('last', function () { if (this === undefined) throw new Error('no context'); });
`;

const file = `
import { afterEach, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

const waited = await sleep(1, 'waited');
let ended = 0;
afterEach(() => ended++);
test(waited + ', first', async () => { await sleep(1); });
test(waited + ', second', () => { if (ended !== 1) throw new Error('hooks of a file are its own: ' + ended); });
`;

test('errors, nested tests and hooks of files belong to the test or suite that they came from', () => {
	const { stdout, stderr, status } = runTests({ 'outer.mjs': outer, 'file.mjs': file });
	assert.equal(status, 1, stderr);
	const told = [...stdout.matchAll(/^( *)(ok|not ok) \d+ - (.*)$/gm)];
	assert.deepEqual(
		told.map(([, indent = '', result, name]) => `${indent.length / 4} ${result}: ${name}`),
		[
			'1 ok: inner',
			'1 ok: inner without a context',
			'0 ok: outer',
			'0 not ok: rejects: fails',
			'0 not ok: throws in a timer: fails',
			'1 ok: in it',
			'2 not ok: throws in a microtask: fails',
			'1 not ok: in it too',
			'0 not ok: asynchronous suite',
			'1 ok: waited, first',
			'1 ok: waited, second',
			'0 ok: file',
			'0 ok: last',
		],
		stdout,
	);
});

test('promises are not followed: their callbacks would take half of the time of tests', () => {
	const seen = `
import { test } from 'node:test';

test('asks', async () => {
	await undefined;
	const followed = Object.getOwnPropertySymbols(Promise.resolve()).map(String);
	if (followed.length > 0) throw new Error('promises have ' + followed);
});
`;
	const { stdout, status } = runTests({ 'seen.mjs': seen });
	assert.equal(status, 0, stdout);
});
