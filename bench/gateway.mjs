/**
 * What the sign-in gateway costs: requests per second and latency against a direct connection, the
 * first byte of a stream, and memory per 1,000 sessions. Client, gateway and app are three processes.
 *
 * Usage: node bench/gateway.mjs [--seconds 4]
 */
import { fork } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { exportJWK, SignJWT } from 'jose';

const self = fileURLToPath(import.meta.url);
const root = dirname(dirname(self));

/** The app: a small answer, a stream, and (standing in for a provider) its keys. */
function runApp() {
	const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
	const server = http.createServer(async (request, response) => {
		const base = `http://127.0.0.1:${server.address().port}`;
		if (request.url === '/stream') {
			response.writeHead(200, { 'Content-Type': 'text/event-stream' });
			response.write(`data: ${process.hrtime.bigint()}\n\n`);
			setTimeout(() => response.end(), 5);
		} else if (request.url === '/jwks') {
			response.end(
				JSON.stringify({
					keys: [{ ...(await exportJWK(publicKey)), kid: 'k', alg: 'RS256', use: 'sig' }],
				}),
			);
		} else if (request.url?.startsWith('/mint')) {
			const now = Math.floor(Date.now() / 1000);
			const sub = request.url.split('=')[1] ?? 'u';
			response.end(
				await new SignJWT({
					iss: base,
					aud: 'client',
					sub,
					email: `${sub}@corp.example`,
					name: `Person ${sub}`,
					iat: now,
					exp: now + 3600,
				})
					.setProtectedHeader({ alg: 'RS256', kid: 'k' })
					.sign(privateKey),
			);
		} else response.end('{"ok":true}');
	});
	server.listen(0, '127.0.0.1', () => process.send(server.address().port));
}

async function runGateway() {
	const { gatewayCommand } = await import(join(root, 'server/cli/gatewayCommand.ts'));
	process.on('message', () => {
		globalThis.gc?.();
		process.send({ rss: process.memoryUsage().rss, heap: process.memoryUsage().heapUsed });
	});
	const stdout = { write: (text) => process.send(JSON.parse(text)) };
	await gatewayCommand.run(process.argv.slice(3), {
		stdout,
		stderr: { write: () => true },
		env: process.env,
		signal: new AbortController().signal,
	});
}

const child = (args, options = {}) =>
	fork(self, args, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'], ...options });
const message = (from) => new Promise((resolve) => from.once('message', resolve));

function call(port, path, headers, agent, body) {
	return new Promise((resolve, reject) => {
		const started = performance.now();
		const request = http.request(
			{
				port,
				host: '127.0.0.1',
				path,
				agent,
				method: body ? 'POST' : 'GET',
				headers: { Host: 'localhost:8000', ...headers },
			},
			(response) => {
				let text = '';
				let firstMs;
				response.on('data', (chunk) => {
					firstMs ??= performance.now() - started;
					text += chunk;
				});
				response.on('end', () =>
					resolve({ status: response.statusCode, text, ms: performance.now() - started, firstMs }),
				);
			},
		);
		request.on('error', reject);
		request.end(body);
	});
}

const quantile = (values, q) =>
	values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * q))];

async function load(port, headers, parallel, seconds) {
	const agent = new http.Agent({ keepAlive: true, maxSockets: parallel });
	const times = [];
	const end = performance.now() + seconds * 1000;
	await Promise.all(
		Array.from({ length: parallel }, async () => {
			while (performance.now() < end) {
				const { status, ms } = await call(port, '/x', headers, agent);
				if (status !== 200) throw new Error(`status ${status}`);
				times.push(ms);
			}
		}),
	);
	agent.destroy();
	return {
		perSecond: Math.round(times.length / seconds),
		p50: quantile(times, 0.5).toFixed(2),
		p99: quantile(times, 0.99).toFixed(2),
	};
}

async function main() {
	const at = process.argv.indexOf('--seconds');
	const seconds = at < 0 ? 4 : Number(process.argv[at + 1]);
	const folder = mkdtempSync(join(tmpdir(), 'nearglot-bench-'));
	const app = child(['app']);
	const appPort = await message(app);
	const base = `http://127.0.0.1:${appPort}`;
	writeFileSync(
		join(folder, 'auth.json'),
		JSON.stringify({
			identityProviders: {
				customOpenIdConnectProviders: {
					corp: {
						registration: {
							clientId: 'client',
							openIdConnectConfiguration: {
								issuer: base,
								authorizationEndpoint: `${base}/a`,
								tokenEndpoint: `${base}/t`,
								certificationUri: `${base}/jwks`,
							},
						},
					},
				},
			},
			'x-gateway': {
				publicUrl: 'http://localhost:8000',
				failuresPerMinute: 100000,
				store: { path: 'sessions.db' },
			},
		}),
	);
	const flags = ['--disable-warning=ExperimentalWarning', '--expose-gc'];
	const gateway = child(
		['gateway', '--config', join(folder, 'auth.json'), '--upstream', base, '--port', '0', '--json'],
		{ execArgv: flags },
	);
	const port = Number(new URL((await message(gateway)).url).port);
	const memory = async () => {
		const answer = message(gateway);
		gateway.send('memory');
		return answer;
	};
	try {
		const signIn = async (sub) => {
			const token = (await call(appPort, `/mint?sub=${sub}`, {})).text;
			const answer = await call(
				port,
				'/.auth/login/corp',
				{ 'Content-Type': 'application/json' },
				undefined,
				JSON.stringify({ id_token: token }),
			);
			return JSON.parse(answer.text).authenticationToken;
		};
		const headers = { 'X-ZUMO-AUTH': await signIn('bench') };
		await load(port, headers, 8, 1);
		await load(appPort, {}, 8, 1);
		for (const parallel of [1, 16]) {
			console.log(
				`${parallel} at once   direct ${JSON.stringify(await load(appPort, {}, parallel, seconds))}   gateway ${JSON.stringify(await load(port, headers, parallel, seconds))}`,
			);
		}
		const first = { direct: [], gateway: [] };
		for (let round = 0; round < 100; round++) {
			first.direct.push((await call(appPort, '/stream', {})).firstMs);
			first.gateway.push((await call(port, '/stream', headers)).firstMs);
		}
		console.log(
			`first byte of a stream, ms   direct p50 ${quantile(first.direct, 0.5).toFixed(2)} p99 ${quantile(first.direct, 0.99).toFixed(2)}   gateway p50 ${quantile(first.gateway, 0.5).toFixed(2)} p99 ${quantile(first.gateway, 0.99).toFixed(2)}`,
		);
		const before = await memory();
		for (let index = 0; index < 3000; index++) await signIn(`u${index}`);
		const after = await memory();
		const size = ['', '-wal'].reduce(
			(sum, end) =>
				sum + (statSync(join(folder, `sessions.db${end}`), { throwIfNoEntry: false })?.size ?? 0),
			0,
		);
		console.log(
			`per 1,000 sessions   heap ${((after.heap - before.heap) / 3e6).toFixed(2)} MB   resident ${((after.rss - before.rss) / 3e6).toFixed(2)} MB   store ${(size / 3e6).toFixed(2)} MB (resident in all ${(after.rss / 1e6).toFixed(0)} MB)`,
		);
	} finally {
		app.kill();
		gateway.kill();
		rmSync(folder, { recursive: true, force: true });
	}
}

if (process.argv[2] === 'app') runApp();
else if (process.argv[2] === 'gateway') await runGateway();
else await main();
