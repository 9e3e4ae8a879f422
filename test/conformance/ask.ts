/** Short ways to ask the test server, with types of what comes back. */

import { sseData, type TestServer } from '../support/testServer.ts';

export interface ErrorReply {
	readonly error: {
		readonly message: string;
		readonly type: string;
		readonly param: string | null;
		readonly code: string;
	};
}

export interface Logprob {
	readonly token: string;
	readonly logprob: number;
	readonly bytes: readonly number[];
	readonly top_logprobs: readonly {
		readonly token: string;
		readonly bytes: readonly number[];
		readonly logprob: number;
	}[];
}

export interface Reply {
	readonly id: string;
	readonly model: string;
	readonly choices: readonly {
		readonly index: number;
		readonly message: {
			readonly role: string;
			readonly content: string | null;
			readonly reasoning_content?: string;
			readonly tool_calls?: readonly {
				readonly id: string;
				readonly type: string;
				readonly function: { readonly name: string; readonly arguments: string };
			}[];
			readonly function_call?: { readonly name: string; readonly arguments: string };
		};
		readonly logprobs: { readonly content: readonly Logprob[] } | null;
		readonly finish_reason: string;
	}[];
	readonly usage: {
		readonly prompt_tokens: number;
		readonly completion_tokens: number;
		readonly total_tokens: number;
		readonly prompt_tokens_details: { readonly cached_tokens: number };
	};
	readonly omitted_turns?: number;
	readonly timings: { readonly load_ms: number; readonly predicted_per_second: number };
}

export interface Chunk {
	readonly id: string;
	readonly omitted_turns?: number;
	readonly choices: readonly {
		readonly index: number;
		readonly delta: {
			readonly role?: string;
			readonly content?: string;
			readonly tool_calls?: readonly {
				readonly index: number;
				readonly id?: string;
				readonly function: { readonly name?: string; readonly arguments: string };
			}[];
		};
		readonly logprobs: { readonly content: readonly Logprob[] } | null;
		readonly finish_reason: string | null;
	}[];
}

/** Asks and returns the whole answer; an error answer becomes an exception with its body. */
export async function chat(server: TestServer, body: object): Promise<Reply> {
	const response = await server.post('/v1/chat/completions', withDefaults(body));
	const reply = (await response.json()) as Reply | ErrorReply;
	if ('error' in reply) throw new Error(`${response.status} ${JSON.stringify(reply.error)}`);
	return reply;
}

/** Asks for a stream and returns its chunks, without `[DONE]`. */
export async function chatStream(server: TestServer, body: object): Promise<Chunk[]> {
	const response = await server.post(
		'/v1/chat/completions',
		withDefaults({ ...body, stream: true }),
	);
	const data = await sseData(response);
	if (data.at(-1) !== '[DONE]') throw new Error(JSON.stringify(data.at(-1)));
	return data.slice(0, -1) as Chunk[];
}

/** Asks for something that must be refused. */
export async function refused(
	server: TestServer,
	body: object,
	path = '/v1/chat/completions',
): Promise<ErrorReply['error'] & { readonly status: number }> {
	const response = await server.post(path, withDefaults(body));
	const reply = (await response.json()) as ErrorReply;
	if (!reply.error) throw new Error(`Not refused: ${JSON.stringify(body).slice(0, 200)}`);
	return { ...reply.error, status: response.status };
}

export const text = (reply: Reply, choice = 0): string =>
	reply.choices[choice]?.message.content ?? '';

function withDefaults(body: object): object {
	return {
		model: 'starter-chat',
		messages: [{ role: 'user', content: 'How do I list all files?' }],
		...body,
	};
}
