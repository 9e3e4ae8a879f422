/** deploy/haproxy.cfg and what clients really send: turns of a conversation stay together, however it is written. */

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { toChatMessages } from '../../extension/chat/messageConvert.ts';
import { wireMessages } from '../../server/protocol/wireMessages.ts';
import { type Balancer, haproxyMissing, startBalancer, untilAllServe } from '../support/haproxy.ts';

const skip = haproxyMissing;
const servers: Server[] = [];
let balancer: Balancer;

async function startNamed(): Promise<{ port: number; opsPort: number }> {
	const server = createServer((request, response) => {
		request.resume().once('end', async () => {
			await sleep(request.url === '/v1/embeddings' ? 300 : 0);
			response.end('answered');
		});
	});
	servers.push(server.listen(0, '127.0.0.1'));
	await once(server, 'listening');
	const { port } = server.address() as AddressInfo;
	return { port, opsPort: port };
}
before(async () => {
	if (skip !== false) return;
	balancer = await startBalancer(await startNamed(), await startNamed());
	await untilAllServe(balancer);
});
after(() => {
	balancer?.[Symbol.dispose]();
	for (const server of servers) {
		server.close();
		server.closeAllConnections();
	}
});

async function servedBy(path: string, body: unknown, headers: Record<string, string> = {}) {
	const response = await fetch(balancer.url + path, {
		method: 'POST',
		headers: { 'content-type': 'application/json', ...headers },
		body: JSON.stringify(body),
	});
	assert.equal(await response.text(), 'answered');
	return response.headers.get('x-served-by');
}

interface Said {
	readonly role: string;
	readonly content: unknown;
}
const said = (role: string, content: unknown): Said => ({ role, content });
/** What is asked of conversation `at` in each of its turns: the last one first says what the one before did. */
const asked = (at: number) => [`What is ${at * 7919}?`, `And twice ${at}?`, 'Why?'];
/** Messages of turn `turn`, written by `user` and `answered`, after those that come before all. */
const messages = (
	at: number,
	turn: number,
	begin: readonly Said[] = [],
	user: (text: string, isLast: boolean) => unknown = (text) => text,
) => [
	...begin,
	...asked(at)
		.slice(0, turn + 1)
		.flatMap((text, each) => [
			said('user', user(text, each === turn)),
			...(each === turn ? [] : [said('assistant', `Answer ${each} of ${at}.`)]),
		]),
];
const system = 'You answer in short sentences.';
const parts = (text: string, isLast: boolean) => [
	{ type: 'text', text, ...(isLast ? { cache_control: { type: 'ephemeral' } } : {}) },
];
const editorPart = (text: string) => ({ value: text });

const chats: readonly [
	what: string,
	path: string,
	body: (at: number, turn: number) => object,
	headers?: (at: number) => Record<string, string>,
][] = [
	[
		'a chat with a system message',
		'/v1/chat/completions',
		(at, turn) => ({ messages: messages(at, turn, [said('system', system)]) }),
	],
	['a chat without one', '/v1/chat/completions', (at, turn) => ({ messages: messages(at, turn) })],
	[
		'a chat with a message of the developer, in parts',
		'/v1/chat/completions',
		(at, turn) => ({
			model: 'starter-chat',
			messages: messages(at, turn, [said('developer', [{ type: 'text', text: system }])], parts),
		}),
	],
	[
		"Anthropic's interface, where the mark of what is cached moves on",
		'/v1/messages',
		(at, turn) => ({
			system: [{ type: 'text', text: system }],
			messages: messages(at, turn, [], parts),
		}),
	],
	[
		"Ollama's interface",
		'/api/chat',
		(at, turn) => ({ stream: false, messages: messages(at, turn) }),
	],
	[
		"VS Code's model picker",
		'/v1/chat/completions',
		(at, turn) => ({
			messages: wireMessages(
				toChatMessages(
					messages(at, turn, [said('system', system)]).map(({ role, content }) => ({
						role: ['', 'user', 'assistant', 'system'].indexOf(role),
						content: [editorPart(String(content))],
					})),
				),
			),
		}),
	],
	[
		'a field that names the conversation',
		'/v1/responses',
		(at, turn) => ({ prompt_cache_key: `talk ${at * 7919}`, input: `Turn ${turn} of ${at}` }),
	],
	[
		'text that is written on',
		'/v1/completions',
		(at, turn) => ({ prompt: `# file ${at * 7919}\n${'a = 1\n'.repeat(300 + turn)}` }),
	],
	[
		'responses of somebody whom the gateway has named',
		'/v1/responses',
		(at, turn) => ({ input: `Turn ${turn} of ${at}`, previous_response_id: `resp_${turn}${at}` }),
		(at) => ({ 'x-ms-client-principal-id': `person-${at * 7919}` }),
	],
];
for (const [what, path, body, headers] of chats)
	test(`turns stay with their server: ${what}`, { skip }, async () => {
		const served: (string | null)[] = [];
		for (let at = 0; at < 21; at++) {
			const turns = new Set<string | null>();
			for (let turn = 0; turn < 3; turn++)
				turns.add(await servedBy(path, body(at, turn), headers?.(at)));
			assert.equal(turns.size, 1, `conversation ${at} moved`);
			served.push(...turns);
		}
		assert.deepEqual([...new Set(served)].sort(), ['one', 'two'], 'both have work');
	});

test('what leaves nothing behind is spread evenly, from one address, too', { skip }, async () => {
	const served = await Promise.all(
		Array.from({ length: 8 }, (_, at) => servedBy('/v1/embeddings', { input: [`text ${at}`] })),
	);
	assert.equal(served.filter((name) => name === 'one').length, 4, served.join());
});
