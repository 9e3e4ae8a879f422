/** Secrets of several owners in one daemon. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Secrets } from '../../server/daemon/secrets.ts';

test('the value that was changed last counts, and handing one over again is no change', () => {
	const secrets = new Secrets();
	secrets.set('translatorKey', 'of the editor', 'editor:a');
	assert.equal(secrets.get('translatorKey'), 'of the editor');
	secrets.set('translatorKey', 'typed');
	assert.equal(secrets.get('translatorKey'), 'typed');
	// Every window that opens does so.
	secrets.set('translatorKey', 'of the editor', 'editor:a');
	assert.equal(secrets.get('translatorKey'), 'typed');
	secrets.set('translatorKey', 'replaced', 'editor:a');
	assert.equal(secrets.get('translatorKey'), 'replaced');
	secrets.set('translatorKey', 'typed again');
	assert.equal(secrets.get('translatorKey'), 'typed again');
	assert.deepEqual(secrets.names(), ['translatorKey']);
});

test('whoever forgets a value forgets its own', () => {
	const secrets = new Secrets();
	secrets.set('hubToken', 'typed');
	for (const none of [undefined, '']) secrets.set('hubToken', none, 'editor:without');
	assert.equal(secrets.get('hubToken'), 'typed');
	secrets.set('hubToken', 'of the editor', 'editor:a');
	secrets.set('hubToken', undefined, 'editor:b');
	assert.equal(secrets.get('hubToken'), 'of the editor');
	secrets.set('hubToken', undefined, 'editor:a');
	assert.equal(secrets.get('hubToken'), 'typed');
	secrets.set('hubToken', undefined);
	assert.equal(secrets.get('hubToken'), undefined);
	assert.deepEqual(secrets.names(), []);
});
