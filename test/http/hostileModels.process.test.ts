/** Models whose files and requests whose fields are made to keep the server busy: nobody else notices. */

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { writeHostileModels } from '../hostile/modelFolders.ts';
import {
	hostileGrammars,
	hostileSchemas,
	hostileTemplates,
	hostileTokenizers,
} from '../hostile/models.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { startTestServer, type TestServer } from '../support/testServer.ts';

/** Units of every input: enough to keep a computer busy for minutes. */
const n = 40;

/** Inputs that also go to the process that runs the model. */
const inRunner: ReadonlySet<string> = new Set([
	'pre-tokenizer (?:a+)+$',
	'normalizers that double the text',
	'nested loops around nothing',
	'a list that holds itself twice, as JSON',
]);

const dir = temporaryFolder('hostile');
let server: TestServer;
before(async () => {
	writeHostileModels(dir, n);
	server = await startTestServer({
		modelsDir: dir,
		settings: {
			models: { defaultTtlS: 0, loadTimeoutMs: 120_000, load: { textDeadlineMs: 1000 } },
		},
	});
});
after(async () => {
	await server.close();
});

interface Refusal {
	readonly error: { readonly code: string; readonly message: string };
}

/**
 * Asks something hostile; meanwhile the server answers others, and afterwards as well.
 * @returns the refusal, or `undefined` where it may fit and does
 */
async function refused(
	path: string,
	body: object,
	mayFit = false,
): Promise<Refusal['error'] | undefined> {
	let ended = false;
	const hostile = server.post(path, body).finally(() => {
		ended = true;
	});
	const others = async () => {
		const health = await fetch(new URL('/health', server.url));
		assert.equal(health.status, 200);
		const counted = await server.post('/tokenize', { model: 'good', content: 'hello' });
		assert.deepEqual(((await counted.json()) as { count: number }).count, 5);
	};
	let answered = 0;
	do {
		await others();
		answered++;
	} while (!ended);
	const response = await hostile;
	const { error } = (await response.json()) as Partial<Refusal>;
	assert.ok(answered > 0);
	await others();
	if (mayFit && error?.code !== 'too_expensive') {
		assert.ok([200, 400].includes(response.status), JSON.stringify(error));
		return undefined;
	}
	assert.equal(response.status, 400, JSON.stringify(error));
	assert.equal(error?.code, 'too_expensive', error?.message);
	return error;
}

const chat = (model: string, more: object = {}) => ({
	model,
	messages: [{ role: 'user', content: 'hello' }],
	max_tokens: 4,
	...more,
});

for (const [index, { name, make }] of hostileTokenizers.entries())
	test(`a tokenizer is ended: ${name}`, async () => {
		const model = `tokenizer-${index}`;
		const { text } = make(n);
		const error = await refused('/tokenize', { model, content: text });
		assert.match(error?.message ?? '', new RegExp(`tokenizer of '${model}`));
		// The process of the model is another place; one of a kind is enough to see that it is as safe.
		if (!inRunner.has(name)) return;
		const path = '/v1/completions';
		for (const body of [
			{ model, prompt: text, max_tokens: 4 },
			{ model, prompt: text, max_tokens: 4, echo: true },
		]) {
			const error = await refused(path, body);
			assert.match(error?.message ?? '', new RegExp(`tokenizer of '${model}`));
		}
	});

for (const [index, { name }] of hostileTemplates.entries())
	test(`a template is ended: ${name}`, async () => {
		const model = `template-${index}`;
		const path = '/v1/chat/completions';
		const count = `${path}/tokenizer/encode/count`;
		for (const each of inRunner.has(name) ? [count, path] : [count]) {
			const error = await refused(each, chat(model));
			assert.match(error?.message ?? '', new RegExp(`template of '${model}`));
		}
	});

for (const { name, make, mayFit } of hostileSchemas)
	test(`a schema is ended: ${name}`, async () => {
		const json_schema = { name: 'answer', schema: make(100) };
		const response_format = { type: 'json_schema', json_schema };
		const body = chat('good', { response_format });
		const error = await refused('/v1/chat/completions', body, mayFit);
		if (!mayFit) assert.match(error?.message ?? '', /grammar of the answer/);
	});

for (const { name, make, mayFit } of hostileGrammars)
	test(`a grammar is ended: ${name}`, async () => {
		const body = chat('good', { grammar: make(100) });
		const error = await refused('/v1/chat/completions', body, mayFit);
		if (!mayFit) assert.match(error?.message ?? '', /grammar of the answer/);
	});

test('a chat of the same model is answered while a schema is compiled', async () => {
	const hi = async () => {
		const response = await server.post('/v1/chat/completions', chat('good'));
		assert.equal(response.status, 200);
		await response.arrayBuffer();
	};
	await hi();
	let ended = false;
	const json_schema = { name: 'answer', schema: hostileSchemas[0]?.make(100) };
	const hostile = server
		.post(
			'/v1/chat/completions',
			chat('good', { response_format: { type: 'json_schema', json_schema } }),
		)
		.finally(() => {
			ended = true;
		});
	await hi();
	assert.equal(ended, false, 'the schema was still being compiled');
	assert.equal((await hostile).status, 400);
	await hi();
});

test('whoever goes takes the work along: the next question is answered at once', async () => {
	const index = 0;
	const model = `tokenizer-${index}`;
	const stop = new AbortController();
	const asked = server.post(
		'/tokenize',
		{ model, content: hostileTokenizers[index]?.make(n).text },
		{ signal: stop.signal },
	);
	stop.abort();
	await assert.rejects(asked);
	const next = await server.post('/tokenize', { model, content: 'b' });
	assert.equal(next.status, 200, await next.text());
});
