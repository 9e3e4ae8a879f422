/** Every field of chat completions has a case here that fails when the field is ignored. */

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { countChatTokens } from '../../server/protocol/routes/chat.ts';
import { writeDecoderModel } from '../fixtures/decoderModel.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { startTestServer, type TestServer } from '../support/testServer.ts';
import { until } from '../support/until.ts';
import { chat, chatStream, type Reply, refused, text } from './ask.ts';

let server: TestServer;
const models = temporaryFolder('models');
before(async () => {
	writeDecoderModel(join(models, 'tiny'), { attention: 'gqa' });
	server = await startTestServer({ modelsDir: models });
});
after(async () => {
	await server.close();
});

/** The tiny model's tokens above 255 are no bytes. */
const onlyBytes = Object.fromEntries(Array.from({ length: 64 }, (_, id) => [256 + id, -100]));
/** No trained question: the model is sure of no word of its answer. */
const unsure = {
	messages: [{ role: 'user', content: 'purple sixteen turn sideways and then rename' }],
};
const hot = { ...unsure, temperature: 2, top_p: 1, max_tokens: 24 };

async function tokenId(content: string): Promise<number> {
	const response = await server.post('/tokenize', { model: 'starter-chat', content });
	const { tokens } = (await response.json()) as { tokens: number[] };
	return tokens[0] ?? -1;
}

test('model is found by id, by id without version and by alias, and the answer has the full id', async () => {
	for (const model of ['starter-chat:1', 'starter-chat', 'STARTER-CHAT'])
		assert.equal((await chat(server, { model, max_tokens: 1 })).model, 'starter-chat:1');
	const error = await refused(server, { model: 'no-such-model' });
	assert.equal(error.status, 404);
	assert.equal(error.code, 'model_not_found');
	assert.equal(error.param, 'model');
	assert.match(error.message, /starter-chat:1/);
});

test('messages of every role reach the prompt, and text parts equal one string', async () => {
	const count = async (messages: object[]) =>
		(await chat(server, { model: 'tiny', messages, max_tokens: 1 })).usage.prompt_tokens;
	const user = { role: 'user', content: 'How do I list all files?' };
	const plain = await count([user]);
	assert.ok((await count([{ role: 'system', content: 'Be brief.' }, user])) > plain);
	const turns = [user, { role: 'assistant', content: 'With ls.' }, user];
	assert.ok((await count(turns)) > plain * 2 - 1);
	const parts = [
		{ type: 'text', text: 'How do I ' },
		{ type: 'text', text: 'list all files?' },
	];
	assert.equal(await count([{ role: 'user', content: parts }]), plain);
});

test('temperature 0 always gives the same answer and 2 does not', async () => {
	const cold = await Promise.all([1, 2, 3].map((seed) => chat(server, { temperature: 0, seed })));
	assert.equal(new Set(cold.map((reply) => text(reply))).size, 1);
	const warm = await Promise.all([1, 2, 3, 4].map((seed) => chat(server, { ...hot, seed })));
	assert.ok(new Set(warm.map((reply) => text(reply))).size > 1);
});

test('one seed repeats, two seeds differ, and random_seed and metadata.random_seed are the same field', async () => {
	const first = text(await chat(server, { ...hot, seed: 7 }));
	assert.equal(text(await chat(server, { ...hot, seed: 7 })), first);
	assert.equal(text(await chat(server, { ...hot, random_seed: 7 })), first);
	assert.equal(text(await chat(server, { ...hot, metadata: { random_seed: 7 } })), first);
	const others = await Promise.all([8, 9, 10].map((seed) => chat(server, { ...hot, seed })));
	assert.ok(others.some((reply) => text(reply) !== first));
	assert.equal((await refused(server, { seed: 1, random_seed: 2 })).param, 'random_seed');
});

