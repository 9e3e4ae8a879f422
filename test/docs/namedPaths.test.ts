/** Every file and folder of this project that a document names is there. */

import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));
/** What changed is told in words of its time. */
const documents = globSync(['*.md', '{docs,starter,deploy,bench,test}/**/*.md'], {
	cwd: root,
	// The peers of the bench bring documents of their own.
	exclude: (name) => name.split(/[\\/]/).includes('node_modules'),
}).filter((name) => name !== 'CHANGELOG.md');
/** Folders with files of ours; what is built comes and goes. */
const folders = 'bench|bin|deploy|docs|extension|l10n|media|scripts|server|starter|test|webview';
const ofProject = new RegExp(
	String.raw`^(?:(?:${folders})/[\w./*-]*|[\w./-]+\.(?:[cm]?ts|tsx|mjs|cjs|md))$`,
);

/** Paths in code style, or behind a link, that claim to be of this project. */
function namedPaths(text: string): string[] {
	const found = [...text.matchAll(/`([^`\s]+)`|\]\(([^)\s#]+)[^)]*\)/g)];
	return found.map(([, code, link]) => code ?? link ?? '').filter((path) => ofProject.test(path));
}

/** Whether it is there, seen from the root or from the document; of a pattern, the folder before it. */
function exists(path: string, document: string): boolean {
	const [place = ''] = path.split(/[^/]*\*/);
	return [root, join(root, dirname(document))].some((folder) => existsSync(join(folder, place)));
}

test('paths that are not there are found, examples of other projects are none', () => {
	assert.deepEqual(
		namedPaths(
			'`server/none.ts` and `none.ts` in [a page](docs/none.md#top), not `locales/en.json`, `a/b`, `text/html`.',
		).filter((path) => !exists(path, 'README.md')),
		['server/none.ts', 'none.ts', 'docs/none.md'],
	);
});

test('the documents name only files and folders that are there', () => {
	assert.ok(documents.length > 12);
	const missing = documents.flatMap((name) =>
		namedPaths(readFileSync(join(root, name), 'utf8'))
			.filter((path) => !exists(path, name))
			.map((path) => `${name}: ${path}`),
	);
	assert.deepEqual(missing, []);
});
