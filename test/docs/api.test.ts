/** The tables of routes in the documents are those that scripts/apiTables.mjs writes, and name every route. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { shownPath } from '../../server/protocol/routes/route.ts';
import { routes } from '../../server/protocol/routes/routes.ts';

const { documents, withTables } = (await import(
	new URL('../../scripts/apiTables.mjs', import.meta.url).href
)) as { readonly documents: readonly string[]; readonly withTables: (text: string) => string };

const read = (name: string) => readFileSync(new URL(`../../docs/${name}`, import.meta.url), 'utf8');

for (const name of documents)
	test(`the tables of docs/${name} are what the routes say`, () => {
		const text = read(name);
		assert.match(text, /<!-- routes: \w+ -->/);
		assert.equal(withTables(text), text, 'run node scripts/apiTables.mjs');
	});

test('docs/api.md names every route', () => {
	const text = read('api.md');
	for (const { section, path } of routes)
		if (section !== undefined) assert.ok(text.includes(shownPath(path)), path);
});
