/** Names and homes of test files say the truth. */

import assert from 'node:assert/strict';
import { existsSync, globSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
// @ts-expect-error: the scripts are plain JavaScript
import { kindOf, namedKind, reacher } from '../../scripts/testKinds.mjs';

const root = join(import.meta.dirname, '../..');
const reach = reacher(root) as (file: string) => ReadonlyMap<string, unknown>;
const files = globSync('test/**/*.test.ts', { cwd: root })
	.map((file) => file.replaceAll('\\', '/'))
	.filter((file) => !file.startsWith('test/.work/'))
	.sort();

test('a test file is named pure, model or process by what it reaches', () => {
	const kinds = { pure: 0, model: 0, process: 0 };
	for (const file of files) kinds[namedKind(file) as keyof typeof kinds]++;
	assert.ok(kinds.pure > 100 && kinds.model > 20 && kinds.process > 100, JSON.stringify(kinds));
	assert.deepEqual(
		files
			.filter((file) => namedKind(file) !== kindOf(file, reach))
			.map((file) => `${file} is of kind ${kindOf(file, reach)}`),
		[],
	);
});

/** Folders whose tests are about more than one folder of sources. */
const crossing = /^test\/(architecture|conformance|faults|hostile|packages)\//;

test('every other test lies in the folder of the sources that it tests', () => {
	const lost: string[] = [];
	for (const file of files.filter((path) => !crossing.test(path))) {
		const folder = dirname(file).replace(/^test\/?/, '');
		if (folder === '') continue;
		const inServer = existsSync(join(root, 'server', folder));
		if (!inServer && !existsSync(join(root, folder))) lost.push(`${file}: no such folder`);
		// Tests of processes start the program.
		else if (
			inServer &&
			namedKind(file) !== 'process' &&
			![...reach(file).keys()].some((path) => path.startsWith(`server/${folder}/`))
		)
			lost.push(`${file} takes nothing from server/${folder}`);
	}
	assert.deepEqual(lost, []);
	assert.ok(crossing.test('test/hostile/x.test.ts'));
});
