/** What becomes of a program's files while it runs, on a disk of the test's own. */

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { type ProgramDisk, watchProgram } from '../../server/daemon/ownProgram.ts';

const extensions = join('/home', 'ann', '.vscode', 'extensions');
const folder = 'nearglot.nearglot-0.2.0-win32-x64';
const entry = join(extensions, folder, 'dist', 'server.cjs');
const runner = join(extensions, folder, 'dist', 'runner.cjs');
const executable = join('/opt', 'code');

function program(others: readonly (readonly [string, string])[] = []) {
	const files = new Map([...others, [entry, 'first'], [runner, 'first'], [executable, 'node']]);
	const disk: ProgramDisk = {
		stamp: (path) => files.get(path),
		read: (path) => {
			const text = files.get(path);
			if (text === undefined) throw new Error('ENOENT');
			return text;
		},
	};
	return { files, state: watchProgram(entry, executable, [runner], disk) };
}

test('a program that is replaced, removed, or loses what runs it is noticed', () => {
	const { files, state } = program();
	assert.equal(state(), 'there');
	files.set(entry, 'second');
	assert.equal(state(), 'replaced');
	files.delete(entry);
	assert.equal(state(), 'gone');
	files.set(entry, 'first');
	assert.equal(state(), 'there');
	files.set(runner, 'second');
	assert.equal(state(), 'replaced', 'the process of a model would be of another version');
	files.delete(runner);
	assert.equal(state(), 'gone');
	files.set(runner, 'first');
	assert.equal(state(), 'there');
	files.delete(executable);
	assert.equal(state(), 'gone');
});

test('a folder that the editor will remove is obsolete, whatever the case of its name', () => {
	const { files, state } = program();
	const list = (value: unknown) =>
		files.set(
			join(extensions, '.obsolete'),
			typeof value === 'string' ? value : JSON.stringify(value),
		);
	list({ [folder.toUpperCase()]: true });
	assert.equal(state(), 'obsolete');
	const later = program([[join(extensions, '.obsolete'), JSON.stringify({ [folder]: true })]]);
	assert.equal(later.state(), 'there', 'a window of the old version has started it meanwhile');
	for (const other of [
		{ [folder]: false },
		{ 'nearglot.nearglot-0.1.0-win32-x64': true },
		null,
		[],
		'{',
		'',
	]) {
		list(other);
		assert.equal(state(), 'there', JSON.stringify(other));
	}
});
