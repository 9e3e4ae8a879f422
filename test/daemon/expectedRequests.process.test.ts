/** A request that has come is announced to models that have background work, before anybody knows whose it is. */

import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import { type RunnerChannel, serveRunner } from '../../server/daemon/runnerMain.ts';
import { RunnerProcess } from '../../server/daemon/runnerProcess.ts';
import type { ToRunner } from '../../server/daemon/runnerProtocol.ts';
import type { EmbedRequest, EngineModel } from '../../server/engine/api.ts';
import { AppError } from '../../server/protocol/index.ts';
import { silentLogger } from '../../server/services/logger.ts';

/** Answers `embed` of people with what it has been sent so far; those of batches never. */
const listing = `
	const seen = [];
	process.on('message', (message) => {
		if (message.type === 'expect') return seen.push('expect');
		seen.push(message.request.priority);
		if (message.request.priority !== 'batch') process.send([{ type: 'result', id: message.id, value: seen }]);
	});`;

test('a request is announced where background work runs, once for those that come together', async () => {
	const command = { file: process.execPath, args: ['-e', listing], env: process.env };
	const runner = new RunnerProcess({ model: 'm', command, log: silentLogger });
	const seen = (): Promise<unknown> =>
		runner.call('embed', { priority: 'interactive' } as EmbedRequest);
	runner.expect();
	assert.deepEqual(await seen(), ['interactive'], 'nothing runs that could wait');
	const background = runner.call('embed', { priority: 'batch' } as EmbedRequest);
	background.catch(() => {});
	for (let together = 0; together < 5; together++) runner.expect();
	assert.deepEqual(await seen(), ['interactive', 'batch', 'expect', 'interactive']);
	runner.kill(new AppError('cancelled'));
	await runner.ended;
});

test('an announced request is expected for a while, and no longer', async () => {
	mock.timers.enable({ apis: ['setTimeout'] });
	let expected = 0;
	const engine = {
		description: {},
		expect: () => {
			expected++;
			return { [Symbol.dispose]: () => void expected-- };
		},
	} as unknown as EngineModel;
	let tell: (message: ToRunner) => void = () => {};
	const loaded = new Promise<void>((resolve) => {
		const channel: RunnerChannel = {
			send: () => resolve(),
			onMessage: (listener) => {
				tell = listener;
			},
		};
		void serveRunner(channel, async () => engine);
	});
	tell({ type: 'expect' });
	tell({ type: 'call', id: 1, method: 'load', request: {} });
	await loaded;
	assert.equal(expected, 0, 'there is no model yet that could wait');
	tell({ type: 'expect' });
	assert.equal(expected, 1);
	mock.timers.tick(1000);
	assert.equal(expected, 0);
	mock.timers.reset();
});
