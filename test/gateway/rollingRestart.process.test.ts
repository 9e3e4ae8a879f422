/** Two replicas behind a load balancer, restarted one after the other while streams run: none is lost. */

import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { rmSync, writeFileSync } from 'node:fs';
import { request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { test } from 'node:test';
import { freePort } from '../support/freePort.ts';
import { needsSignals } from '../support/systemNeeds.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { until } from '../support/until.ts';
import { TestApp } from './support/app.ts';
import { FakeProvider } from './support/fakeProvider.ts';
import { type GatewayProcess, startProcess } from './support/gatewayProcess.ts';
import { baseConfig, merge } from './support/harness.ts';

const missing =
	spawnSync('haproxy', ['-v']).status === 0
		? false
		: 'haproxy is not installed (Debian package haproxy)';

/** Streams that are open at any moment, and the least number of them altogether. */
const together = 20;
const atLeast = 100;
const eventsEach = 10;

const haproxyConfig = (port: number, replicas: readonly number[]) => `
global
  maxconn 500
defaults
  mode http
  timeout connect 2s
  timeout client 60s
  timeout server 60s
  retries 3
  option redispatch
frontend front
  bind 127.0.0.1:${port}
  default_backend replicas
backend replicas
  balance roundrobin
  option httpchk GET /.auth/readyz
  http-check expect status 200
${replicas.map((replica, index) => `  server r${index} 127.0.0.1:${replica} check inter 200ms fall 1 rise 1`).join('\n')}
`;

/** Sends its events with pauses; ends with one that says so. */
function stream(_request: IncomingMessage, response: ServerResponse): void {
	response.writeHead(200, { 'Content-Type': 'text/event-stream' });
	let sent = 0;
	const timer = setInterval(() => {
		if (++sent <= eventsEach) response.write(`data: ${sent}\n\n`);
		else response.end('data: [DONE]\n\n');
		if (sent > eventsEach) clearInterval(timer);
	}, 100);
	response.once('close', () => clearInterval(timer));
}

async function read(port: number, path: string): Promise<{ status: number; text: string }> {
	const call = httpRequest({ port, host: '127.0.0.1', path, headers: { Host: 'app.example' } });
	call.end();
	const [answer] = (await once(call, 'response')) as [IncomingMessage];
	let text = '';
	for await (const chunk of answer) text += String(chunk);
	return { status: answer.statusCode ?? 0, text };
}

const untilUp = (port: number): Promise<void> =>
	until(
		`a replica is ready at ${port}`,
		() =>
			read(port, '/.auth/readyz').then(
				({ status }) => status === 200,
				() => false,
			),
		60_000,
	);

test('a rolling restart of two replicas behind HAProxy loses no stream', {
	skip: needsSignals || missing,
	timeout: 180_000,
}, async () => {
	await using stack = new AsyncDisposableStack();
	const folder = temporaryFolder('rolling');
	stack.defer(() => rmSync(folder, { recursive: true, force: true }));
	const [app, provider] = [stack.use(new TestApp()), stack.use(new FakeProvider())];
	await app.listen();
	await provider.listen();
	app.handler = stream;
	const config = join(folder, 'auth.json');
	const settings = {
		globalValidation: { unauthenticatedClientAction: 'AllowAnonymous' },
		'x-gateway': {
			store: { path: join(folder, 'sessions.db') },
			keysFile: join(folder, 'keys.json'),
		},
	};
	writeFileSync(config, JSON.stringify(merge(baseConfig(provider), settings)));
	const ports = [await freePort(), await freePort()];
	const start = (port: number) =>
		startProcess(config, app.url, ['--port', String(port), '--drain', '20']);
	const replicas: GatewayProcess[] = [];
	stack.defer(async () => {
		for (const replica of replicas) await replica[Symbol.asyncDispose]();
	});
	for (const port of ports) replicas.push(await start(port));
	const front = await freePort();
	const balancerFile = join(folder, 'haproxy.cfg');
	writeFileSync(balancerFile, haproxyConfig(front, ports));
	const balancer: ChildProcess = spawn('haproxy', ['-db', '-f', balancerFile], { stdio: 'ignore' });
	stack.defer(() => void balancer.kill('SIGKILL'));
	await untilUp(front);

	let restarted = false;
	const lost: string[] = [];
	let complete = 0;
	const client = async () => {
		while (lost.length === 0 && (!restarted || complete < atLeast)) {
			const { status, text } = await read(front, '/events').catch((error) => ({
				status: 0,
				text: String(error),
			}));
			if (status === 200 && text.endsWith('data: [DONE]\n\n')) complete++;
			else lost.push(`${status} ${text}`);
		}
	};
	const clients = Array.from({ length: together }, client);
	for (const [index, port] of ports.entries()) {
		const old = replicas[index]!;
		const ended = once(old.child, 'exit');
		old.child.kill('SIGTERM');
		assert.deepEqual(await ended, [0, null], 'it ended by itself, in good order');
		replicas[index] = await start(port);
		await untilUp(port);
		// The balancer must have seen it before the other one goes.
		const before = complete;
		await until(
			'enough streams are complete',
			() => complete >= before + together * 2 || lost.length > 0,
			120_000,
		);
	}
	restarted = true;
	await Promise.all(clients);
	assert.deepEqual(lost, []);
	assert.ok(complete >= atLeast);
});

test('a second signal ends a layer at once', { timeout: 60_000, skip: needsSignals }, async () => {
	await using app = new TestApp();
	await using provider = new FakeProvider();
	await app.listen();
	await provider.listen();
	const folder = temporaryFolder('twice');
	const config = join(folder, 'auth.json');
	const settings = { 'x-gateway': { store: { path: join(folder, 'sessions.db') } } };
	writeFileSync(config, JSON.stringify(merge(baseConfig(provider), settings)));
	await using layer = await startProcess(config, app.url, ['--drain', '3600']);
	app.handler = (_request, response) =>
		response.writeHead(200, { 'Content-Type': 'text/event-stream' }).write('data: 1\n\n');
	const call = httpRequest({ port: layer.port, path: '/health', headers: { Host: 'app.example' } });
	call.on('error', () => {}).end();
	const [answer] = (await once(call, 'response')) as [IncomingMessage];
	answer.on('error', () => {}).resume();
	const ended = once(layer.child, 'exit');
	layer.child.kill('SIGTERM');
	// Signals that follow each other closely are one.
	const again = setInterval(() => layer.child.kill('SIGTERM'), 200);
	assert.deepEqual(await ended, [130, null]);
	clearInterval(again);
});
