/** Doors to heavy work: beyond the bound of its queue 503 with Retry-After before any byte, and then it recovers. */

import assert from 'node:assert/strict';
import { after, before, type TestContext, test } from 'node:test';
import type { EngineModel } from '../../server/engine/api.ts';
import { AppError } from '../../server/protocol/index.ts';
import type { EmbeddingRequest } from '../../server/protocol/routes/embeddings.ts';
import { daemonMetrics } from '../../server/services/daemonMetrics.ts';
import type { ModelHost } from '../../server/services/host.ts';
import { silentLogger } from '../../server/services/logger.ts';
import { countOverloads } from '../../server/services/overloads.ts';
import { createEmbeddingService } from '../../server/services/text/embeddingService.ts';
import { WorkBound } from '../../server/work/workBound.ts';
import { startTranslateServer, type TranslateServer } from '../support/translateServer.ts';

const small = () =>
	new WorkBound({ describe: (work) => `${work} wait`, maxWork: 250, minWork: 50 });
const textQueue = small();
const documentQueue = small();
let server: TranslateServer;
before(async () => {
	server = await startTranslateServer({ textQueue, documentQueue });
});
after(() => server.close());

const text = 'Words that nobody has translated before, '.repeat(8);
const json = { method: 'POST', headers: { 'content-type': 'application/json' } } as const;

/** Fills a bound; what is returned empties it again. */
function fill(bound: WorkBound): () => void {
	const held = (['batch', 'interactive'] as const).map((priority) =>
		bound.enter({ work: 250, priority }),
	);
	return () => {
		for (const one of held) one[Symbol.dispose]();
	};
}

interface Door {
	readonly name: string;
	readonly queue: WorkBound;
	readonly path: string;
	readonly body: unknown;
	/** The message of its own shape of error. */
	message(body: unknown): unknown;
}

const codeOf = (body: unknown) => (body as { error: { code: unknown } }).error.code;
const doors: readonly Door[] = [
	{
		name: '/translate of version 3.0',
		queue: textQueue,
		path: '/translate?api-version=3.0&from=en&to=de',
		body: [{ Text: text }],
		message: (body) => assert.equal(codeOf(body), 503000),
	},
	{
		name: '/translate of its successor',
		queue: textQueue,
		path: '/translate?api-version=2026-06-06',
		body: { inputs: [{ text, language: 'en', targets: [{ language: 'de' }] }] },
		message: (body) => assert.equal(codeOf(body), '503000'),
	},
	{
		name: '/libretranslate/translate',
		queue: textQueue,
		path: '/libretranslate/translate',
		body: { q: text, source: 'en', target: 'de' },
		message: (body) => assert.equal(typeof (body as { error: unknown }).error, 'string'),
	},
	{
		name: '/documents/translate',
		queue: documentQueue,
		path: '/documents/translate',
		body: { fileName: 'a.txt', text, from: 'en', to: 'de' },
		message: (body) => assert.equal(codeOf(body), 'overloaded'),
	},
];

for (const door of doors) {
	test(`${door.name} refuses what goes beyond its queue, and recovers`, async () => {
		const empty = fill(door.queue);
		const ask = () => fetch(server.url + door.path, { ...json, body: JSON.stringify(door.body) });
		const refused = await ask();
		assert.equal(refused.status, 503);
		assert.match(refused.headers.get('retry-after') ?? '', /^[1-9]\d*$/);
		assert.equal(refused.headers.get('x-metered-usage'), null);
		const body = await refused.text();
		door.message(JSON.parse(body));
		assert.match(body, /overloaded.*Try again in \d+ s/);
		empty();
		const done = await ask();
		assert.equal(done.status, 200);
		assert.ok((await done.text()).includes('NOBODY'));
		assert.equal(door.queue.work, 0);
	});
}

test('what is refused before its body is read says so at once, however long the body is to be', async () => {
	const empty = fill(textQueue);
	const sent = new AbortController();
	// A body that begins and never ends.
	const body = new ReadableStream({
		start: (controller) => controller.enqueue(new TextEncoder().encode('[')),
	});
	const request = new Request(`${server.url}/translate?api-version=3.0&to=de`, {
		...json,
		body,
		duplex: 'half',
		signal: sent.signal,
	} as RequestInit);
	try {
		assert.equal((await fetch(request)).status, 503);
	} finally {
		sent.abort();
		empty();
	}
});

test('a file that was let in is finished, though nothing else is taken meanwhile', async () => {
	const empty = fill(textQueue);
	const done = await server.post('/documents/translate', doors[3]?.body);
	empty();
	assert.equal(done.status, 200);
	assert.deepEqual([documentQueue.work, textQueue.work], [0, 0]);
});

test('/v1/embeddings has a bound, too', async () => {
	const queue = small();
	const engine = {
		embed: async () => ({ vectors: [new Float32Array(1)], promptTokens: 1 }),
	} as unknown as EngineModel;
	const host = {
		resolve: async () => ({ id: 'e' }),
		acquire: async () => ({ engine, [Symbol.asyncDispose]: async () => {} }),
	} as unknown as ModelHost;
	const service = createEmbeddingService(host, queue);
	const empty = fill(queue);
	const isRefusal = (error: unknown) =>
		error instanceof AppError && error.code === 'overloaded' && error.retryAfterS !== undefined;
	const request = { ...({ model: 'e', input: [text] } as EmbeddingRequest), owner: 'me' };
	assert.throws(() => service.checkRoom(400), isRefusal);
	await assert.rejects(
		service.run(request, () => {}),
		isRefusal,
	);
	empty();
	service.checkRoom(400);
	assert.equal((await service.run(request, () => {})).promptTokens, 1);
	assert.equal(queue.work, 0);
});

test('a flood of refusals is counted and makes one line a minute', (t: TestContext) => {
	t.mock.timers.enable({ apis: ['setTimeout'] });
	const lines: unknown[] = [];
	const metrics = daemonMetrics();
	const log = {
		...silentLogger,
		warn: (_: string, facts?: object) => lines.push(facts && { ...facts }),
	};
	const overloads = countOverloads(log, metrics);
	const refuse = (times: number) => {
		for (let time = 0; time < times; time++)
			overloads.count(new AppError('overloaded', 'Full.'), '/translate');
	};
	const line = (refused: number) => ({ refused, path: '/translate', reason: 'Full.' });
	overloads.count(new AppError('runner_crashed'), '/translate');
	overloads.count(undefined, '/translate');
	assert.deepEqual(lines, []);
	refuse(300);
	assert.deepEqual(lines, [line(1)]);
	t.mock.timers.tick(60_000);
	assert.deepEqual(lines, [line(1), line(299)]);
	t.mock.timers.tick(60_000);
	t.mock.timers.tick(600_000);
	refuse(2);
	assert.deepEqual(lines, [line(1), line(299), line(1)]);
	assert.equal(metrics.value('nearglot_overloaded_total'), 302);
});

test('what every door refuses is counted once, and told of as no error', async () => {
	const { errors } = server;
	const { metrics } = server.backend;
	const before = metrics.value('nearglot_overloaded_total');
	const empties = [fill(textQueue), fill(documentQueue)];
	for (const { path, body } of doors)
		await (await fetch(server.url + path, { ...json, body: JSON.stringify(body) })).arrayBuffer();
	for (const empty of empties) empty();
	assert.equal(metrics.value('nearglot_overloaded_total') - before, doors.length);
	assert.deepEqual(errors, []);
});
