/** Two real servers behind deploy/haproxy.cfg: each conversation stays where its beginning is in the cache. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { haproxyMissing, startBalancer, untilAllServe } from '../support/haproxy.ts';
import {
	askReplica,
	inLanes,
	type Message,
	replicaPlaces,
	startReplica,
} from '../support/realReplicas.ts';

/** Odd, so that going round would not keep them apart by chance. */
const conversations = 13;
const turns = 4;

const begun = (name: string): Message[] => [
	{ role: 'system', content: 'You answer in short sentences.' },
	{ role: 'user', content: `Which of the words of ${name} is the longest one, and why?` },
];

/**
 * Asks all conversations turn by turn, in another order each time.
 * @param lanes how many ask at the same time
 * @returns share of tokens from the cache, and who served
 */
async function converse(url: string, name: string, lanes: number) {
	const open = Array.from({ length: conversations }, (_, at) => begun(`${name} ${at * 7919}`));
	const servers = open.map(() => new Set<string | null>());
	let [prompt, cached] = [0, 0];
	for (let turn = 0; turn < turns; turn++) {
		const order = open.map((_, step) => (step * (2 * turn + 3)) % conversations);
		await inLanes(order, lanes, async (at) => {
			const messages = open[at] ?? [];
			const answer = await askReplica(url, messages);
			prompt += answer.promptTokens;
			cached += answer.cachedTokens;
			servers[at]?.add(answer.servedBy);
			messages.push(
				{ role: 'assistant', content: answer.text },
				{ role: 'user', content: `And what do you say of it after ${turn + 1} more?` },
			);
		});
	}
	return { share: cached / prompt, servers };
}

test('conversations find their beginning again behind HAProxy, and only those of a server that is gone move', {
	skip: haproxyMissing,
}, async () => {
	await using stack = new AsyncDisposableStack();
	const places = await replicaPlaces(2);
	const servers = await Promise.all(
		places.map(async (place) => {
			const daemon = await startReplica(place);
			stack.defer(() => daemon.stop().then(() => undefined));
			return daemon;
		}),
	);
	using balancer = await startBalancer(...places);
	await untilAllServe(balancer);
	const front = balancer.url;

	const alone = await converse(servers[0]?.url ?? '', 'rivers', 1);
	const both = await converse(front, 'mountains', 1);
	const beside = await converse(front, 'valleys', 4);
	for (const { share } of [both, beside])
		assert.ok(
			share >= alone.share - 0.03,
			`${share.toFixed(3)} of the tokens from the cache; ${alone.share.toFixed(3)} with one server`,
		);
	const usual = [...both.servers, ...beside.servers].map((served) => [...served]);
	assert.deepEqual(
		usual.filter((served) => served.length > 1),
		[],
		'no conversation moved',
	);
	assert.equal(new Set(usual.flat()).size, 2, 'both servers had work');

	const gone = servers[1];
	process.kill(gone?.pid ?? 0, 'SIGKILL');
	const still = await Promise.all(
		both.servers.map((_, at) => askReplica(front, begun(`mountains ${at * 7919}`))),
	);
	assert.deepEqual(new Set(still.map(({ servedBy }) => servedBy)), new Set(['one']));
});
