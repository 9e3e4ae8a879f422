/** Numbers in queries: whoever gives something else is told what they gave. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AppError } from '../../../server/protocol/index.ts';
import { check } from '../../../server/protocol/routes/check.ts';
import type { Route } from '../../../server/protocol/routes/route.ts';
import { routes } from '../../../server/protocol/routes/routes.ts';

/** Sentences about one field of a query with a value, of all routes. */
function refusals(value: string): string[] {
	const said: string[] = [];
	for (const { query } of routes as readonly Route[])
		for (const name of namesIn(query)) {
			try {
				check(query!, { [name]: value });
			} catch (error) {
				assert.ok(error instanceof AppError);
				if (error.param === name) said.push(error.message);
			}
		}
	return said.filter((text) => /must be (?:an integer|a number)/.test(text));
}

function namesIn(query: Route['query']): string[] {
	const shape = (query as unknown as { in?: { shape?: object } } | undefined)?.in?.shape;
	return Object.keys(shape ?? {});
}

test('a number of a query that is none is shown as it was given', () => {
	for (const value of ['abc', '0x50', '1e3', 'NaN', ' ', '12 ']) {
		const said = refusals(value);
		assert.ok(said.length >= 6, `${said.length} numbers`);
		for (const text of said) assert.ok(text.endsWith(`, but it is '${value}'.`), text);
	}
	for (const text of refusals('-7')) assert.ok(text.endsWith(', but it is -7.'), text);
});

test('a number is taken as programs write it, with as many digits as that has', () => {
	const ofNumbers = (value: string) => refusals(value).filter((text) => text.includes('a number'));
	assert.deepEqual(ofNumbers('0.30000000000000004'), []);
	assert.ok(ofNumbers('0.3.0').length > 0);
});
