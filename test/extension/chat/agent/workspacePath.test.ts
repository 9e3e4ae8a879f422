/** Paths and edits that a model asks for. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { editOf, numberedLines } from '../../../../extension/chat/agent/textEdit.ts';
import {
	commandFault,
	hasPowers,
	mayFetch,
	placeInFolder,
} from '../../../../extension/chat/agent/workspacePath.ts';
import { mayHoldSecrets } from '../../../../extension/secretFiles.ts';

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
		...[
			'.git/config',
			'sub/.GIT/hooks/pre-commit',
			'a/..',
			'GIT~1/config',
			'.git::$INDEX_ALLOCATION/x',
		],
		...['.env::$DATA', 'VSCODE~1/tasks.json', 'a./b', 'a /b', 'con', 'NUL.txt', 'a\u202eb', 'a\nb'],
		...['.ｇit/config', 'x'.repeat(1001)],
	])
		assert.equal(parts(path), undefined, path);
	assert.equal(placeInFolder('a', []), undefined);
	assert.equal(placeInFolder('src/a.ts', two)?.shown, 'app/src/a.ts');
	assert.equal(placeInFolder('src/a.ts', one)?.shown, 'src/a.ts');
});

test('files with secrets and files that make programs run are known', () => {
	const secret = (path: string) => mayHoldSecrets(path.split('/'));
	for (const path of [
		...['.env', 'app/.env.local', '.env~', '.env-old', 'prod.env', '.envrc', '.npmrc', 'A.KEY'],
		...[
			'id_rsa',
			'id_ed25519_work',
			'certs/server.pem',
			'.aws/config',
			'.ssh/known_hosts',
			'x.tfvars',
		],
		...['config/credentials', 'secrets.json', '.kube/config', '.docker/config.json', '.pgpass'],
	])
		assert.ok(secret(path), path);
	for (const path of [
		'env.ts',
		'src/keys.ts',
		'README.md',
		'identity.ts',
		'src/secrets.ts',
		'docker/a',
	])
		assert.ok(!secret(path), path);
	const powers = (path: string) => hasPowers(path.split('/'));
	for (const path of [
		...[
			'.vscode/settings.json',
			'a/.vscode/tasks.json',
			'.vſcode/tasks.json',
			'.github/workflows/ci.yml',
		],
		...['x.code-workspace', '.envrc', '.devcontainer.json', '.gitlab-ci.yml', '.husky/pre-commit'],
		...[
			'eslint.config.js',
			'vitest.config.mts',
			'.eslintrc.cjs',
			'package.json',
			'Makefile',
			'build.rs',
		],
		...[
			'AGENTS.md',
			'sub/CLAUDE.md',
			'.mcp.json',
			'node_modules/eslint/lib/api.js',
			'tests/conftest.py',
		],
	])
		assert.ok(powers(path), path);
	for (const path of [
		'src/vscode/a.ts',
		'docs/github.md',
		'src/profile.ts',
		'src/config.ts',
		'a/main.rs',
	])
		assert.ok(!powers(path), path);
});

test('a command is one line of which a person sees everything', () => {
	assert.equal(commandFault('npm test -- "größe ✓"'), undefined);
	for (const line of [
		'a\nb',
		'a\u0015rm -rf x',
		'a\tb',
		'\u001b[2K',
		'a\u202eb',
		'a\u200bb',
		'a\u2028b',
	])
		assert.match(commandFault(line) ?? '', /control characters/, JSON.stringify(line));
	assert.match(commandFault('x'.repeat(1001)) ?? '', /longer/);
});

test('texts that make an editor fetch an address are known', () => {
	assert.ok(mayFetch('{"$schema": "https://example.org/x?k=secret"}'));
	assert.ok(mayFetch('# yaml-language-server: $schema=http://example.org'));
	assert.ok(!mayFetch('See https://example.org'));
	assert.ok(!mayFetch('{"$schema": "./schema.json"}'));
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
