/** The proxy core: streaming both ways, aborts, time-outs, upgrades, HTTPS and the way it ends. */

import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { connect } from 'node:net';
import { join } from 'node:path';
import { after, before, beforeEach, test } from 'node:test';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { until } from '../support/until.ts';
import { Harness } from './support/harness.ts';
import { exchangeBytes, parseAnswer, rawUpgrade } from './support/rawHttp.ts';

let h: Harness;
before(async () => {
	h = await Harness.start({
		config: { globalValidation: { unauthenticatedClientAction: 'AllowAnonymous' } },
	});
});
beforeEach(() => {
	h.app.handler = undefined;
});
after(() => h[Symbol.asyncDispose]());

/** Reads from a socket until the text is there. */
function readUntil(socket: ReturnType<typeof connect>, text: string): Promise<string> {
	return new Promise((resolve, reject) => {
		let all = '';
		const timer = setTimeout(
			() => reject(new Error(`'${text}' did not come; got ${JSON.stringify(all)}`)),
			20_000,
		);
		const onData = (chunk: Buffer) => {
			all += chunk.toString('latin1');
			if (!all.includes(text)) return;
			clearTimeout(timer);
			socket.off('data', onData);
			resolve(all);
		};
		socket.on('data', onData);
	});
}

test('events reach the client one by one, before the stream ends', async () => {
	let next: () => void = () => {};
	h.app.handler = (_request, response) => {
		response.writeHead(200, { 'Content-Type': 'text/event-stream' });
		let index = 0;
		next = () => {
			index++;
			if (index > 3) response.end();
			else response.write(`data: ${index}\n\n`);
		};
		next();
	};
	const socket = connect(h.gateway.port, '127.0.0.1');
	socket.write('GET /events HTTP/1.1\r\nHost: app.example\r\n\r\n');
	const head = await readUntil(socket, 'data: 1\n\n');
	assert.match(head, /text\/event-stream/);
	for (const index of [2, 3]) {
		const pending = readUntil(socket, `data: ${index}\n\n`);
		next();
		await pending;
	}
	const end = readUntil(socket, '0\r\n\r\n');
	next();
	await end;
	socket.destroy();
});

test('the head of an answer is passed on before there is a body', async () => {
	h.app.handler = (_request, response) =>
		response.writeHead(200, { 'X-Early': '1' }).flushHeaders();
	const socket = connect(h.gateway.port, '127.0.0.1');
	socket.write('GET / HTTP/1.1\r\nHost: app.example\r\n\r\n');
	assert.match(await readUntil(socket, '\r\n\r\n'), /X-Early: 1/);
	socket.destroy();
});

test('an upload reaches the app while it is still being sent', async () => {
	let received = '';
	h.app.handler = (request, response) => {
		request.on('data', (chunk: Buffer) => {
			received += chunk.toString();
		});
		request.on('end', () => response.end('done'));
	};
	const socket = connect(h.gateway.port, '127.0.0.1');
	socket.write(
		'POST /up HTTP/1.1\r\nHost: app.example\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nfirst\r\n',
	);
	await until('the first event is there', () => received === 'first');
	socket.write('6\r\nsecond\r\n0\r\n\r\n');
	await readUntil(socket, 'done');
	assert.equal(received, 'firstsecond');
	socket.destroy();
});

test('a client that leaves ends the request at the app', async () => {
	let started = false;
	h.app.handler = (_request, response) => {
		started = true;
		response.writeHead(200).write('x');
	};
	const socket = connect(h.gateway.port, '127.0.0.1');
	socket.write('GET /long HTTP/1.1\r\nHost: app.example\r\n\r\n');
	await until('the upstream began', () => started);
	const seen = h.app.last;
	socket.destroy();
	await until('the upstream saw the end', () => seen.aborted);
});

