/** Open answers and tunnels end with their session, at this replica at once and at others when the store says so. */

import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import sinon from 'sinon';
import { OpenExchanges } from '../../server/gateway/session/openExchanges.ts';
import type { GatewaySession } from '../../server/gateway/session/sessions.ts';

let clock: sinon.SinonFakeTimers;
beforeEach(() => {
	clock = sinon.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
});
afterEach(() => clock.restore());

function setUp() {
	const find = sinon.stub<[string, boolean?], Promise<GatewaySession | undefined>>();
	find.resolves({} as GatewaySession);
	const onEnd = sinon.stub<[(sid: string) => void], void>();
	const open = new OpenExchanges({ find, onEnd });
	return { open, find, end: (sid: string) => onEnd.firstCall.args[0](sid) };
}

test('a session that ends here cuts what is open for it, and nothing else', () => {
	const { open, end } = setUp();
	const [ann, ben] = [sinon.spy(), sinon.spy()];
	open.add('ann', ann);
	open.add('ben', ben);
	end('ann');
	sinon.assert.calledOnce(ann);
	sinon.assert.notCalled(ben);
	end('nobody');
});

test('a session that the store no longer knows is cut within a second', async () => {
	const { open, find } = setUp();
	const cut = sinon.spy();
	open.add('ann', cut);
	await clock.tickAsync(5000);
	sinon.assert.notCalled(cut);
	sinon.assert.alwaysCalledWithExactly(find, 'ann', true);
	find.resolves(undefined);
	await clock.tickAsync(1000);
	sinon.assert.calledOnce(cut);
});

test('a store that does not answer ends nothing', async () => {
	const { open, find } = setUp();
	const cut = sinon.spy();
	open.add('ann', cut);
	find.rejects(new Error('the store cannot be reached'));
	await clock.tickAsync(10_000);
	sinon.assert.notCalled(cut);
});

test('what has ended by itself is not asked about any more', async () => {
	const { open, find } = setUp();
	const [first, second] = [sinon.spy(), sinon.spy()];
	const over = [open.add('ann', first), open.add('ann', second)];
	over[0]?.();
	await clock.tickAsync(1000);
	assert.equal(find.callCount, 1, 'once a session, however much is open for it');
	over[1]?.();
	await clock.tickAsync(10_000);
	assert.equal(find.callCount, 1);
	assert.equal(clock.countTimers(), 0);
});
