/** Giving back in order: what Node 22 has no class for. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Disposals } from '../../server/protocol/disposals.ts';

const noted: string[] = [];
const held = (name: string) => ({
	[Symbol.asyncDispose]: async () => {
		await Promise.resolve();
		noted.push(name);
	},
});

test('all are ended, the last one first, each after the one before', async () => {
	noted.length = 0;
	{
		await using all = new Disposals();
		all.use(held('a'));
		const plain = { [Symbol.dispose]: () => void noted.push('b') };
		assert.equal(all.use(plain), plain);
		all.defer(() => held('c')[Symbol.asyncDispose]());
	}
	assert.deepEqual(noted, ['c', 'b', 'a']);
});

test('what was handed over is ended by who got it, once', async () => {
	noted.length = 0;
	const all = new Disposals();
	all.use(held('a'));
	const moved = all.move();
	await all[Symbol.asyncDispose]();
	assert.deepEqual(noted, []);
	await moved[Symbol.asyncDispose]();
	await moved[Symbol.asyncDispose]();
	assert.deepEqual(noted, ['a']);
});

test('one that fails keeps no other from its end, and is told', async () => {
	noted.length = 0;
	const all = new Disposals();
	const fail = (text: string) => () => Promise.reject(new Error(text));
	all.use(held('a'));
	all.defer(fail('one'));
	await assert.rejects(all[Symbol.asyncDispose](), /^Error: one$/);
	assert.deepEqual(noted, ['a']);
	all.defer(fail('two'));
	all.defer(fail('three'));
	await assert.rejects(all[Symbol.asyncDispose](), ({ errors }: AggregateError) => {
		assert.deepEqual(errors.map(String), ['Error: three', 'Error: two']);
		return true;
	});
});
