/** Real servers behind deploy/haproxy.cfg: one is drained, ends and comes back while streams run, and none is lost. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { haproxyMissing, startBalancer, untilAllServe } from '../support/haproxy.ts';
import { inLanes, replicaKey, replicaPlaces, startReplica } from '../support/realReplicas.ts';
import { needsSignals } from '../support/systemNeeds.ts';
import { until } from '../support/until.ts';

const streams = 100;
const together = 6;

/** How a stream ended, and who made it. */
async function stream(url: string, at: number) {
	const response = await fetch(`${url}/v1/chat/completions`, {
		method: 'POST',
		headers: {
			authorization: `Bearer ${replicaKey}`,
			'content-type': 'application/json',
			'x-conversation': `talk ${at * 7919}`,
		},
		body: JSON.stringify({
			...{ model: 'starter-chat', stream: true, max_tokens: 40, temperature: 0 },
			messages: [{ role: 'user', content: `What is ${at * 7919}?` }],
		}),
	});
	const text = await response.text();
	const isWhole = text.trimEnd().endsWith('data: [DONE]') && !text.includes('"error"');
	return { isWhole, servedBy: response.headers.get('x-served-by'), text };
}

test('of a hundred streams none is lost while a replica is drained, ends and comes back', {
	skip: haproxyMissing || needsSignals,
}, async () => {
	await using stack = new AsyncDisposableStack();
	const places = await replicaPlaces(2);
	const [one, two] = places;
	assert.ok(one && two);
	const start = async (place: typeof one) => {
		const daemon = await startReplica(place);
		stack.defer(() => daemon.stop().then(() => undefined));
		return daemon;
	};
	const [, second] = await Promise.all([start(one), start(two)]);
	using balancer = await startBalancer(...places);
	await untilAllServe(balancer);
	const begun: number[] = [];
	const running = inLanes(
		Array.from({ length: streams }, (_, at) => at),
		together,
		async (at) => {
			begun.push(at);
			return await stream(balancer.url, at);
		},
	);
	await until('a fifth has begun', () => begun.length > streams / 5);
	const code = await second.stop();
	assert.equal(code, 0, 'it ended by itself');
	await start(two);
	const ended = await running;
	assert.deepEqual(
		ended.filter(({ isWhole }) => !isWhole),
		[],
	);
	assert.equal(new Set(ended.map(({ servedBy }) => servedBy)).size, 2);
	await untilAllServe(balancer);
});
