/** Bodies of requests with very many of whatever they may have. */

import { anthropicRequest } from '../../server/protocol/routes/anthropicMessages.ts';
import { chatRequest } from '../../server/protocol/routes/chat.ts';
import { check } from '../../server/protocol/routes/check.ts';
import { completionRequest } from '../../server/protocol/routes/completions.ts';
import { ollamaChatRequest } from '../../server/protocol/routes/ollamaGeneration.ts';
import { responsesRequest } from '../../server/protocol/routes/responses.ts';
import type { HostileCase } from './growth.ts';

const message = { role: 'user', content: 'hello' };
const words = 'aaaaaaaaaaaaaaaaaaaa';

/** A field of a chat with `n` of something. */
const chatFields: Readonly<Record<string, (n: number) => object>> = {
	messages: (n) => ({ messages: list(n, () => message) }),
	'parts of a message': (n) => ({ messages: [{ role: 'user', content: list(n, () => words) }] }),
	'typed parts of a message': (n) => ({
		messages: [{ role: 'user', content: list(n, () => ({ type: 'text', text: words })) }],
	}),
	'calls in a message': (n) => ({
		messages: [
			{ role: 'assistant', tool_calls: list(n, (at) => ({ function: { name: `f${at}` } })) },
		],
	}),
	tools: (n) => ({ tools: list(n, (at) => ({ type: 'function', function: { name: `f${at}` } })) }),
	'tools by their names': (n) => ({
		tools: Object.fromEntries(list(n, (at) => [`f${at}`, { parameters: {} }])),
	}),
	'properties of a tool': (n) => ({
		tools: [
			{ name: 'f', parameters: { properties: Object.fromEntries(list(n, (at) => [at, {}])) } },
		],
	}),
	'ends of an answer': (n) => ({ stop: list(n, (at) => `s${at}`) }),
	biases: (n) => ({ logit_bias: list(n, (at) => [at, 1]) }),
	metadata: (n) => ({ metadata: Object.fromEntries(list(n, (at) => [`k${at}`, 'v'])) }),
	'arguments of a call': (n) => ({
		function_call: { name: 'f', arguments: JSON.stringify(list(n, (at) => at)) },
	}),
};

/** Items of a response. */
const items: Readonly<Record<string, object>> = {
	messages: message,
	calls: { type: 'function_call', call_id: 'a', name: 'f', arguments: '{}' },
	results: { type: 'function_call_output', call_id: 'a', output: 'x' },
};

/** Blocks of a message in Anthropic's interface. */
const blocks: Readonly<Record<string, object>> = {
	texts: { type: 'text', text: words },
	calls: { type: 'tool_use', id: 'a', name: 'f', input: {} },
	thoughts: { type: 'thinking', thinking: words },
};

/** Messages in Ollama's interface. */
const turns: Readonly<Record<string, (at: number) => object>> = {
	messages: () => message,
	calls: (at) => ({ role: 'assistant', tool_calls: [{ function: { name: `f${at % 3}` } }] }),
	'calls and results': (at) =>
		at % 2 === 0
			? {
					role: 'assistant',
					tool_calls: [{ function: { name: 'f' } }, { function: { name: 'g' } }],
				}
			: { role: 'tool', tool_name: 'g', content: 'x' },
};

function list<T>(length: number, item: (at: number) => T): T[] {
	return Array.from({ length }, (_, at) => item(at));
}

export const bodyCases: readonly HostileCase[] = [
	...Object.entries(chatFields).map(([name, fields]) => ({
		name: `chat: ${name}`,
		make: (n: number) => ({ model: 'm', messages: [message], ...fields(n) }),
		run: (body: unknown) => check(chatRequest, body),
	})),
	...Object.entries(items).map(([name, item]) => ({
		name: `response: ${name}`,
		make: (n: number) => ({ model: 'm', input: list(n, () => item) }),
		run: (body: unknown) => check(responsesRequest, body),
	})),
	...Object.entries(blocks).map(([name, block]) => ({
		name: `anthropic: ${name}`,
		make: (n: number) => ({
			...{ model: 'm', max_tokens: 1 },
			messages: [{ role: 'assistant', content: list(n, () => block) }, message],
		}),
		run: (body: unknown) => check(anthropicRequest, body),
	})),
	...Object.entries(turns).map(([name, turn]) => ({
		name: `ollama: ${name}`,
		make: (n: number) => ({ model: 'm', messages: list(n, turn) }),
		run: (body: unknown) => check(ollamaChatRequest, body),
	})),
	{
		name: 'completion: token ids',
		make: (n: number) => ({ model: 'm', prompt: list(n, (at) => at) }),
		run: (body: unknown) => check(completionRequest, body),
	},
];
