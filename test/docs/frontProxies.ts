/** Proxies of others with the rules of a block, in front of a server: what a team needs passes them. */

import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import {
	createServer,
	request as httpRequest,
	type IncomingHttpHeaders,
	type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { connect } from 'node:net';
import { join } from 'node:path';
import { freePort } from '../support/freePort.ts';
import { until } from '../support/until.ts';

/** Starts a proxy that listens at one port and asks the other. */
type StartProxy = (port: number, appPort: number) => ChildProcess;

/** Caddy with the rules of a Caddyfile. */
export const behindCaddy = (text: string, folder: string): Promise<void> =>
	passes((port, appPort) => {
		const own = text
			.replace(/^\S+ \{/m, `http://127.0.0.1:${port} {`)
			.replace(/(reverse_proxy 127\.0\.0\.1:)\d+/, `$1${appPort}`);
		const file = join(folder, 'Caddyfile.run');
		writeFileSync(file, `{\n\tadmin off\n\tauto_https off\n}\n${own}`);
		return spawn('caddy', ['run', '--config', file, '--adapter', 'caddyfile'], {
			env: { ...process.env, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder },
			stdio: 'ignore',
		});
	});

/** nginx with a file of `conf.d`, without its certificate. */
export const behindNginx = (text: string, folder: string): Promise<void> =>
	passes((port, appPort) => {
		const own = text
			.replace(/^( *)listen 443 ssl;$/m, `$1listen 127.0.0.1:${port};`)
			.replaceAll(/^ *ssl_certificate.*$/gm, '')
			.replace(/(proxy_pass http:\/\/127\.0\.0\.1:)\d+/, `$1${appPort}`);
		assert.ok(!own.includes('443'), 'places were filled in');
		mkdirSync(join(folder, 'logs'), { recursive: true });
		const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
			(name) => `${name}_temp_path "${join(folder, name)}";`,
		);
		const file = join(folder, 'nginx.conf');
		writeFileSync(
			file,
			`daemon off; pid "${join(folder, 'nginx.pid')}"; error_log "${join(folder, 'logs/error.log')}";
events {}
http { access_log off; ${temporary.join(' ')}
${own} }`,
		);
		return spawn('nginx', ['-p', folder, '-c', file], { stdio: 'ignore' });
	});

async function passes(start: StartProxy): Promise<void> {
	let seen: IncomingHttpHeaders = {};
	const waiting: ServerResponse[] = [];
	let left = 0;
	const app = createServer(async (request, response) => {
		if (request.url === '/up') return response.end();
		seen = request.headers;
		if (request.method === 'POST') {
			let size = 0;
			for await (const part of request) size += (part as Buffer).length;
			return response.end(String(size));
		}
		if (request.url === '/begins') {
			response.writeHead(200, { 'content-type': 'text/plain' });
			response.write('first');
		}
		waiting.push(response);
		return response.once('close', () => {
			if (!response.writableFinished) left++;
		});
	});
	app.on('upgrade', (_request, socket) => {
		socket.write(
			'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n',
		);
		socket.on('error', () => {}).on('data', (bytes) => socket.end(`heard ${bytes}`));
	});
	await new Promise<void>((resolve) => app.listen(0, '127.0.0.1', resolve));
	const port = await freePort();
	const url = `http://127.0.0.1:${port}`;
	const proxy = start(port, (app.address() as AddressInfo).port);
	const ended = once(proxy, 'exit');
	try {
		await until('the proxy listens', () =>
			fetch(`${url}/up`).then(
				() => true,
				() => false,
			),
		);
		const response = await fetch(`${url}/begins`);
		const reader = response.body!.getReader();
		// It comes before the answer has ended.
		const { value } = await reader.read();
		assert.equal(Buffer.from(value ?? []).toString(), 'first');
		assert.equal(seen['x-forwarded-proto'], 'http');
		assert.equal(seen['x-forwarded-host'], `127.0.0.1:${port}`);
		assert.equal(seen['x-forwarded-for'], '127.0.0.1');
		waiting.shift()?.end();
		assert.equal((await reader.read()).done, true);

		const recording = await fetch(url, { method: 'POST', body: Buffer.alloc(3 << 20) });
		assert.equal(await recording.text(), String(3 << 20), 'a recording passes');

		const socket = connect(port, '127.0.0.1');
		let heard = '';
		socket.on('data', (bytes) => {
			heard += bytes;
		});
		socket.write(
			`GET / HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`,
		);
		await until('a WebSocket is there', () => heard.includes(' 101 '));
		socket.write('hello');
		await until('it is answered', () => heard.includes('heard hello'));
		socket.destroy();

		const leaving = httpRequest(`${url}/waits`).on('error', () => {});
		leaving.end();
		await until('a question is there', () => waiting.length > 0);
		leaving.destroy();
		await until('whoever leaves before the answer begins is gone there, too', () => left > 0);
	} finally {
		proxy.kill('SIGTERM');
		await ended;
		app.closeAllConnections();
		app.close();
	}
}
