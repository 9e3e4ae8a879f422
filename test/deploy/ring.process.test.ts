/** Real servers behind deploy/haproxy.cfg: one that comes takes a part of the conversations, and the others stay. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { haproxyMissing, startBalancer, untilAllServe } from '../support/haproxy.ts';
import { askReplica, inLanes, replicaPlaces, startReplica } from '../support/realReplicas.ts';
import { until } from '../support/until.ts';

const questions = Array.from({ length: 200 }, (_, at) => `What is ${at * 7919}?`);

/** Who answers each conversation. */
const places = (url: string, lanes: number) =>
	inLanes(questions, lanes, async (content) => {
		const { servedBy } = await askReplica(url, [{ role: 'user', content }], 1);
		return servedBy;
	});

const movedTo = (name: string, before: readonly unknown[], after: readonly unknown[]) =>
	after.filter((server, at) => server === name && before[at] !== name).length;

test('a third server takes at most its part of 200 conversations and none moves between the two, one at a time or four', {
	skip: haproxyMissing,
}, async () => {
	await using stack = new AsyncDisposableStack();
	const [one, two, third] = await replicaPlaces(3);
	assert.ok(one && two && third);
	const start = async (place: typeof one) => {
		const daemon = await startReplica(place);
		stack.defer(() => daemon.stop().then(() => undefined));
	};
	await Promise.all([start(one), start(two)]);
	using balancer = await startBalancer(one, two, third);
	await untilAllServe(balancer);
	const before = await places(balancer.url, 4);
	await start(third);
	await until('the third one serves', async () => {
		const names = Array.from({ length: 24 }, (_, at) => balancer.servedBy(`probe ${at}`));
		return new Set(await Promise.all(names)).has('three');
	});
	const inTurn = await places(balancer.url, 1);
	const beside = await places(balancer.url, 4);
	for (const [lanes, after] of [[1, inTurn] as const, [4, beside] as const]) {
		const between = movedTo('one', before, after) + movedTo('two', before, after);
		assert.equal(between, 0, `moved between those that were there, ${lanes} at a time`);
		const moved = movedTo('three', before, after);
		// A third of the ring, give or take what 200 conversations do by chance.
		assert.ok(moved > 40 && moved <= 75, `${moved} of 200 moved to the third, ${lanes} at a time`);
	}
});