test('paths, queries, repeated headers and cookies go through byte-exact', async () => {
	h.app.handler = (_request, response) => {
		response.writeHead(207, 'Mostly Fine', [
			'Set-Cookie',
			'a=1',
			'Set-Cookie',
			'b=2',
			'X-Odd-CASE',
			'v',
			'Warning',
			'one',
			'Warning',
			'two',
		]);
		response.end('ok');
	};
	const target = '/a%20b/%E2%82%AC/c;d=1/e%2Ff?x=%zz&y=[1]&&=|';
	const answer = await h.call({
		target,
		headers: ['X-Thing: one', 'X-Thing: two', 'x_under_score: kept', 'Cookie: z=1;  y="a;b"'],
	});
	assert.equal(answer.status, 207);
	assert.equal(h.app.last.url, target);
	assert.deepEqual(h.app.last.values('x-thing'), ['one', 'two']);
	assert.deepEqual(h.app.last.values('x_under_score'), ['kept']);
	assert.deepEqual(h.app.last.values('cookie'), ['z=1;  y="a;b"']);
	assert.deepEqual(answer.setCookies(), ['a=1', 'b=2']);
	assert.equal(answer.headers.filter(([name]) => name === 'Warning').length, 2);
});

test('several requests share one connection, and a HEAD or 304 does not disturb the next', async () => {
	h.app.handler = (request, response) => {
		if (request.url === '/304') response.writeHead(304, { ETag: '"x"' }).end();
		else
			response
				.writeHead(200, { 'Content-Length': 2 })
				.end(request.method === 'HEAD' ? undefined : 'ok');
	};
	const one = (line: string, extra = '') => `${line} HTTP/1.1\r\nHost: app.example\r\n${extra}\r\n`;
	const bytes =
		one('HEAD /h') + one('GET /304') + one('GET /g') + one('GET /last', 'Connection: close\r\n');
	const text = (await exchangeBytes(h.gateway.port, bytes)).toString('latin1');
	assert.deepEqual(text.match(/HTTP\/1\.1 \d+/g), [
		'HTTP/1.1 200',
		'HTTP/1.1 304',
		'HTTP/1.1 200',
		'HTTP/1.1 200',
	]);
	assert.equal(text.match(/\r\n\r\nok/g)?.length, 2);
});

test('Expect: 100-continue is answered only when the request may pass', async () => {
	const bytes =
		'POST /x HTTP/1.1\r\nHost: app.example\r\nExpect: 100-continue\r\nContent-Length: 2\r\nConnection: close\r\n\r\n';
	const socket = connect(h.gateway.port, '127.0.0.1');
	socket.write(bytes);
	await readUntil(socket, '100 Continue');
	socket.write('hi');
	await readUntil(socket, '"length":2');
	assert.deepEqual(h.app.last.values('expect'), []);
	socket.destroy();
	await using closed = await Harness.start();
	const answer = parseAnswer(await exchangeBytes(closed.gateway.port, bytes));
	assert.equal(answer.status, 401);
});

test('an app that is not there is 502, one that does not answer 504, both as problem+json', async () => {
	await using own = await Harness.start({
		config: {
			globalValidation: { unauthenticatedClientAction: 'AllowAnonymous' },
			'x-gateway': { responseTimeoutSeconds: 1, uploadIdleSeconds: 1 },
		},
	});
	own.app.handler = () => {};
	const late = await own.get('/slow');
	assert.equal(late.status, 504);
	assert.equal(late.header('content-type'), 'application/problem+json');
	assert.equal((late.json() as { code: string }).code, 'upstream_timeout');
	const stalled = parseAnswer(
		await exchangeBytes(
			own.gateway.port,
			'POST /u HTTP/1.1\r\nHost: app.example\r\nContent-Length: 10\r\n\r\nabc',
		),
	);
	assert.equal(stalled.status, 408);
	assert.equal((stalled.json() as { code: string }).code, 'upload_timeout');
	await own.app[Symbol.asyncDispose]();
	const dead = await own.get('/x');
	assert.equal(dead.status, 502);
	assert.equal((dead.json() as { code: string }).code, 'upstream_failed');
	const { answer, socket } = await rawUpgrade(own.gateway.port, { target: '/ws' });
	socket.destroy();
	assert.equal(answer.status, 502);
});

