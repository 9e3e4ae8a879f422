/** A daemon whose program was replaced ends when nothing goes on, and batches are something. */

import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import { endWhenReplaced } from '../../server/daemon/daemon.ts';

test('a batch that goes on keeps a daemon whose program was replaced', async () => {
	mock.timers.enable({ apis: ['setInterval'] });
	const stopped: string[] = [];
	let [isIdle, isBusy, isCurrent] = [true, true, true];
	const backend = {
		activity: { idle: () => isIdle },
		jobs: {
			get isBusy() {
				return isBusy;
			},
		},
		stop: (reason: string) => stopped.push(reason),
	} as unknown as Parameters<typeof endWhenReplaced>[0];
	const undo = endWhenReplaced(backend, () => isCurrent);
	const looked = () => {
		mock.timers.tick(10_000);
		return stopped.splice(0).length > 0;
	};
	assert.equal(looked(), false);
	isCurrent = false;
	assert.equal(looked(), false, 'between two parts of a batch');
	isBusy = false;
	isIdle = false;
	assert.equal(looked(), false);
	isIdle = true;
	assert.equal(looked(), true);
	await undo();
	mock.timers.reset();
});
