/** Traces: nothing without an address, spans in the conventions' names with one, texts only where they are asked for. */

import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import { wantsTraces } from '../../../server/services/observe/traces.ts';
import { startTestServer } from '../../support/testServer.ts';

interface Span {
	readonly traceId: string;
	readonly parentSpanId?: string;
	readonly name: string;
	readonly startTimeUnixNano: string;
	readonly endTimeUnixNano: string;
	readonly attributes: readonly { readonly key: string; readonly value: object }[];
	readonly status: { readonly code?: number; readonly message?: string };
}

const received: { path: string; body: string }[] = [];
const collector = createServer(async (request, response) => {
	let body = '';
	for await (const chunk of request) body += chunk;
	received.push({ path: request.url ?? '', body });
	response.setHeader('content-type', 'application/json');
	response.end('{}');
});
let endpoint = '';
before(async () => {
	await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve));
	endpoint = `http://127.0.0.1:${(collector.address() as AddressInfo).port}`;
	// The SDK reads the environment of its process.
	process.env['OTEL_EXPORTER_OTLP_ENDPOINT'] = endpoint;
	process.env['OTEL_RESOURCE_ATTRIBUTES'] = 'team=docs';
});
after(() => {
	delete process.env['OTEL_EXPORTER_OTLP_ENDPOINT'];
	delete process.env['OTEL_RESOURCE_ATTRIBUTES'];
	collector.close();
});

const parent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

async function spansOf(env: NodeJS.ProcessEnv, traceparent = parent): Promise<Span[]> {
	received.length = 0;
	const server = await startTestServer({ fakeRunner: true, env });
	const body = {
		...{ model: 'starter-chat', max_tokens: 9, temperature: 0.5 },
		messages: [{ role: 'user', content: 'a secret question' }],
	};
	const init = { headers: { traceparent } };
	await (await server.post('/v1/chat/completions', body, init)).text();
	await (await server.post('/v1/responses', { model: 'starter-chat', input: 'overflow' })).text();
	await server.close();
	return received.flatMap(({ path, body: text }) => {
		assert.equal(path, '/v1/traces');
		const { resourceSpans } = JSON.parse(text) as {
			resourceSpans: { scopeSpans: { spans: Span[] }[] }[];
		};
		return resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans));
	});
}

const attribute = (span: Span | undefined, key: string): unknown => {
	const value = span?.attributes.find((each) => each.key === key)?.value;
	return value === undefined ? undefined : Object.values(value)[0];
};

test('a request is a span of its caller’s trace, with tokens and times and without texts', async () => {
	const spans = await spansOf({});
	assert.equal(spans.length, 2);
	const done = spans.find(({ parentSpanId }) => parentSpanId === 'b7ad6b7169203331');
	assert.equal(done?.traceId, '0af7651916cd43dd8448eb211c80319c');
	assert.equal(done?.name, 'chat starter-chat:1');
	assert.equal(attribute(done, 'gen_ai.operation.name'), 'chat');
	assert.equal(attribute(done, 'gen_ai.request.max_tokens'), 9);
	assert.equal(attribute(done, 'gen_ai.response.model'), 'starter-chat:1');
	assert.equal(Number(attribute(done, 'gen_ai.usage.input_tokens')), 3);
	assert.equal(Number(attribute(done, 'gen_ai.usage.cache_read.input_tokens')), 1);
	assert.deepEqual(attribute(done, 'gen_ai.response.finish_reasons'), {
		values: [{ stringValue: 'stop' }],
	});
	assert.equal(attribute(done, 'http.route'), '/v1/chat/completions');
	assert.ok(BigInt(done?.endTimeUnixNano ?? 0) >= BigInt(done?.startTimeUnixNano ?? 1));
	const failed = spans.find((span) => span !== done);
	assert.equal(attribute(failed, 'error.type'), 'context_length_exceeded');
	assert.equal(failed?.status.code, 2);
	const sent = received.map(({ body }) => body).join('');
	assert.ok(!sent.includes('a secret question') && !sent.includes('Hello'), 'no texts');
	assert.ok(sent.includes('"team"') && sent.includes('"nearglot"'));
});

test('texts are told where the environment asks for them; a broken trace context is none', async () => {
	const spans = await spansOf(
		{ OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: 'true' },
		`00-${'0'.repeat(32)}-b7ad6b7169203331-01`,
	);
	const done = spans.find((span) => attribute(span, 'gen_ai.response.model') !== undefined);
	assert.equal(done?.parentSpanId, undefined);
	assert.deepEqual(JSON.parse(String(attribute(done, 'gen_ai.input.messages'))), [
		{ role: 'user', parts: [{ type: 'text', content: 'a secret question' }] },
	]);
	assert.match(String(attribute(done, 'gen_ai.output.messages')), /Hello there\./);
});

test('without an address, or where traces are off, nothing is watched', () => {
	assert.ok(!wantsTraces({}));
	assert.ok(!wantsTraces({ OTEL_EXPORTER_OTLP_ENDPOINT: '' }));
	assert.ok(!wantsTraces({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_SDK_DISABLED: 'true' }));
	assert.ok(!wantsTraces({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_TRACES_EXPORTER: 'none' }));
	assert.ok(wantsTraces({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: endpoint }));
});

test('a collector that is not there keeps nobody waiting', async () => {
	process.env['OTEL_EXPORTER_OTLP_ENDPOINT'] = 'http://127.0.0.1:1';
	try {
		assert.deepEqual(await spansOf({}), []);
	} finally {
		process.env['OTEL_EXPORTER_OTLP_ENDPOINT'] = endpoint;
	}
});