test('who sends something that an app got and did not answer is not told to send it again', async () => {
	await using own = await Harness.start({
		config: { globalValidation: { unauthenticatedClientAction: 'AllowAnonymous' } },
	});
	const got: string[] = [];
	own.app.handler = (request) => {
		got.push(String(request.method));
		request.socket.destroy();
	};
	const send = async (method: string) => {
		const answer = parseAnswer(
			await exchangeBytes(
				own.gateway.port,
				`${method} /x HTTP/1.1\r\nHost: app.example\r\nContent-Length: 2\r\nConnection: close\r\n\r\nhi`,
			),
		);
		assert.equal(answer.status, 502);
		const { detail } = answer.json() as { detail: string };
		return [answer.header('retry-after'), /may have been done/.test(detail)];
	};
	assert.deepEqual(await send('POST'), [undefined, true]);
	assert.deepEqual(await send('PUT'), ['2', false]);
	assert.deepEqual(got, ['POST', 'PUT']);
	await own.app[Symbol.asyncDispose]();
	assert.deepEqual(await send('POST'), ['2', false], 'nobody got it');
});

test('an answer that breaks off is a broken connection for the client, not a short success', async () => {
	h.app.handler = (_request, response) => {
		response.writeHead(200, { 'Content-Length': 100 }).write('only this');
		setTimeout(() => response.destroy(), 20);
	};
	const request = httpRequest({
		port: h.gateway.port,
		host: '127.0.0.1',
		path: '/cut',
		headers: { Host: 'app.example' },
	});
	request.end();
	const [answer] = (await once(request, 'response')) as [import('node:http').IncomingMessage];
	await assert.rejects(async () => {
		for await (const _ of answer);
	});
});

test('a WebSocket carries bytes both ways and ends with either side', async () => {
	const { answer, socket } = await rawUpgrade(h.gateway.port, {
		target: '/ws?x=1',
		headers: ['Sec-WebSocket-Protocol: chat'],
	});
	assert.equal(answer.status, 101);
	assert.equal(h.app.last.url, '/ws?x=1');
	assert.deepEqual(h.app.last.values('sec-websocket-protocol'), ['chat']);
	const pending = readUntil(socket, 'z'.repeat(1000));
	socket.write(`${'y'.repeat(200_000)}${'z'.repeat(1000)}`);
	assert.ok((await pending).length >= 201_000);
	const closed = once(socket, 'close');
	socket.end();
	await closed;
});

test('an app that refuses an upgrade gives its own answer', async () => {
	const { createServer } = await import('node:http');
	const plain = createServer((_request, response) =>
		response.writeHead(426, { 'X-Why': 'no' }).end('no'),
	);
	await new Promise<void>((resolve) => plain.listen(0, '127.0.0.1', resolve));
	const { TestApp } = await import('./support/app.ts');
	class Elsewhere extends TestApp {
		override get url(): string {
			return `http://127.0.0.1:${(plain.address() as { port: number }).port}`;
		}
	}
	await using own = await Harness.start({
		app: new Elsewhere(),
		config: { globalValidation: { unauthenticatedClientAction: 'AllowAnonymous' } },
	});
	const { answer, socket } = await rawUpgrade(own.gateway.port, { target: '/ws' });
	socket.destroy();
	assert.equal(answer.status, 426);
	assert.equal(answer.header('x-why'), 'no');
	plain.closeAllConnections();
	plain.close();
});

const opensslMissing =
	spawnSync('openssl', ['version'], { stdio: 'ignore' }).status === 0
		? false
		: 'openssl is not installed (Debian package openssl)';

test('the layer speaks HTTPS with its own certificate', { skip: opensslMissing }, async () => {
	const folder = temporaryFolder('tls');
	execFileSync(
		'openssl',
		[
			'req',
			'-x509',
			'-newkey',
			'ec',
			'-pkeyopt',
			'ec_paramgen_curve:prime256v1',
			'-nodes',
			'-keyout',
			'key.pem',
			'-out',
			'cert.pem',
			'-days',
			'2',
			'-subj',
			'/CN=app.example',
		],
		{ cwd: folder, stdio: 'ignore' },
	);
	const tls = { certFile: join(folder, 'cert.pem'), keyFile: join(folder, 'key.pem') };
	await using own = await Harness.start({
		config: { httpSettings: { requireHttps: true }, 'x-gateway': { tls } },
	});
	const request = httpsRequest({
		port: own.gateway.port,
		host: '127.0.0.1',
		path: '/health',
		headers: { Host: 'app.example' },
		rejectUnauthorized: false,
		agent: false,
	});
	request.end();
	const [answer] = (await once(request, 'response')) as [import('node:http').IncomingMessage];
	assert.equal(answer.statusCode, 200);
	answer.resume();
	await once(answer, 'end');
	assert.deepEqual(own.app.last.values('x-forwarded-proto'), ['https']);
});

