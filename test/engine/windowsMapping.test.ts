/** Weights that are mapped by Windows' calls, with a double of them. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type WindowsCalls, windowsMapper } from '../../server/engine/runtime/windowsMapping.ts';

/** Counts what is open; `fails` gives 0, or -1 as libuv does for a file that is not open. */
function windows(fails?: 'handleOf' | 'createMapping' | 'viewOf') {
	const open = { mappings: 0, views: 0 };
	const calls: WindowsCalls = {
		handleOf: (file) => (fails === 'handleOf' ? -1n : BigInt(file)),
		createMapping: (file, _security, protection) => {
			assert.deepEqual([file, protection], [7n, 2]);
			if (fails === 'createMapping') return 0n;
			open.mappings++;
			return 70n;
		},
		viewOf: (mapping, access, _high, _low, length) => {
			assert.deepEqual([mapping, access, length], [70n, 4, 1000]);
			if (fails === 'viewOf') return 0n;
			open.views++;
			return 0x7fff_0000n;
		},
		unmapView: (address) => {
			assert.equal(address, 0x7fff_0000n);
			open.views--;
			return 1;
		},
		close: (handle) => {
			assert.equal(handle, 70n, 'the file belongs to who opened it');
			open.mappings--;
			return 1;
		},
	};
	return { map: windowsMapper(calls), open };
}

test('on Windows a file is mapped, and let go when it is unmapped', () => {
	const { map, open } = windows();
	const mapping = map(7, 1000);
	assert.equal(mapping?.address, 0x7fff_0000n);
	assert.deepEqual(open, { mappings: 0, views: 1 });
	mapping.unmap();
	assert.deepEqual(open, { mappings: 0, views: 0 });
});

test('where Windows does not map, nothing stays open', () => {
	for (const fails of ['handleOf', 'createMapping', 'viewOf'] as const) {
		const { map, open } = windows(fails);
		assert.equal(map(7, 1000), undefined, fails);
		assert.deepEqual(open, { mappings: 0, views: 0 }, fails);
	}
});
