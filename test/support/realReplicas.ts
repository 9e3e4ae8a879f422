/** Real model servers with the built-in chat model, on ports that a balancer can be told of before they run. */

import assert from 'node:assert/strict';
import { type MeasuredDaemon, startDaemon } from '../../bench/soak/daemon.ts';
import { freePort } from './freePort.ts';
import type { BalancedServer } from './haproxy.ts';
import { until } from './until.ts';

/** Every replica has been given it. */
export const replicaKey = 'a-key-that-all-servers-have-been-given';

export interface Message {
	readonly role: 'system' | 'user' | 'assistant';
	readonly content: string;
}

export interface ReplicaAnswer {
	/** Which one answered, as the balancer calls it. */
	readonly servedBy: string | null;
	readonly promptTokens: number;
	readonly cachedTokens: number;
	readonly text: string;
}

/** So many places for replicas: their ports are not taken, and nothing runs there yet. */
export const replicaPlaces = (count: number): Promise<BalancedServer[]> =>
	Promise.all(
		Array.from({ length: count }, async () => ({
			port: await freePort(),
			opsPort: await freePort(),
		})),
	);

/** Starts a replica at its place; its model is loaded when this resolves. */
export async function startReplica({ port, opsPort }: BalancedServer): Promise<MeasuredDaemon> {
	const ports = ['--ops-port', String(opsPort), '--port', String(port)];
	const daemon = await startDaemon({
		serveArgs: [...ports, '--preload', 'starter-chat', '--require-key'],
		env: { NEARGLOT_KEY: replicaKey },
	});
	// It says its address before the models of --preload are there.
	await until(
		'the model is loaded',
		async () => (await fetch(`http://127.0.0.1:${opsPort}/readyz`)).status === 200,
	);
	return daemon;
}

/** Asks the built-in model for a few tokens. */
export async function askReplica(
	url: string,
	messages: readonly Message[],
	maxTokens = 4,
	headers: Readonly<Record<string, string>> = {},
): Promise<ReplicaAnswer> {
	const response = await fetch(`${url}/v1/chat/completions`, {
		method: 'POST',
		headers: {
			authorization: `Bearer ${replicaKey}`,
			'content-type': 'application/json',
			...headers,
		},
		body: JSON.stringify({
			model: 'starter-chat',
			messages,
			max_tokens: maxTokens,
			temperature: 0,
		}),
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

/** Runs tasks in their order, so many at a time. */
export async function inLanes<T, R>(
	items: readonly T[],
	lanes: number,
	run: (item: T) => Promise<R>,
): Promise<R[]> {
	const results: R[] = [];
	const entries = items.entries();
	const lane = async () => {
		for (const [at, item] of entries) results[at] = await run(item);
	};
	await Promise.all(Array.from({ length: lanes }, lane));
	return results;
}
