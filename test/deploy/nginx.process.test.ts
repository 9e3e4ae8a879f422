/** Debian's nginx with deploy/nginx.conf in front of two servers. */

import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { test } from 'node:test';
import { type Nginx, nginxMissing as skip, startNginx } from '../support/nginx.ts';
import { startSilentMachine } from '../support/silentMachine.ts';
import { needsLinux } from '../support/systemNeeds.ts';
import { until } from '../support/until.ts';

/** Answers with its own name, to `/full` with 503 if it is the second, and to `/crowd` with 503. */
async function startNamed(name: string) {
	const server = createServer((request, response) => {
		const isFull = request.url === '/crowd' || (request.url === '/full' && name === 'two');
		const headers = isFull ? { 'retry-after': '3' } : {};
		request.resume().once('end', () => response.writeHead(isFull ? 503 : 200, headers).end(name));
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

/** Answers with its name after the body; while `isDying` it breaks connections once it has the request. */
async function startDying(name: string) {
	const double = { port: 0, isDying: false, got: [] as string[], stop: () => {} };
	const server = createServer((request, response) => {
		request.resume().once('end', () => {
			double.got.push(`${request.method} ${request.url}`);
			if (double.isDying) request.socket.destroy();
			else response.end(name);
		});
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	double.port = (server.address() as AddressInfo).port;
	double.stop = () => {
		server.close();
		server.closeAllConnections();
	};
	return double;
}

test('behind nginx files and batches stay with their server, which nobody stands in for', {
	skip,
}, async () => {
	const [one, two] = await Promise.all([startDying('one'), startDying('two')]);
	const nginx = await startNginx([one.port, two.port]);
	const ask = async (path: string, headers: Record<string, string>) => {
		const response = await fetch(nginx.url + path, { headers });
		return [response.status, await response.text()] as const;
	};
	const paths = [
		...['/v1/files', '/v1/files/file-1/content', '/v1/batches?limit=2', '/v1/batches/b/events'],
		...['/translator/document/batches', '/endpoint/translator/document/batches?api-version=1'],
	];
	const places = async (headers: Record<string, string>) => {
		const calls = paths.map((path, at) =>
			ask(path, { ...headers, 'x-conversation': `talk ${at * 7919}` }),
		);
		return new Set((await Promise.all(calls)).map(([, name]) => name));
	};
	try {
		const owners = new Map<string, string>();
		for (const header of ['x-ms-client-principal-id', 'authorization', 'x-api-key', 'api-key'])
			for (let person = 0; person < 16; person++) {
				const found = await places({ [header]: `person ${person * 7919}` });
				assert.equal(found.size, 1, `${header} ${person}`);
				owners.set(`person ${person * 7919}`, String([...found][0]));
			}
		assert.equal(new Set(owners.values()).size, 2, 'people are told apart');
		for (let key = 0; key < 9; key++) {
			const shown = `ngk_${key * 7919}`;
			const bearer = await places({ authorization: `Bearer ${shown}` });
			for (const header of ['x-api-key', 'api-key'])
				assert.deepEqual(await places({ [header]: shown }), bearer, 'whichever way it is shown');
		}
		two.stop();
		const [away] = [...owners].filter(([, name]) => name === 'two').map(([person]) => person);
		assert.ok(away);
		for (const path of paths) {
			const response: Response = await fetch(nginx.url + path, { headers: { 'x-api-key': away } });
			assert.equal(response.status, 503, `${path}: no 404 of another`);
			assert.equal(response.headers.get('retry-after'), '5');
			const { error } = (await response.json()) as { error: { code: string } };
			assert.equal(error.code, 'daemon_unavailable');
		}
		assert.deepEqual(await ask('/v1/chat/completions', { 'x-api-key': away }), [200, 'one']);
	} finally {
		await nginx.stop();
		one.stop();
		two.stop();
	}
});

test('behind nginx nothing that changes something is done twice, and who asks is told whether it may have been done', {
	skip,
}, async () => {
	const [one, two] = await Promise.all([startDying('one'), startDying('two')]);
	const nginx = await startNginx([one.port, two.port]);
	const post = async (path: string) => {
		const before = one.got.length + two.got.length;
		const response = await fetch(nginx.url + path, { method: 'POST', body: '{}' });
		const { error } = (await response.json()) as { error: { code: string; message: string } };
		assert.equal(response.headers.has('retry-after'), response.status === 503, path);
		assert.equal(/may have been done/.test(error.message), response.status !== 503, path);
		return [response.status, error.code, one.got.length + two.got.length - before];
	};
	const changing = [
		...['/v1/files', '/v1/batches', '/v1/batches/b/cancel', '/translator/document/batches'],
		...['/v1/conversations', '/v1/conversations/c/items'],
	];
	try {
		one.isDying = true;
		two.isDying = true;
		for (const path of changing)
			assert.deepEqual(await post(path), [502, 'upstream_failed', 1], path);
		assert.deepEqual(await post('/v1/chat/completions'), [502, 'upstream_failed', 2]);
		one.stop();
		two.stop();
		for (const path of [...changing, '/v1/chat/completions'])
			assert.deepEqual(await post(path), [503, 'daemon_unavailable', 0], path);
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

test('when all are full, nginx hands their refusal on, and refuses nobody for it afterwards', {
	skip,
}, async () => {
	const [one, two] = await Promise.all([startNamed('one'), startNamed('two')]);
	const nginx = await startNginx([one.port, two.port]);
	const ask = (path: string, at: number) =>
		fetch(nginx.url + path, {
			method: 'POST',
			body: '{}',
			headers: { 'x-conversation': `talk ${at * 7919}` },
		});
	try {
		const crowd = await Promise.all(Array.from({ length: 30 }, (_, at) => ask('/crowd', at)));
		assert.deepEqual(
			crowd.map(({ status, headers }) => [status, headers.get('retry-after')]),
			crowd.map(() => [503, '3']),
		);
		const after = await Promise.all(Array.from({ length: 30 }, (_, at) => ask('/health', at)));
		assert.deepEqual(new Set(after.map(({ status }) => status)), new Set([200]));
	} finally {
		await nginx.stop();
		one.stop();
		two.stop();
	}
});

test('a machine that takes no connection and does not say so is passed over', {
	skip: skip || needsLinux,
}, async () => {
	const one = await startNamed('one');
	const silent = await startSilentMachine();
	const { port } = silent;
	let nginx: Nginx | undefined;
	try {
		await silent.fallSilent();
		// Not before: what it is asked as it starts would be taken, and never answered.
		nginx = await startNginx([one.port, port]);
		const { url } = nginx;
		const answers = await Promise.all(
			Array.from({ length: 12 }, (_, at) =>
				fetch(`${url}/v1/chat/completions`, {
					method: 'POST',
					body: '{}',
					headers: { 'x-conversation': `talk ${at * 7919}` },
					signal: AbortSignal.timeout(60_000),
				}),
			),
		);
		assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
		const passed = answers.map(({ headers }) => headers.get('x-served-by')?.includes(`:${port}`));
		assert.ok(passed.includes(true), 'some were its own');
	} finally {
		silent.stop();
		await nginx?.stop();
		one.stop();
	}
});
