/** Pictures that documents show are there, light and dark, small, and made by `scripts/screenshots.mjs`. */

import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { test } from 'node:test';
import { documents, readDocument, root } from './blocks.ts';

const folder = 'docs/screenshots';
const files = readdirSync(join(root, folder)).sort();

/** Pictures in a document, as paths from the root. */
const shown = (document: string) =>
	[...readDocument(document).matchAll(/(?:src|srcset)="([^":]+)"|!\[[^\]]*\]\(([^):]+)\)/g)].map(
		([, html, markdown]) =>
			normalize(join(dirname(document), html ?? markdown ?? '')).replaceAll('\\', '/'),
	);

test('every picture that a document shows is there, and every one that is there is shown', () => {
	const all = documents.flatMap((document) => shown(document));
	assert.deepEqual(
		all.filter((path) => !existsSync(join(root, path))),
		[],
	);
	assert.deepEqual(
		files.map((name) => `${folder}/${name}`).filter((path) => !all.includes(path)),
		[],
	);
	assert.ok(shown('README.md').length >= 2);
});

test('each has a light and a dark form, each was made by the script, and none is large', () => {
	const script = readFileSync(join(root, 'scripts/screenshots.mjs'), 'utf8');
	for (const name of files) {
		const [, base = '', dark, end = ''] = /^(.*?)(-dark)?(\.\w+)$/.exec(name) ?? [];
		assert.ok(files.includes(dark === undefined ? `${base}-dark${end}` : `${base}${end}`), name);
		assert.match(script, new RegExp(`\\b${base}\\b`), name);
		assert.ok(statSync(join(root, folder, name)).size < 200_000, name);
	}
});