test('top_k 1, a tiny top_p and min_p 1 each leave only the likeliest token', async () => {
	const greedy = text(await chat(server, { ...unsure, temperature: 0, max_tokens: 24 }));
	for (const field of [{ top_k: 1 }, { top_p: 0.0001 }, { min_p: 1 }, { metadata: { top_k: '1' } }])
		assert.equal(
			text(await chat(server, { ...hot, seed: 3, ...field })),
			greedy,
			JSON.stringify(field),
		);
	assert.notEqual(text(await chat(server, { ...hot, seed: 3 })), greedy);
});

test('n gives that many choices, each with its own index', async () => {
	const reply = await chat(server, { ...hot, n: 3, seed: 5 });
	assert.deepEqual(
		reply.choices.map((choice) => choice.index),
		[0, 1, 2],
	);
	assert.ok(new Set(reply.choices.map((choice) => choice.message.content)).size > 1);
	const sum = reply.usage.completion_tokens;
	assert.ok(sum > 3, 'usage counts all choices');
});

test('n may be as large as other servers take it, also where every choice has a schema', async () => {
	const few = { ...hot, max_tokens: 2, seed: 5 };
	const reply = await chat(server, { ...few, n: 128 });
	assert.deepEqual(
		reply.choices.map((choice) => choice.index),
		Array.from({ length: 128 }, (_, index) => index),
	);
	const schema = { type: 'array', items: [{ enum: [1, 2] }], additionalItems: false, minItems: 1 };
	const format = { type: 'json_schema', json_schema: { name: 'pair', schema } };
	const held = await chat(server, { ...hot, n: 20, seed: 5, response_format: format });
	assert.equal(held.choices.length, 20);
	for (const { message } of held.choices)
		assert.ok([1, 2].includes(Number((JSON.parse(message.content ?? '') as unknown[])[0])));
	assert.equal((await refused(server, { ...hot, n: 129 })).param, 'n');
});

test('stop cuts before the stop text, as a string and as a list, streamed and not', async () => {
	const whole = text(await chat(server, { temperature: 0 }));
	const word = whole.slice(8, 14);
	const cut = whole.slice(0, whole.indexOf(word));
	for (const stop of [word, ['no such text', word]]) {
		const reply = await chat(server, { temperature: 0, stop });
		assert.equal(text(reply), cut);
		assert.equal(reply.choices[0]?.finish_reason, 'stop');
		const chunks = await chatStream(server, { temperature: 0, stop });
		assert.equal(chunks.map((chunk) => chunk.choices[0]?.delta.content ?? '').join(''), cut);
	}
	assert.equal((await refused(server, { stop: ['1', '2', '3', '4', '5'] })).param, 'stop');
});

test('max_tokens and max_completion_tokens end with finish_reason length', async () => {
	for (const field of ['max_tokens', 'max_completion_tokens']) {
		const reply = await chat(server, { [field]: 3 });
		assert.equal(reply.usage.completion_tokens, 3);
		assert.equal(reply.choices[0]?.finish_reason, 'length');
	}
	const error = await refused(server, { max_tokens: 1, max_completion_tokens: 2 });
	assert.equal(error.param, 'max_tokens');
});

test('logit_bias −100 removes a token and +100 forces it', async () => {
	const options = { temperature: 0, max_tokens: 1, logprobs: true };
	const first = await chat(server, options);
	const usual = first.choices[0]?.logprobs?.content[0]?.token ?? '';
	const id = await tokenId(usual);
	const without = await chat(server, { ...options, logit_bias: { [id]: -100 } });
	assert.notEqual(without.choices[0]?.logprobs?.content[0]?.token, usual);
	const asPairs = await chat(server, { ...options, logit_bias: [[id, false]] });
	assert.equal(text(asPairs), text(without));
	const rare = await tokenId('zip');
	const piece = await server.post('/detokenize', { model: 'starter-chat', tokens: [rare] });
	const { content } = (await piece.json()) as { content: string };
	const forced = await chat(server, { ...options, max_tokens: 3, logit_bias: { [rare]: 100 } });
	assert.equal(text(forced), content.repeat(3));
	assert.equal((await refused(server, { logit_bias: { foo: 1 } })).param, 'logit_bias.foo');
	assert.equal((await refused(server, { logit_bias: { '99999999': 1 } })).status, 400);
});

