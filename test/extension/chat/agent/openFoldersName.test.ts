/** The name of what is open, by which what an agent was allowed is found again. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openFoldersName } from '../../../../extension/chat/agent/openFoldersName.ts';

const nameOf = (file: string | undefined, ...folders: string[]) =>
	openFoldersName({ workspaceFile: file, workspaceFolders: folders.map((uri) => ({ uri })) });

test('the same folders have one name, others have another, also of one workspace file', () => {
	const name = nameOf(undefined, 'file:///a', 'file:///b', 'file:///c');
	assert.match(name, /^[\da-f]{32}$/);
	assert.equal(nameOf(undefined, 'file:///a', 'file:///c', 'file:///b'), name);
	const others = [
		nameOf(undefined, 'file:///b', 'file:///a', 'file:///c'),
		nameOf(undefined, 'file:///a'),
		nameOf('file:///x.code-workspace', 'file:///a'),
		nameOf('file:///x.code-workspace', 'file:///a', 'file:///b'),
		nameOf('file:///x.code-workspace', 'file:///b', 'file:///a'),
		openFoldersName({}),
	];
	assert.equal(new Set([name, ...others]).size, 7);
});
