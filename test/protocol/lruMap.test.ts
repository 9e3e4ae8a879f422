import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LruMap } from '../../server/protocol/lruMap.ts';

test('what was used longest ago makes room', () => {
	const map = new LruMap<string, number>(2);
	map.set('a', 1);
	map.set('b', 2);
	assert.equal(map.get('a'), 1);
	map.set('c', 3);
	assert.deepEqual([map.peek('a'), map.peek('b'), map.peek('c')], [1, undefined, 3]);
	// Looking is no use.
	map.peek('a');
	map.set('d', 4);
	assert.deepEqual([map.peek('a'), map.peek('c'), map.peek('d'), map.size], [undefined, 3, 4, 2]);
});

test('sizes are added up whatever is replaced, removed or too large', () => {
	const map = new LruMap<string, string>(10, (_key, value) => value.length);
	map.set('a', '1234');
	map.set('a', '123456');
	assert.deepEqual([map.size, map.total], [1, 6]);
	map.set('b', '1234');
	assert.deepEqual([map.size, map.total], [2, 10]);
	map.set('c', '123');
	assert.deepEqual([map.size, map.total, map.peek('a')], [2, 7, undefined]);
	// An entry that never fits throws nothing else out, and what stood in its place has gone.
	map.set('b', '12345678901');
	assert.deepEqual([map.size, map.total, map.peek('b')], [1, 3, undefined]);
	map.delete('c');
	map.delete('c');
	assert.equal(map.total, 0);
	map.set('d', '1');
	map.clear();
	assert.deepEqual([map.size, map.total, map.get('d')], [0, 0, undefined]);
	const off = new LruMap<string, number>(0);
	off.set('a', 1);
	assert.equal(off.size, 0);
});
