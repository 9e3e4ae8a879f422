/** Programs are looked for in PATH, never in the folder that a stranger may have filled. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { leaveOutCurrentFolder } from '../../server/cli/searchPath.ts';

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

test('Windows is told to leave out the current folder, before any command begins', () => {
	const env: NodeJS.ProcessEnv = {};
	leaveOutCurrentFolder(env);
	assert.equal(env['NoDefaultCurrentDirectoryInExePath'], '1');
	const main = read('server/main.ts');
	assert.ok(main.indexOf('leaveOutCurrentFolder(process.env);') < main.indexOf('void runCommand('));
	assert.ok(main.includes('leaveOutCurrentFolder(process.env);'));
});

test('the editor starts its server outside of the opened folder', () => {
	assert.match(read('extension/languageServerProcess.ts'), /fork\(module, [^}]*cwd: homedir\(\)/);
});
