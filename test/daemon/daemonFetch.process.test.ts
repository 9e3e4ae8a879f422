/** Waiting for a daemon: a word when it shows no sign of life, an end after a limit, and none while it works. */

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as textOf } from 'node:stream/consumers';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { connectTo } from '../../server/daemon/daemonConnection.ts';
import { daemonFetch } from '../../server/daemon/daemonFetch.ts';
import { proofOf } from '../../server/daemon/daemonProof.ts';
import { findDaemon } from '../../server/daemon/findDaemon.ts';
import { type EndpointFile, streamCut, streamEvents } from '../../server/protocol/index.ts';
import { onNotice } from '../../server/store/notices.ts';
import { type Home, newHome } from '../support/home.ts';
import { startHub } from '../support/hubServer.ts';
import { until } from '../support/until.ts';

const cut = (cause: unknown) => streamCut('answer', cause);
let home: Home | undefined;
after(() => home?.close());

const files = {
	'config.json': Buffer.from('{"model_type":"llama"}'),
	'tokenizer.json': Buffer.from('{}'),
	'onnx/model_q4.onnx': Buffer.alloc(300_000),
};

const patience = { noticeAfterMs: 60, healthMs: 30, giveUpMs: 400 };

/** A daemon that says how it is, or does not. */
async function daemon(answer: RequestListener, lives: () => boolean) {
	const server = createServer((request, response) => {
		const { pathname, searchParams } = new URL(request.url ?? '/', 'http://daemon');
		if (pathname === '/nearglot/proof')
			response.setHeader('content-type', 'application/json').end(
				JSON.stringify({
					proof: proofOf('secret', 'server', searchParams.get('challenge') ?? ''),
				}),
			);
		else if (pathname !== '/health') answer(request, response);
		else if (lives())
			response.setHeader('content-type', 'application/json').end(JSON.stringify({ pid: 7 }));
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	const { port } = server.address() as AddressInfo;
	const endpoint: EndpointFile = {
		pid: 7,
		url: `http://127.0.0.1:${port}`,
		key: 'key',
		secret: 'secret',
		version: '1.0.0',
		startedAt: '',
	};
	return {
		endpoint,
		[Symbol.asyncDispose]: async () => {
			server.closeAllConnections();
			await new Promise((resolve) => server.close(resolve));
		},
	};
}

const at = ({ endpoint }: { readonly endpoint: EndpointFile }, path: string) =>
	new URL(path, endpoint.url);

const givenUp = { code: 'daemon_unavailable', message: /process 7, has shown no sign of life/ };

test('a daemon that is frozen before or in its answer is told of once, and given up', async () => {
	const never: RequestListener = () => {};
	const begun: RequestListener = (_request, response) => response.write('data: {"a":1}\n\n');
	for (const answer of [never, begun]) {
		const words: string[] = [];
		using _words = onNotice((text) => words.push(text));
		await using frozen = await daemon(answer, () => false);
		const read = async () => {
			const response = await daemonFetch(frozen.endpoint, at(frozen, '/stream'), {}, patience);
			for await (const event of streamEvents(response, { cut })) assert.deepEqual(event, { a: 1 });
		};
		await assert.rejects(read(), givenUp);
		// On a busy machine the head is waited for, too.
		assert.ok(words.length === 1 || (answer === begun && words.length <= 3), String(words));
		assert.match(words[0] ?? '', /process 7, which is busy, or hangs\. This goes on by itself/);
	}
});

test('a daemon that works on a long answer is waited for in silence', async () => {
	const words: string[] = [];
	using _words = onNotice((text) => words.push(text));
	await using busy = await daemon(
		async (_request, response) => {
			await sleep(3 * patience.giveUpMs);
			response.write('data: {"a":1}\n\n');
			await sleep(3 * patience.giveUpMs);
			response.end('data: [DONE]\n\n');
		},
		() => true,
	);
	const response = await daemonFetch(
		busy.endpoint,
		at(busy, '/stream'),
		{},
		{ ...patience, healthMs: 10_000, noticeAfterMs: 10_050 },
	);
	const events: unknown[] = [];
	// This one ends without the mark of the end.
	for await (const event of streamEvents(response, { cut: () => undefined })) events.push(event);
	assert.deepEqual([events, words], [[{ a: 1 }], []]);
});

test('waiting may be cancelled, before the answer and in it', async () => {
	await using frozen = await daemon(
		(request, response) => void (request.url === '/stream' && response.write('data: 1\n\n')),
		() => false,
	);
	for (const path of ['/head', '/stream']) {
		const stop = new AbortController();
		const init = { signal: stop.signal };
		const read = daemonFetch(frozen.endpoint, at(frozen, path), init).then((response) =>
			response.text(),
		);
		setTimeout(() => stop.abort(), 50);
		await assert.rejects(read, { name: 'AbortError' });
	}
});

test('a stream of a frozen daemon is told of on the terminal, and Ctrl+C ends it', {
	skip: process.platform === 'win32' && 'processes are not frozen there',
}, async () => {
	// A download that does not get on is a stream as long as anybody likes.
	await using hub = await startHub(files, { maxSentBytes: 0 });
	home = await newHome({ HF_ENDPOINT: hub.url });
	const pull = home.start(['models', 'pull', 'acme/tiny']);
	let said = '';
	pull.stderr?.on('data', (chunk) => {
		said += String(chunk);
	});
	await until('it is told what comes', () => said.includes('licence mit'));
	const { endpoint } = (await findDaemon(home.env))!;
	process.kill(endpoint.pid, 'SIGSTOP');
	try {
		const word = new RegExp(`process ${endpoint.pid}, which is busy, or hangs`);
		await until('it says for what it waits', () => word.test(said));
		const interrupted = once(pull, 'exit');
		pull.kill('SIGINT');
		assert.deepEqual(await interrupted, [130, null]);
		// The next one finds nobody, and may be ended as well.
		const next = home.start(['models', 'list']);
		let waits = '';
		next.stderr?.on('data', (chunk) => {
			waits += String(chunk);
		});
		await until('it says for what it waits', () => waits !== '');
		const ended = once(next, 'exit');
		next.kill('SIGINT');
		assert.deepEqual(await ended, [130, null]);
	} finally {
		process.kill(endpoint.pid, 'SIGCONT');
	}
});

test('a daemon that is overloaded is asked again when it said, with the same body', async () => {
	const bodies: string[] = [];
	await using busy = await daemon(
		async (request, response) => {
			bodies.push(await textOf(request));
			if (bodies.length < 3)
				response
					.writeHead(503, { 'content-type': 'application/json', 'retry-after': '0' })
					.end(JSON.stringify({ error: { code: 'overloaded', message: 'The queue is full.' } }));
			else response.end('done');
		},
		() => true,
	);
	const connection = connectTo(busy.endpoint);
	const form = new FormData();
	form.set('file', new File(['sound'], 'a.wav'));
	const answer = await connection.request('/v1/audio/transcriptions', {
		method: 'POST',
		body: form,
	});
	assert.equal(await answer.text(), 'done');
	assert.equal(bodies.length, 3);
	for (const body of bodies) assert.match(body, /sound/);
});
