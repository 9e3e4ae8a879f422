/** What the heads of answers say of who translated. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { modelsHeader } from '../../../server/http/translate/translateReply.ts';

test('the models of all targets are named once each, in order, and there is no header without any', () => {
	assert.deepEqual(
		modelsHeader([{ models: ['en-de:1'] }, { models: ['en-de:1', 'en-fr:1+fr-it:1'] }]),
		{
			'x-nearglot-models': 'en-de:1,en-fr:1+fr-it:1',
		},
	);
	assert.deepEqual(modelsHeader([{ models: [] }]), {});
});
