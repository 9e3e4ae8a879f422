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

test('each has a light and a dark form, each was made by the script, none is large, and only the tour moves', () => {
	const script = readFileSync(join(root, 'scripts/screenshots.mjs'), 'utf8');
	for (const name of files) {
		// What moves has a still for whoever wants no motion, which the site shows in its place.
		assert.equal(/\.(?:webp|gif)$/.test(name), /^tour/.test(name), name);
		const [, base = '', dark, end = ''] = /^(.*?)(-dark)?(\.\w+)$/.exec(name) ?? [];
		assert.ok(files.includes(dark === undefined ? `${base}-dark${end}` : `${base}${end}`), name);
		assert.match(script, new RegExp(`\\b${base}\\b`), name);
		assert.ok(
			statSync(join(root, folder, name)).size < (name.startsWith('tour') ? 400_000 : 200_000),
			name,
		);
	}
});

test('where a document shows the tour, less motion shows a still', () => {
	for (const document of documents) {
		for (const [picture] of readDocument(document).matchAll(/<picture>.*?<\/picture>/gs)) {
			if (!picture.includes('/tour.webp')) continue;
			for (const wanted of [
				/media="\(prefers-reduced-motion: reduce\) and \(prefers-color-scheme: dark\)" srcset="\S+-dark\.png"/,
				/media="\(prefers-reduced-motion: reduce\)" srcset="\S+\.png"/,
			])
				assert.match(picture, wanted, document);
		}
	}
});
