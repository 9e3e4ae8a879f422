/** The extension's side of its server, with a client that is no process. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import sinon from 'sinon';
import type { ClientOptions, RunningClient } from '../../extension/languageClient.ts';
import {
	LanguageServerClient,
	type LanguageServerDeps,
	readError,
} from '../../extension/languageServerClient.ts';
import type { AppError } from '../../server/protocol/index.ts';

function setUp() {
	const request = sinon.stub<Parameters<RunningClient['request']>, Promise<unknown>>();
	const stop = sinon.stub().resolves();
	let options: ClientOptions | undefined;
	const startClient = sinon.spy(async (given: ClientOptions): Promise<RunningClient> => {
		options = given;
		given.onState('starting');
		given.onState('running');
		return { request, stop, notify: async () => {} };
	});
	const front = new LanguageServerClient({
		startClient,
		options: {} as LanguageServerDeps['options'],
		now: () => 0,
	});
	return { front, request, stop, startClient, options: () => options as ClientOptions };
}

test('requests that come together start one server', async () => {
	const { front, request, startClient } = setUp();
	request.resolves({ models: [] });
	assert.equal(front.health.server, 'idle');
	await Promise.all([front.request('nearglot/models', {}), front.request('nearglot/models', {})]);
	assert.equal(startClient.callCount, 1);
	assert.equal(front.health.server, 'running');
});

test('an error of the contract keeps its code; others become one sentence', async () => {
	const { front, request } = setUp();
	request.rejects(
		Object.assign(new Error('no'), { data: { code: 'model_not_found', message: 'no' } }),
	);
	await assert.rejects(front.request('nearglot/models', {}), (error: AppError) => {
		assert.equal(error.code, 'model_not_found');
		return true;
	});
	assert.equal(readError(new Error('Connection got disposed.')).code, 'daemon_unavailable');
	assert.equal(readError({ data: { code: 'made-up' }, message: 'x' }).code, 'internal');
	assert.equal(readError('text').message, 'text');
});

test('a cancelled request is told apart from a failed one', async () => {
	const { front, request } = setUp();
	request.rejects(new Error('whatever'));
	const token = {
		isCancellationRequested: true,
		onCancellationRequested: () => ({ dispose() {} }),
	};
	await assert.rejects(front.request('nearglot/models', {}, token), { code: 'cancelled' });
});

test('after too many ends the health is failed and the next request starts anew', async () => {
	const { front, request, startClient, options } = setUp();
	request.resolves({ models: [] });
	await front.start();
	const seen: string[] = [];
	front.onHealth(({ server }) => seen.push(server));
	for (let count = 0; count < 5; count++) options().onEnded();
	assert.deepEqual(seen, ['restarting', 'restarting', 'restarting', 'restarting', 'failed']);
	await front.request('nearglot/models', {});
	assert.equal(startClient.callCount, 2);
});

test('a server that cannot start says why', async () => {
	const front = new LanguageServerClient({
		startClient: async () => {
			throw new Error('spawn failed');
		},
		options: {} as LanguageServerDeps['options'],
	});
	await assert.rejects(front.start(), /spawn failed/);
	assert.deepEqual(front.health, { server: 'failed', status: undefined, message: 'spawn failed' });
});

test('a server that ends again and again before its first answer ends the waiting', async () => {
	const front = new LanguageServerClient({
		startClient: (given) => {
			for (let count = 0; count < 5; count++) given.onEnded();
			return new Promise(() => {});
		},
		options: {} as LanguageServerDeps['options'],
		now: () => 0,
	});
	await assert.rejects(front.request('nearglot/models', {}), { code: 'daemon_unavailable' });
	assert.equal(front.health.server, 'failed');
});
