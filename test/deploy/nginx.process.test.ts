/** Debian's nginx with deploy/nginx.conf in front of two servers. */

import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { freePort } from '../support/freePort.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { until } from '../support/until.ts';

const config = fileURLToPath(new URL('../../deploy/nginx.conf', import.meta.url));
const skip =
	spawnSync('nginx', ['-v']).status === 0
		? false
		: 'nginx is not installed (Debian package nginx-light)';

/** Starts it before servers at these ports. */
async function startNginx(ports: readonly number[]) {
	const folder = temporaryFolder('nginx');
	mkdirSync(join(folder, 'logs'));
	const port = await freePort();
	const [one, two] = ports;
	const own = readFileSync(config, 'utf8')
		.replace('server 10.0.0.1:8080', `server 127.0.0.1:${one}`)
		.replace('server 10.0.0.2:8080', `server 127.0.0.1:${two}`)
		.replace('listen 8000', `listen 127.0.0.1:${port}`);
	assert.ok(!own.includes('10.0.0.') && !own.includes('listen 8000'), 'places were filled in');
	const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
		(name) => `${name}_temp_path ${join(folder, name)};`,
	);
	const path = join(folder, 'nginx.conf');
	writeFileSync(
		path,
		`daemon off; pid ${join(folder, 'nginx.pid')}; error_log ${join(folder, 'logs/error.log')};
events {}
http { access_log off; ${temporary.join(' ')}
${own} }`,
	);
	const tested = spawnSync('nginx', ['-t', '-p', folder, '-c', path], { encoding: 'utf8' });
	assert.equal(tested.status, 0, tested.stderr);
	const child = spawn('nginx', ['-p', folder, '-c', path], { stdio: 'ignore' });
	const url = `http://127.0.0.1:${port}`;
	await until('nginx listens', () =>
		fetch(`${url}/health`).then(
			({ ok }) => ok,
			() => false,
		),
	);
	const stop = async () => {
		const ended = new Promise((resolve) => child.once('close', resolve));
		child.kill('SIGTERM');
		await ended;
	};
	return { url, stop };
}

/** Answers with its own name, and `full` with 503. */
async function startNamed(name: string) {
	const server = createServer((request, response) => {
		const isFull = request.url === '/full' && name === 'two';
		request.resume().once('end', () => response.writeHead(isFull ? 503 : 200).end(name));
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	const { port } = server.address() as AddressInfo;
	const stop = () => {
		server.close();
		server.closeAllConnections();
	};
	return { port, stop };
}

test('conversations and people stay with their server behind nginx, and who is gone or full is not asked', {
	skip,
}, async () => {
	const [one, two] = await Promise.all([startNamed('one'), startNamed('two')]);
	const nginx = await startNginx([one.port, two.port]);
	const ask = async (headers: Record<string, string>, path = '/health') => {
		const response = await fetch(nginx.url + path, { method: 'POST', body: '{}', headers });
		assert.equal(response.status, 200);
		return response.text();
	};
	const names = Array.from({ length: 41 }, (_, at) => `conversation ${at * 7919}`);
	const all = (header: string, path?: string) =>
		Promise.all(names.map((name) => ask({ [header]: name }, path)));
	try {
		for (const header of ['x-conversation', 'x-ms-client-principal-id', 'authorization']) {
			const first = await all(header);
			assert.equal(new Set(first).size, 2, `${header}: both have work`);
			assert.deepEqual(await all(header), first, header);
		}
		const before = await all('x-conversation');
		assert.deepEqual(new Set(await all('x-conversation', '/full')), new Set(['one']));
		two.stop();
		const after = await all('x-conversation');
		assert.deepEqual(new Set(after), new Set(['one']));
		assert.ok(before.includes('two'));
	} finally {
		await nginx.stop();
		one.stop();
		two.stop();
	}
});

test('words pass nginx before an answer is whole', { skip }, async () => {
	const { promise: more, resolve: goOn } = Promise.withResolvers<void>();
	const slow = createServer(async (request, response) => {
		if (request.url === '/health') return response.end();
		response.writeHead(200, { 'content-type': 'text/event-stream' });
		response.write('data: first\n\n');
		await more;
		return response.end('data: last\n\n');
	});
	await new Promise<void>((resolve) => slow.listen(0, '127.0.0.1', resolve));
	const { port } = slow.address() as AddressInfo;
	const nginx = await startNginx([port, port]);
	try {
		const response = await fetch(`${nginx.url}/v1/chat/completions`, {
			method: 'POST',
			body: '{}',
		});
		const reader = response.body?.getReader();
		const first = await reader?.read();
		assert.match(Buffer.from(first?.value ?? []).toString(), /first/);
		goOn();
		const last = await reader?.read();
		assert.match(Buffer.from(last?.value ?? []).toString(), /last/);
	} finally {
		goOn();
		await nginx.stop();
		slow.closeAllConnections();
		slow.close();
	}
});

test('a WebSocket passes nginx in both directions', { skip }, async () => {
	const server = createServer((request, response) =>
		request.resume().once('end', () => response.end()),
	);
	server.on('upgrade', (_request, socket) => {
		socket.write(
			'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n',
		);
		socket.on('data', (bytes) => socket.write(`heard ${bytes}`));
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	const { port } = server.address() as AddressInfo;
	const nginx = await startNginx([port, port]);
	const socket = connect(Number(new URL(nginx.url).port), '127.0.0.1');
	try {
		let seen = '';
		socket.on('data', (bytes) => {
			seen += bytes;
		});
		socket.write(
			'GET /v1/realtime HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n',
		);
		await until('the connection is switched', () => seen.includes(' 101 '));
		socket.write('hello');
		await until('it is answered', () => seen.includes('heard hello'));
	} finally {
		socket.destroy();
		await nginx.stop();
		server.closeAllConnections();
		server.close();
	}
});
