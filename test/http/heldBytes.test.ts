/** What all bodies that arrive at once may hold. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HeldBytes } from '../../server/http/heldBytes.ts';
import { AppError } from '../../server/protocol/index.ts';

const mib = 1024 * 1024;

test('large bodies at once are refused beyond a bound, and taken again when others are done', () => {
	const each = Array.from({ length: 4 }, () => new HeldBytes());
	for (const held of each) held.add(24 * mib);
	const another = new HeldBytes();
	assert.throws(
		() => another.add(1),
		(error) => error instanceof AppError && error.code === 'overloaded' && error.retryAfterS === 5,
	);
	each[0]?.[Symbol.dispose]();
	each[0]?.[Symbol.dispose]();
	another.add(24 * mib);
	assert.throws(() => another.add(1), { code: 'overloaded' });
	for (const held of [...each, another]) held[Symbol.dispose]();
	using whole = new HeldBytes();
	whole.add(96 * mib);
});
