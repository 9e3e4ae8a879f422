/** What was seen is known again, and nothing else, as the table grows. */

import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { test } from 'node:test';
import { SeenNumbers } from '../../server/jobs/seenNumbers.ts';

test('each number is new once, whatever places they share, and takes a few bytes', () => {
	const numbers = Array.from({ length: 50_000 }, (_, id) =>
		Number.parseInt(hash('sha1', `request-${id}`, 'hex').slice(0, 13), 16),
	);
	// Those that differ by a power of two have the same place, up to the last of the table.
	const crowded = Array.from({ length: 40 }, (_, id) => id * 2 ** 40 + 1023);
	const seen = new SeenNumbers();
	const before = process.memoryUsage().arrayBuffers;
	for (const round of [true, false])
		for (const number of [0, 2 ** 52 - 1, ...crowded, ...numbers])
			assert.equal(seen.add(number), round, `${number}`);
	assert.equal(seen.size, numbers.length + crowded.length + 2);
	assert.ok(process.memoryUsage().arrayBuffers - before < 4_000_000);
});
