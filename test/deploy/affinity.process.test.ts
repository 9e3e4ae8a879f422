/** Two real servers behind deploy/haproxy.cfg: each conversation stays where its beginning is in the cache. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type MeasuredDaemon, startDaemon } from '../../bench/soak/daemon.ts';
import { freePort } from '../support/freePort.ts';
import { haproxyMissing, startBalancer, untilBothServe } from '../support/haproxy.ts';
import { until } from '../support/until.ts';

const key = 'a-key-that-both-servers-have-been-given';
/** Odd, so that going round would not keep them apart by chance. */
const conversations = 13;
const turns = 4;

interface Answer {
	readonly servedBy: string | null;
	readonly promptTokens: number;
	readonly cachedTokens: number;
	readonly text: string;
}

type Message = { readonly role: 'system' | 'user' | 'assistant'; readonly content: string };

async function ask(url: string, messages: readonly Message[]): Promise<Answer> {
	const response = await fetch(`${url}/v1/chat/completions`, {
		method: 'POST',
		headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
		body: JSON.stringify({ model: 'starter-chat', messages, max_tokens: 4, temperature: 0 }),
	});
	const answered = await response.text();
	assert.equal(response.status, 200, answered);
	const body = JSON.parse(answered) as {
		choices: { message: { content: string } }[];
		usage: { prompt_tokens: number; prompt_tokens_details: { cached_tokens: number } };
	};
	return {
		servedBy: response.headers.get('x-served-by'),
		promptTokens: body.usage.prompt_tokens,
		cachedTokens: body.usage.prompt_tokens_details.cached_tokens,
		text: body.choices[0]?.message.content ?? '',
	};
}

const begun = (name: string): Message[] => [
	{ role: 'system', content: 'You answer in short sentences.' },
	{ role: 'user', content: `Which of the words of ${name} is the longest one, and why?` },
];

/** Asks all conversations turn by turn, in another order each time. @returns share of tokens from the cache, and who served */
async function converse(url: string, name: string) {
	const open = Array.from({ length: conversations }, (_, at) => begun(`${name} ${at * 7919}`));
	const servers = open.map(() => new Set<string | null>());
	let [prompt, cached] = [0, 0];
	for (let turn = 0; turn < turns; turn++)
		for (let step = 0; step < conversations; step++) {
			const at = (step * (2 * turn + 3)) % conversations;
			const messages = open[at] ?? [];
			const answer = await ask(url, messages);
			prompt += answer.promptTokens;
			cached += answer.cachedTokens;
			servers[at]?.add(answer.servedBy);
			messages.push(
				{ role: 'assistant', content: answer.text },
				{ role: 'user', content: `And what do you say of it after ${turn + 1} more?` },
			);
		}
	return { share: cached / prompt, servers };
}

test('conversations find their beginning again behind HAProxy, and only those of a server that is gone move', {
	skip: haproxyMissing,
}, async () => {
	await using stack = new AsyncDisposableStack();
	process.env['NEARGLOT_KEY'] = key;
	const start = async (port: number, ops: number) => {
		const ports = ['--ops-port', String(ops), '--port', String(port)];
		const daemon = await startDaemon({
			serveArgs: [...ports, '--preload', 'starter-chat', '--require-key'],
		});
		stack.defer(() => daemon.stop().then(() => undefined));
		return daemon;
	};
	const [one = 0, oneOps = 0, two = 0, twoOps = 0] = await Promise.all(
		Array.from({ length: 4 }, freePort),
	);
	const servers: MeasuredDaemon[] = await Promise.all([start(one, oneOps), start(two, twoOps)]);
	// A server says its address before the models of --preload are there.
	for (const ops of [oneOps, twoOps])
		await until(
			'the models are loaded',
			async () => (await fetch(`http://127.0.0.1:${ops}/readyz`)).status === 200,
		);
	using balancer = await startBalancer(
		{ port: one, opsPort: oneOps },
		{ port: two, opsPort: twoOps },
	);
	await untilBothServe(balancer);
	const front = balancer.url;

	const alone = await converse(servers[0]?.url ?? '', 'rivers');
	const both = await converse(front, 'mountains');
	assert.ok(
		both.share >= alone.share - 0.03,
		`${both.share.toFixed(3)} of the tokens from the cache; ${alone.share.toFixed(3)} with one server`,
	);
	const usual = both.servers.map((served) => [...served]);
	const moved = usual.filter((served) => served.length > 1).length;
	// The bound on a server's share moves one now and then while there are few.
	assert.ok(moved <= 2, `${moved} conversations moved`);
	assert.equal(new Set(usual.flat()).size, 2, 'both servers had work');

	const gone = servers[1];
	process.kill(gone?.pid ?? 0, 'SIGKILL');
	const still = await Promise.all(
		usual.map((_, at) => ask(front, begun(`mountains ${at * 7919}`))),
	);
	assert.deepEqual(new Set(still.map(({ servedBy }) => servedBy)), new Set(['one']));
});
