import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defined } from '../../server/protocol/defined.ts';

test('fields without a value are left out, all others stay in their order', () => {
	const maybe = (value?: number) => value;
	const fields: { b?: number; a: string; z?: number; n: null } = defined({
		b: maybe(),
		a: '',
		z: maybe(0),
		n: null,
	});
	assert.deepEqual(Object.keys(fields), ['a', 'z', 'n']);
	assert.deepEqual({ b: 1, ...fields }, { b: 1, a: '', z: 0, n: null });
	// @ts-expect-error a field that may be missing is not one that is there
	const wrong: { b: number } = defined({ b: maybe() });
	assert.equal('b' in wrong, false);
});
