/** Real servers behind deploy/nginx.conf: one comes, one is drained, one is killed, while conversations and streams run. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nginxMissing, startNginx } from '../support/nginx.ts';
import {
	askReplica,
	inLanes,
	type Message,
	replicaKey,
	replicaPlaces,
	startReplica,
} from '../support/realReplicas.ts';
import { openRealtime } from '../support/realtimeClient.ts';
import { until } from '../support/until.ts';

const conversations = 13;
const turns = 3;
const streams = 100;
const together = 6;

/** Who served: of several that were tried, the last. */
const lastOf = (servedBy: string | null) => servedBy?.split(', ').at(-1);

/** Asks all conversations turn by turn, in another order each time. */
async function converse(url: string, name: string, lanes: number) {
	const open = Array.from({ length: conversations }, (_, at): Message[] => [
		{
			role: 'user',
			content: `Which of the words of ${name} ${at * 7919} is the longest, and why?`,
		},
	]);
	const servers = open.map(() => new Set<string | undefined>());
	let [prompt, cached] = [0, 0];
	for (let turn = 0; turn < turns; turn++) {
		const order = open.map((_, step) => (step * (2 * turn + 3)) % conversations);
		await inLanes(order, lanes, async (at) => {
			const messages = open[at] ?? [];
			const headers = { 'x-conversation': `${name} ${at * 7919}` };
			const answer = await askReplica(url, messages, 4, headers);
			prompt += answer.promptTokens;
			cached += answer.cachedTokens;
			servers[at]?.add(lastOf(answer.servedBy));
			messages.push(
				{ role: 'assistant', content: answer.text },
				{ role: 'user', content: `And what do you say of it after ${turn + 1} more?` },
			);
		});
	}
	return { share: cached / prompt, servers: servers.map((each) => [...each]) };
}

/** How a stream ended, and who made it. */
async function stream(url: string, at: number) {
	let servedBy: string | undefined;
	try {
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
		servedBy = lastOf(response.headers.get('x-served-by'));
		const text = await response.text();
		const isWhole = text.trimEnd().endsWith('data: [DONE]') && !text.includes('"error"');
		return { isWhole, servedBy, text };
	} catch (error) {
		return { isWhole: false, servedBy, text: String(error) };
	}
}

test('behind nginx conversations stay, a server comes and one is drained without loss, and one that is killed loses its own streams', {
	skip: nginxMissing,
}, async () => {
	await using stack = new AsyncDisposableStack();
	const places = await replicaPlaces(3);
	const [one, two, three] = places;
	assert.ok(one && two && three);
	const start = async (place: typeof one) => {
		const daemon = await startReplica(place);
		stack.defer(() => daemon.stop().then(() => undefined));
		return daemon;
	};
	const [first, second] = await Promise.all([start(one), start(two)]);
	const nginx = await startNginx([one.port, two.port]);
	stack.defer(() => nginx.stop());
	const alone = await converse(first.url, 'rivers', 1);
	const both = await converse(nginx.url, 'mountains', 1);
	const beside = await converse(nginx.url, 'valleys', 4);
	for (const { share, servers } of [both, beside]) {
		assert.ok(
			share >= alone.share - 0.03,
			`${share.toFixed(3)} of the tokens from the cache; ${alone.share.toFixed(3)} with one server`,
		);
		assert.deepEqual(new Set(servers.map(({ length }) => length)), new Set([1]), 'none moved');
		assert.equal(new Set(servers.flat()).size, 2, 'both had work');
	}

	const live = await openRealtime(nginx.url, {
		headers: { authorization: `Bearer ${replicaKey}` },
	}).catch((error: unknown) => assert.match(String(error), /model/, 'a refusal in words'));
	live?.socket.close();

	const third = await start(three);
	const begun: number[] = [];
	const run = (from: number, count: number) =>
		inLanes(
			Array.from({ length: count }, (_, at) => from + at),
			together,
			async (at) => {
				begun.push(at);
				return await stream(nginx.url, at);
			},
		);
	const running = run(0, streams);
	await until('a tenth has begun', () => begun.length > streams / 10);
	nginx.reload(places.map(({ port }) => port));
	await until('a fifth has begun', () => begun.length > streams / 5);
	assert.equal(await second.stop(), 0, 'it ended by itself');
	const again = start(two);
	const ended = await running;
	await again;
	assert.deepEqual(
		ended.filter(({ isWhole }) => !isWhole),
		[],
	);
	assert.equal(new Set(ended.map(({ servedBy }) => servedBy)).size, 3, 'the new one had work');

	const after = run(streams, 60);
	await until('some have begun', () => begun.length > streams + 12);
	process.kill(third.pid, 'SIGKILL');
	const lost = (await after).filter(({ isWhole }) => !isWhole);
	assert.ok(lost.length <= together, JSON.stringify(lost));
	assert.deepEqual(
		lost.filter(({ servedBy }) => servedBy !== `127.0.0.1:${three.port}`),
		[],
		'only its own',
	);
});
