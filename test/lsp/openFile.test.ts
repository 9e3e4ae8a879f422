/** Files that an editor has open, however it writes their addresses. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openFile } from '../../server/lsp/openFile.ts';

const open = (...uris: string[]) => ({
	get: (uri: string) => uris.map((each) => ({ uri: each })).find((each) => each.uri === uri),
	all: () => uris.map((uri) => ({ uri })),
});

test('an open file is found on Windows in every spelling of its address', () => {
	for (const uri of [
		'file:///c:/team/en.json',
		'file:///c%3A/team/en.json',
		'file:///C:/Team/en.json',
	])
		for (const path of ['c:\\team\\en.json', 'C:/team/en.json'])
			assert.equal(openFile(open('untitled:1', uri), path, 'win32')?.uri, uri, `${uri} ${path}`);
	assert.equal(openFile(open('file:///c:/team/de.json'), 'c:\\team\\en.json', 'win32'), undefined);
	// Others that are open are no hindrance, whatever they are.
	const odd = open('file:///no-drive/a.md', 'file:///c:/a%2Fb.md', 'file://nas/team/en.json');
	assert.equal(openFile(odd, '\\\\NAS\\Team\\en.json', 'win32')?.uri, 'file://nas/team/en.json');
});

test('elsewhere letters of two sizes are two files', () => {
	const documents = open('file:///team/En.json', 'file:///team/%C3%BC.json');
	assert.equal(openFile(documents, '/team/en.json', 'linux'), undefined);
	assert.equal(openFile(documents, '/team/ü.json', 'linux')?.uri, 'file:///team/%C3%BC.json');
});