test('logprobs are of the sampled tokens, top_logprobs are ordered, and their sum is at most 1', async () => {
	const reply = await chat(server, {
		temperature: 0,
		max_tokens: 8,
		logprobs: true,
		top_logprobs: 20,
	});
	const list = reply.choices[0]?.logprobs?.content ?? [];
	assert.equal(list.length, reply.usage.completion_tokens);
	assert.equal(list.map((each) => each.token).join(''), text(reply));
	for (const each of list) {
		assert.equal(each.top_logprobs.length, 20);
		assert.equal(each.top_logprobs[0]?.token, each.token, 'greedy takes the likeliest');
		assert.deepEqual(new TextDecoder().decode(Uint8Array.from(each.bytes)), each.token);
		const values = each.top_logprobs.map((top) => top.logprob);
		assert.deepEqual(
			[...values].sort((a, b) => b - a),
			values,
		);
		assert.ok(values.reduce((sum, value) => sum + Math.exp(value), 0) <= 1 + 1e-6);
	}
	assert.equal((await chat(server, { max_tokens: 2 })).choices[0]?.logprobs, null);
	const streamed = await chatStream(server, {
		temperature: 0,
		max_tokens: 8,
		logprobs: true,
		top_logprobs: 2,
	});
	const tokens = streamed.flatMap((chunk) => chunk.choices[0]?.logprobs?.content ?? []);
	assert.equal(tokens.map((each) => each.token).join(''), text(reply));
	assert.equal((await refused(server, { top_logprobs: 3 })).param, 'top_logprobs');
	assert.equal((await refused(server, { logprobs: true, top_logprobs: 21 })).param, 'top_logprobs');
});

test('the log-probabilities are those of a forward pass over prompt and answer', async () => {
	const prompt = 'tar xf';
	const complete = async (body: object) => {
		const response = await server.post('/v1/completions', { model: 'tiny', logprobs: 1, ...body });
		const reply = (await response.json()) as {
			choices: [{ text: string; logprobs: { token_logprobs: (number | null)[] } }];
		};
		return reply.choices[0];
	};
	const ascii = Object.fromEntries(
		Array.from({ length: 320 }, (_, id) => [id, id < 128 ? 0 : -100]),
	);
	const drawn = await complete({
		prompt,
		max_tokens: 8,
		temperature: 1,
		seed: 4,
		logit_bias: ascii,
	});
	const read = await complete({ prompt: prompt + drawn.text, max_tokens: 0, echo: true });
	const own = drawn.logprobs.token_logprobs;
	assert.equal(own.length, 8);
	for (const [index, value] of read.logprobs.token_logprobs.slice(-8).entries())
		assert.ok(Math.abs((own[index] ?? 9) - (value ?? -9)) < 1e-3, `${own} at ${index}: ${value}`);
});

