/** Paths for libraries and programs of a Windows that stops at 260 characters. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { canStartIn, nativePath, startFolder } from '../../server/store/nativePath.ts';

const deep = (start: string, length: number): string =>
	`${start + 'folder\\'.repeat(60).slice(0, length - start.length - 1)}x`;

test('a long path gets the form that Windows takes at any length, a short one stays as it is', () => {
	const long = deep('C:\\Users\\Jörg M\\', 300);
	assert.equal(nativePath(long, 'win32'), `\\\\?\\${long}`);
	// Windows itself changes nothing behind those four signs, so that has to be done before.
	const crooked = long
		.replace('Jörg M\\', 'Jörg M/./models/..\\')
		.replaceAll('folder\\f', 'folder/f');
	assert.equal(nativePath(crooked, 'win32'), `\\\\?\\${long}`);
	const share = deep('\\\\server\\share\\', 300);
	assert.equal(nativePath(share, 'win32'), `\\\\?\\UNC\\${share.slice(2)}`);
	assert.equal(nativePath(`\\\\?\\${long}`, 'win32'), `\\\\?\\${long}`);
	for (const short of [
		':memory:',
		'C:\\Nearglot\\keys.db',
		'\\\\server\\share\\a',
		'models\\x.onnx',
	])
		assert.equal(nativePath(short, 'win32'), short);
	// Behind the longest that stays there is room for the name of a file of weights.
	const kept = Array.from({ length: 400 }, (_, length) => deep('C:\\', Math.max(8, length))).filter(
		(path) => nativePath(path, 'win32') === path,
	);
	const longest = Math.max(...kept.map(({ length }) => length));
	assert.ok(longest > 100 && longest + 60 < 248, String(longest));
});

test('elsewhere a path is what it was', () => {
	const long = `/home/ann/${'folder/'.repeat(60)}x`;
	for (const platform of ['linux', 'darwin'] as const) {
		assert.equal(nativePath(long, platform), long);
		assert.equal(startFolder(long, platform), long);
	}
});

test('a program is started in the root of the drive where Windows cannot start it in a folder of so long a path', () => {
	const long = deep('D:\\Nearglot\\', 260);
	assert.equal(canStartIn(long, 'win32'), false);
	assert.equal(startFolder(long, 'win32'), 'D:\\');
	assert.equal(startFolder('D:\\Nearglot', 'win32'), 'D:\\Nearglot');
	assert.equal(startFolder(deep('\\\\server\\share\\', 260), 'win32'), '\\\\server\\share\\');
});
