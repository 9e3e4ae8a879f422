/** Which work ends with a key. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PersonKey } from '../../../server/services/limits/keyStore.ts';
import { LiveWork } from '../../../server/services/limits/liveWork.ts';

test('another secret of a key ends what was asked with the old one, and no items of batches; a revoked one ends both', () => {
	const entry = { id: 'k', hash: 'old' } as PersonKey;
	let now: PersonKey | undefined = entry;
	let change = () => {};
	const live = new LiveWork({
		holds: ({ hash }) => now?.hash === hash,
		byId: () => now,
		onChange: (listener) => {
			change = listener;
		},
	});
	const shown = live.hold('key:k', entry);
	const item = live.hold('key:k', entry, true);
	now = { ...entry, hash: 'new' };
	change();
	assert.deepEqual([shown.signal.aborted, item.signal.aborted], [true, false]);
	now = undefined;
	change();
	assert.equal(item.signal.reason.code, 'invalid_api_key');
	shown.release();
	item.release();
});