test('penalties change the ranking as the formula says', async () => {
	const cases = [
		{ frequency_penalty: 1.5 },
		{ presence_penalty: 2 },
		{ frequency_penalty: -0.5, presence_penalty: 1 },
	];
	for (const penalties of cases) {
		const { frequency_penalty: frequency = 0, presence_penalty: presence = 0 } = penalties as {
			frequency_penalty?: number;
			presence_penalty?: number;
		};
		const reply = await chat(server, {
			model: 'tiny',
			temperature: 0,
			max_tokens: 40,
			logprobs: true,
			top_logprobs: 20,
			logit_bias: onlyBytes,
			...penalties,
		});
		const counts = new Map<string, number>();
		let changed = 0;
		for (const { token, bytes, top_logprobs: top } of reply.choices[0]?.logprobs?.content ?? []) {
			const score = (each: { readonly bytes: readonly number[]; readonly logprob: number }) => {
				const count = counts.get(String(each.bytes)) ?? 0;
				return each.logprob - frequency * count - (count > 0 ? presence : 0);
			};
			const best = top
				.filter((each) => each.bytes.length === 1)
				.reduce((a, b) => (score(b) > score(a) ? b : a));
			assert.equal(String(bytes), String(best.bytes), `${JSON.stringify(penalties)} at '${token}'`);
			const usual = top.find((each) => each.bytes.length === 1);
			if (String(bytes) !== String(usual?.bytes)) changed++;
			counts.set(String(bytes), (counts.get(String(bytes)) ?? 0) + 1);
		}
		assert.ok(changed > 0, `${JSON.stringify(penalties)} changed nothing`);
	}
});

test('repetition_penalty moves the answer away from what was said', async () => {
	const options = { model: 'tiny', temperature: 0, max_tokens: 40, logit_bias: onlyBytes };
	const distinct = (reply: Reply) => new Set(text(reply)).size;
	const plain = await chat(server, options);
	const penalised = await chat(server, { ...options, repetition_penalty: 5 });
	assert.ok(
		distinct(penalised) > distinct(plain),
		`${distinct(penalised)} against ${distinct(plain)}`,
	);
});

test('stream_options.include_usage adds one usage chunk and is refused without a stream', async () => {
	const chunks = await chatStream(server, {
		stream_options: { include_usage: true },
		max_tokens: 2,
	});
	assert.deepEqual(chunks.at(-1)?.choices, []);
	const error = await refused(server, { stream_options: { include_usage: true } });
	assert.equal(error.param, 'stream_options');
});

test('a stream says the same as the whole answer', async () => {
	const options = { ...hot, seed: 11, n: 2 };
	const whole = await chat(server, options);
	const chunks = await chatStream(server, options);
	for (const index of [0, 1]) {
		const own = chunks.flatMap((chunk) => chunk.choices).filter((choice) => choice.index === index);
		assert.equal(own.map((choice) => choice.delta.content ?? '').join(''), text(whole, index));
		assert.equal(own.at(-1)?.finish_reason, whole.choices[index]?.finish_reason);
	}
});

test('ep takes any spelling of a provider, and refuses what is unknown or not here', async () => {
	for (const ep of ['cpu', 'CPU', 'CPUExecutionProvider', ''])
		assert.equal((await chat(server, { ep, max_tokens: 1 })).choices.length, 1);
	const [row] = await server.backend.host.stats();
	assert.equal(row?.stats.executionProvider, 'cpu');
	assert.equal((await refused(server, { ep: 'tpu' })).param, 'ep');
	const absent = process.platform === 'win32' ? 'coreml' : 'dml';
	const error = await refused(server, { ep: absent });
	assert.equal(error.param, 'ep');
	assert.match(error.message, /comes without/);
});

test('ttl decides how long the model stays', async () => {
	await server.backend.host.unload('starter-chat', true);
	for (const ttl of [0.2, -1, 1e9, '60'])
		assert.equal((await refused(server, { ttl })).param, 'ttl', String(ttl));
	await chat(server, { ttl: 1, max_tokens: 1 });
	const loaded = () => server.backend.host.loaded().includes('starter-chat:1');
	await until('the model is unloaded', () => !loaded());
	assert.equal(loaded(), false);
	const again = await chat(server, { ttl: 0, max_tokens: 1 });
	assert.ok(again.timings.load_ms > 0, 'the load is in the timings');
	const warm = await chat(server, { max_tokens: 1 });
	assert.equal(warm.timings.load_ms, 0);
});

