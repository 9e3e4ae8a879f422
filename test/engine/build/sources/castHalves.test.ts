/** Numbers of 16 bits: every one of them, and any count. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { castHalves } from '../../../../server/engine/build/sources/castHalves.ts';
import { float16ToFloat32 } from '../../../../server/engine/runtime/float16.ts';

const every = Uint16Array.from({ length: 65_536 }, (_, bits) => bits);
const bytes = new Uint8Array(every.buffer);
/** Places of other numbers; what is no number may have other bits. */
const others = (found: Float32Array, expected: ArrayLike<number>): number[] =>
	[...found.keys()].filter((at) => !Object.is(found[at], expected[at]));

test('all 65,536 numbers of half precision', () => {
	assert.deepEqual(others(castHalves('f16', bytes, every.length), float16ToFloat32(every)), []);
});

test('all upper halves of single precision', () => {
	const wide = new Float32Array(Uint32Array.from(every, (bits) => bits << 16).buffer);
	assert.deepEqual(others(castHalves('bf16', bytes, every.length), wide), []);
});

test('any count, at any address', () => {
	for (const count of [0, 1, 15, 16, 17, 32_767, 32_768, 32_769, 60_001]) {
		const moved = new Uint8Array(2 * count + 3);
		moved.set(bytes.subarray(100, 100 + 2 * count), 3);
		const found = castHalves('f16', moved.subarray(3), count);
		assert.equal(found.length, count);
		assert.deepEqual(
			others(found, float16ToFloat32(every.slice(50, 50 + count))),
			[],
			String(count),
		);
	}
});