test('stopping lets a running stream end, refuses new connections and closes WebSockets', async () => {
	const own = await Harness.start({
		config: { globalValidation: { unauthenticatedClientAction: 'AllowAnonymous' } },
	});
	let finish: () => void = () => {};
	own.app.handler = (_request, response) => {
		response.writeHead(200, { 'Content-Type': 'text/event-stream' }).write('data: a\n\n');
		finish = () => response.end('data: b\n\n');
	};
	const socket = connect(own.gateway.port, '127.0.0.1');
	socket.write('GET /s HTTP/1.1\r\nHost: app.example\r\n\r\n');
	await readUntil(socket, 'data: a');
	const upgraded = await rawUpgrade(own.gateway.port, { target: '/ws' });
	const wsClosed = once(upgraded.socket, 'close');
	upgraded.socket.resume();
	const closing = own.gateway.close();
	await wsClosed;
	const isRefused = () =>
		new Promise<boolean>((resolve) => {
			const late = connect(own.gateway.port, '127.0.0.1');
			late.once('error', () => resolve(true));
			late.once('connect', () => {
				late.destroy();
				resolve(false);
			});
		});
	while (!(await isRefused()));
	const rest = readUntil(socket, 'data: b');
	finish();
	await rest;
	socket.destroy();
	await closing;
	await own[Symbol.asyncDispose]();
});

test('only WebSockets are upgraded: another protocol could carry unchecked requests', async () => {
	for (const [method, upgrade] of [
		['GET', 'h2c'],
		['GET', 'TLS/1.0'],
		['GET', 'websocket, h2c'],
		['POST', 'websocket'],
	]) {
		const before = h.app.seen.length;
		const bytes = `${method} /health HTTP/1.1\r\nHost: app.example\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: ${upgrade}\r\nHTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA\r\n\r\n`;
		assert.equal(
			parseAnswer(await exchangeBytes(h.gateway.port, bytes)).status,
			400,
			`${method} ${upgrade}`,
		);
		assert.equal(h.app.seen.length, before);
	}
});

test('answers that are no valid HTTP, unasked upgrades and odd bytes are errors, never the end of the layer', async () => {
	const answers = [
		'HTTP/1.1 200 OK\r\nX-Bad: a\x7fb\r\nContent-Length: 0\r\n\r\n',
		'HTTP/1.1 200 O\x01K\r\nContent-Length: 0\r\n\r\n',
		'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n',
		'HTTP/1.1 103 Early Hints\r\nLink: broken\r\n\r\nHTTP/1.1 999 Odd\r\nContent-Length: 0\r\n\r\n',
		'nonsense\r\n\r\n',
		'',
	];
	for (const text of answers) {
		const { createServer } = await import('node:net');
		const raw = createServer((socket) => {
			socket.on('error', () => {});
			socket.once('data', () => socket.end(text, 'latin1'));
		});
		await new Promise<void>((resolve) => raw.listen(0, '127.0.0.1', resolve));
		const { TestApp } = await import('./support/app.ts');
		class Elsewhere extends TestApp {
			override get url(): string {
				return `http://127.0.0.1:${(raw.address() as { port: number }).port}`;
			}
		}
		await using _ = { [Symbol.asyncDispose]: async () => void raw.close() };
		await using own = await Harness.start({ app: new Elsewhere() });
		const answer = await own.get('/health');
		assert.ok([502, 999].includes(answer.status), `${JSON.stringify(text)}: ${answer.status}`);
		assert.equal((await own.get('/.auth/healthz')).status, 200);
	}
	const odd = parseAnswer(
		await exchangeBytes(
			h.gateway.port,
			Buffer.from(
				'GET / HTTP/1.1\r\nHost: app.example\r\nX-A: a\x7fb\r\nConnection: close\r\n\r\n',
				'latin1',
			),
		),
	);
	assert.equal(odd.status, 400);
	const latin = await h.get('/x', ['X-Name: Z\xfcrich']);
	assert.equal(latin.status, 200);
	assert.equal((await h.call({ target: '/health', host: 'app.example:443' })).status, 200);
});