test('a prompt that was just read comes from the cache, and usage says so', async () => {
	const messages = [{ role: 'user', content: 'find large files. '.repeat(6) }];
	const first = await chat(server, { model: 'tiny', messages, max_tokens: 2, temperature: 0 });
	const second = await chat(server, { model: 'tiny', messages, max_tokens: 2, temperature: 0 });
	assert.ok(second.usage.prompt_tokens_details.cached_tokens > 0);
	assert.ok(second.usage.prompt_tokens_details.cached_tokens < first.usage.prompt_tokens);
	assert.equal(text(second), text(first));
});

test('an over-long prompt is refused with both numbers, never cut', async () => {
	const messages = [{ role: 'user', content: 'list all files '.repeat(400) }];
	const error = await refused(server, { messages });
	assert.equal(error.status, 400);
	assert.equal(error.code, 'context_length_exceeded');
	const body = { model: 'starter-chat', messages };
	const { tokenCount } = await server.client.call(countChatTokens, { body });
	assert.ok(
		error.message.includes('512') && error.message.includes(String(tokenCount)),
		error.message,
	);
});

test('the count of tokens equals prompt_tokens of the same request', async () => {
	for (const content of ['hi', 'Wie entpacke ich eine Datei? 日本語 🎉', 'x'.repeat(200)]) {
		const body = { model: 'starter-chat', messages: [{ role: 'user', content }], max_tokens: 1 };
		const { tokenCount } = await server.client.call(countChatTokens, { body });
		assert.equal(tokenCount, (await chat(server, body)).usage.prompt_tokens);
	}
});

test('truncation leaves out the oldest turns of what is too long, and says how many', async () => {
	const turn = (content: string) => [
		{ role: 'user', content },
		{ role: 'assistant', content: 'ok' },
	];
	const long = [
		{ role: 'system', content: 'Be brief.' },
		...turn('x'.repeat(450)),
		...turn('y'.repeat(100)),
		{ role: 'user', content: 'z' },
	];
	const body = { model: 'tiny', messages: long, max_tokens: 2, temperature: 0 };
	for (const truncation of [undefined, 'disabled']) {
		const { status, code, message } = await refused(server, { ...body, truncation });
		assert.deepEqual([status, code], [400, 'context_length_exceeded']);
		assert.match(message, /Shorten it by at least \d+/);
	}
	assert.equal((await refused(server, { ...body, truncation: 'middle' })).param, 'truncation');
	const cut = await chat(server, { ...body, truncation: 'auto' });
	assert.equal(cut.omitted_turns, 1);
	const rest = [long[0], ...long.slice(3)];
	const alone = await chat(server, { ...body, messages: rest, truncation: 'auto' });
	assert.equal(alone.omitted_turns, undefined, 'what fits is left as it is');
	assert.deepEqual([text(cut), cut.usage.prompt_tokens], [text(alone), alone.usage.prompt_tokens]);
	const chunks = await chatStream(server, { ...body, truncation: 'auto' });
	assert.ok(chunks.every((chunk) => chunk.omitted_turns === 1));
	const only = [long[0], { role: 'user', content: 'x'.repeat(600) }];
	const error = await refused(server, { ...body, messages: only, truncation: 'auto' });
	assert.equal(error.code, 'context_length_exceeded', 'the last turn is never cut');
});

test('fields of hosted services are taken at their neutral value only', async () => {
	await chat(server, { store: false, service_tier: 'auto', modalities: ['text'], max_tokens: 1 });
	for (const field of [{ store: true }, { service_tier: 'flex' }, { modalities: ['audio'] }]) {
		const [name] = Object.keys(field);
		assert.ok((await refused(server, field)).param?.startsWith(name ?? '-'));
	}
});

test('a field nobody reads is named in a header', async () => {
	const body = {
		model: 'starter-chat',
		messages: [{ role: 'user', content: 'hi' }],
		max_tokens: 1,
		frobnicate: 1,
	};
	const response = await server.post('/v1/chat/completions', body);
	assert.equal(response.headers.get('x-ignored-parameters'), 'frobnicate');
});
