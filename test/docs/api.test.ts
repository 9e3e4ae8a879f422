/** The tables of docs/api.md are those that scripts/apiTables.mjs writes, and name every route. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { shownPath } from '../../server/protocol/routes/route.ts';
import { routes } from '../../server/protocol/routes/routes.ts';

const { withTables } = (await import(
	new URL('../../scripts/apiTables.mjs', import.meta.url).href
)) as { readonly withTables: (text: string) => string };

const text = readFileSync(new URL('../../docs/api.md', import.meta.url), 'utf8');

test('the tables of docs/api.md are what the routes say', () => {
	assert.equal(withTables(text), text, 'run node scripts/apiTables.mjs');
	for (const { section, path } of routes)
		if (section !== undefined) assert.ok(text.includes(shownPath(path)), path);
});
