/** What tests of packages and of the desktop editor take from other processes. */

import assert from 'node:assert/strict';
import { realpathSync } from 'node:fs';
import { test } from 'node:test';
import { broughtAlong, executableOf, isOfEditor, outside } from '../support/processFacts.ts';

test('a program is the editor’s, one of its helpers, or Node', () => {
	const windows = 'C:\\vscode\\Code.exe';
	assert.equal(isOfEditor('C:\\VSCODE\\Code.exe', windows), true);
	for (const other of [
		'C:\\Program Files\\nodejs\\node.exe',
		'C:\\vscode2\\Code.exe',
		'C:\\vscode\\node.exe',
	])
		assert.equal(isOfEditor(other, windows), false, other);
	const app = '/Applications/Visual Studio Code.app/Contents';
	const helper = `${app}/Frameworks/Code Helper (Plugin).app/Contents/MacOS/Code Helper (Plugin)`;
	assert.equal(isOfEditor(helper, `${app}/MacOS/Electron`), true);
	assert.equal(isOfEditor('/opt/homebrew/bin/node', `${app}/MacOS/Electron`), false);
	assert.equal(isOfEditor('/t/vscode/code', '/t/vscode/code'), true);
	assert.equal(isOfEditor(executableOf(process.pid), '/t/vscode/code'), false);
	assert.equal(realpathSync(executableOf(process.pid)), realpathSync(process.execPath));
});

test('libraries of the system in place of those of a package are found', () => {
	const libraries = [
		'C:\\Windows\\System32\\KERNEL32.DLL',
		'C:\\Windows\\System32\\MSVCP140.dll',
		'/p/koffi.node',
		'/p/libonnxruntime.so.1',
	];
	assert.deepEqual(broughtAlong(libraries), libraries.slice(1));
	assert.deepEqual(outside(['/p/a.so', '/pq/a.so', '/q/a.so'], '/p'), ['/pq/a.so', '/q/a.so']);
});
