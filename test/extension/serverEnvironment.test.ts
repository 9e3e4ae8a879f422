/** Settings that the server is started with reach it as variables. */

import assert from 'node:assert/strict';
import { delimiter } from 'node:path';
import { beforeEach, test } from 'node:test';
import { desk, resetDesk } from './vscodeDouble.ts';

const { proxyEnvironment, serverEnvironment } = await import(
	'../../extension/serverEnvironment.ts'
);

beforeEach(resetDesk);

test('folders for downloads, the rule for absent providers and the device become variables', () => {
	Object.assign(desk.settings, {
		'models.roots': [],
		'models.refuseProvider': 'named',
		'models.device': 'cpu',
	});
	assert.deepEqual(serverEnvironment(), {});
	Object.assign(desk.settings, {
		'models.roots': ['/data/models', '', '/mnt/more'],
		'models.refuseProvider': 'never',
		'models.device': 'auto',
	});
	assert.deepEqual(serverEnvironment(), {
		NEARGLOT_MODEL_ROOTS: ['/data/models', '/mnt/more'].join(delimiter),
		NEARGLOT_REFUSE_EP: 'never',
		NEARGLOT_DEVICE: 'auto',
	});
});

test('the proxy of the editor counts where the environment names none', () => {
	const proxy = 'http://proxy.example:3128';
	Object.assign(desk.settings, { proxy, noProxy: ['*.corp.example'] });
	assert.deepEqual(proxyEnvironment({ NO_PROXY: 'lab' }), {
		...{ HTTP_PROXY: proxy, HTTPS_PROXY: proxy },
		NO_PROXY: 'lab,*.corp.example,localhost,127.0.0.1,[::1]',
	});
	for (const name of ['NEARGLOT_PROXY', 'https_proxy', 'HTTP_PROXY', 'ALL_PROXY'])
		assert.deepEqual(proxyEnvironment({ [name]: 'http://own.example' }), {}, name);
	Object.assign(desk.settings, { proxySupport: 'off' });
	assert.deepEqual(proxyEnvironment({}), {});
});
