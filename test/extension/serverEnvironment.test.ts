/** Settings that the server is started with reach it as variables. */

import assert from 'node:assert/strict';
import { delimiter } from 'node:path';
import { beforeEach, test } from 'node:test';
import { desk, resetDesk } from './vscodeDouble.ts';

const { serverEnvironment } = await import('../../extension/serverEnvironment.ts');

beforeEach(resetDesk);

test('folders for downloads and the rule for absent providers become variables', () => {
	Object.assign(desk.settings, { 'models.roots': [], 'models.refuseProvider': 'named' });
	assert.deepEqual(serverEnvironment(), {});
	Object.assign(desk.settings, {
		'models.roots': ['/data/models', '', '/mnt/more'],
		'models.refuseProvider': 'never',
	});
	assert.deepEqual(serverEnvironment(), {
		NEARGLOT_MODEL_ROOTS: ['/data/models', '/mnt/more'].join(delimiter),
		NEARGLOT_REFUSE_EP: 'never',
	});
});
