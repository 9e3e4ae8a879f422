/** Paths and edits that a model asks for. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { editOf, numberedLines } from '../../../../extension/chat/agent/textEdit.ts';
import {
	hasPowers,
	mayHoldSecrets,
	placeInFolder,
} from '../../../../extension/chat/agent/workspacePath.ts';

const one = [{ name: 'app' }];
const two = [{ name: 'app' }, { name: 'lib' }];
const parts = (path: string, folders = one) => placeInFolder(path, folders)?.parts.join('/');

test('a path leads below a folder of the window, or nowhere', () => {
	assert.equal(parts('src/a.ts'), 'src/a.ts');
	assert.equal(parts('./src//a.ts'), 'src/a.ts');
	assert.equal(parts('src\\a.ts'), 'src/a.ts');
	assert.equal(placeInFolder('lib/a.ts', two)?.folder.name, 'lib');
	assert.equal(parts('lib/a.ts', two), 'a.ts');
	assert.equal(parts('src/a.ts', two), 'src/a.ts');
	assert.equal(parts('app/a.ts'), 'app/a.ts');
	for (const path of [
		...['/a/b', '../a', 'src/../../a', 'C:\\a', 'c:/a', '~/a', '\\\\host\\share', 'a\0b'],
		...['.git/config', 'sub/.GIT/hooks/pre-commit', 'a/..'],
	])
		assert.equal(parts(path), undefined, path);
	assert.equal(placeInFolder('a', []), undefined);
});

test('files with secrets and files that make programs run are known', () => {
	const secret = (path: string) => mayHoldSecrets(path.split('/'));
	for (const path of ['.env', 'app/.env.local', 'id_rsa', 'certs/server.pem', '.npmrc', 'A.KEY'])
		assert.ok(secret(path), path);
	for (const path of ['env.ts', 'src/keys.ts', 'README.md', 'identity.ts'])
		assert.ok(!secret(path), path);
	const powers = (path: string) => hasPowers(path.split('/'));
	for (const path of [
		...[
			'.vscode/settings.json',
			'a/.vscode/tasks.json',
			'.github/workflows/ci.yml',
			'.husky/pre-commit',
		],
		...['x.code-workspace', '.envrc', '.devcontainer/devcontainer.json', '.gitlab-ci.yml'],
	])
		assert.ok(powers(path), path);
	for (const path of ['src/vscode/a.ts', 'docs/github.md', 'src/profile.ts'])
		assert.ok(!powers(path), path);
});

test('an edit has one place, and keeps the line ends of the file', () => {
	const text = 'a\r\nb\r\nc\r\n';
	const applied = (old: string, fresh: string) => {
		const { start, end, text: made } = editOf(text, old, fresh);
		return text.slice(0, start) + made + text.slice(end);
	};
	assert.equal(applied('b\nc', 'x\ny\nz'), 'a\r\nx\r\ny\r\nz\r\n');
	assert.throws(() => editOf(text, 'd', 'x'), { code: 'not_found' });
	assert.throws(() => editOf(text, '', 'x'), { code: 'not_found' });
	assert.throws(() => editOf('aa', 'a', 'x'), { code: 'conflict' });
	assert.throws(() => editOf('aaa', 'aa', 'x'), { code: 'conflict' });
});

test('lines are read with their numbers, and not too many at once', () => {
	const text = Array.from({ length: 1000 }, (_, at) => `line ${at + 1}`).join('\n');
	assert.match(numberedLines(text), /^1\tline 1\n[\s\S]*\n400\tline 400\n\[600 more lines\]$/);
	assert.equal(numberedLines(text, 999, 5000), '999\tline 999\n1000\tline 1000');
	assert.equal(numberedLines(text, 3, 4).split('\n').length, 3);
	assert.equal(numberedLines('a', -5, 1), '1\ta');
	assert.equal(numberedLines('a', 50), '[0 more lines]'.slice(0, 0));
});
