/** Errors of bundles that are loaded later are known for what they are. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AppError } from '../../server/protocol/errors.ts';
import { asAppError } from '../../server/protocol/index.ts';
import { EmptyCommit } from '../../server/services/speech/realtime/realtimeEvents.ts';

test('an error of another copy of the class is the same error, and no other object is one', async () => {
	// A module with another address is another module, as one in another bundle is.
	const copy = `${new URL('../../server/protocol/errors.ts', import.meta.url).href}?copy`;
	const { AppError: Other } = (await import(copy)) as { AppError: typeof AppError };
	assert.notEqual(Other, AppError);
	const error = new Other('not_found', 'It is not there.');
	assert.ok(error instanceof AppError);
	assert.equal(asAppError(error), error);
	assert.ok(!(new Error('x') instanceof AppError));
	assert.ok(!(error instanceof EmptyCommit));
});
