/** Ctrl+C, Ctrl+Break and a closed console, on systems that are not here. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { endSignals, rereadsOnHangup } from '../../server/cli/endSignals.ts';

test('a closed console ends a server on Windows, where elsewhere it asks a gateway to read its keys again', () => {
	assert.ok(
		['SIGINT', 'SIGBREAK', 'SIGHUP'].every((name) =>
			endSignals('win32').includes(name as 'SIGINT'),
		),
	);
	assert.equal(rereadsOnHangup('win32'), false);
	for (const platform of ['linux', 'darwin'] as const) {
		assert.deepEqual(endSignals(platform), ['SIGINT', 'SIGTERM', 'SIGHUP']);
		assert.equal(rereadsOnHangup(platform), true);
	}
});
