/** Ten thousand made-up request heads: the app sees no request that is not allowed and no forged header. */

import assert from 'node:assert/strict';
import { connect, type Socket } from 'node:net';
import { test } from 'node:test';
import { Harness } from './support/harness.ts';

const rounds = 10_000;
const parallel = 32;
/**
 * A sound request behind every head: what the head does not take as its body is answered, so that no
 * round has to wait for a silence to know that it is over.
 */
const after = Buffer.from('GET /.auth/healthz HTTP/1.1\r\nHost: app.example\r\n\r\n');
const afterAnswer = '{"status":"ok"';

/** Small repeatable generator (mulberry32). */
function createRandom(seed: number): () => number {
	let state = seed;
	return () => {
		state = (state + 0x6d2b79f5) | 0;
		let t = Math.imul(state ^ (state >>> 15), 1 | state);
		t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
		return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
	};
}

const separators = ['-', '_', '.', '~', '--', '+', '!', ' ', '\t', '*', "'", '%2d', ''];
const stems = [
	'x ms client principal',
	'x ms client principal name',
	'x ms client principal id',
	'x ms client principal idp',
	'x ms token corp access token',
	'x zumo auth',
	'http x ms client principal name',
	'x ms client assertion',
];
const paths = [
	'/health',
	'/public/a',
	'/private',
	'/',
	'/.auth/me',
	'/app/x',
	'/openai/unloadall',
	'/healthz',
	'/public',
];
const joints = [
	'/',
	'//',
	'/../',
	'/..',
	'/%2e%2e/',
	'/..%2f',
	'/./',
	'\\',
	'%5c',
	';',
	'#',
	'?',
	'%00',
	'%0d%0a',
	'/..;/',
	'%252e%252e/',
	'%2f',
	'',
	' ',
	'\t',
	'/%ef%bc%8e%ef%bc%8e/',
	'@',
	':',
];
const methods = [
	'GET',
	'GET',
	'GET',
	'POST',
	'HEAD',
	'PUT',
	'DELETE',
	'OPTIONS',
	'PATCH',
	'TRACE',
	'CONNECT',
	'get',
	'FOO',
	'M-SEARCH',
	'PROPFIND',
];
const oddLines = [
	'Transfer-Encoding: chunked',
	'Transfer-Encoding: xchunked',
	'Transfer-Encoding : chunked',
	'Transfer-Encoding: chunked, identity',
	'Content-Length: 0',
	'Content-Length: 5',
	'Content-Length: +5',
	'Content-Length: 5, 5',
	'Host: evil',
	'Connection: upgrade, x-ms-client-principal-id',
	'Connection: keep-alive, cookie',
	'Upgrade: websocket',
	'Upgrade: h2c',
	'X-Original-URL: /health',
	'X-Forwarded-Host: evil',
	'X-Forwarded-Proto: https',
	'Forwarded: for=1.2.3.4;host=evil',
	'Expect: 100-continue',
	'Origin: https://evil',
	'Sec-Fetch-Site: cross-site',
	'Accept: text/html',
	'Authorization: Bearer a.b.c',
	' folded',
	'X-Bad\0: 1',
	'X-Bare: a\rb',
	'Trailer: X-MS-CLIENT-PRINCIPAL',
	'TE: trailers',
	'HTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA',
	': empty',
	'NoColon',
];
const ends = ['\r\n', '\r\n', '\r\n', '\r\n', '\r\n', '\n', '\r'];

function makeHead(
	index: number,
	cookie: string,
	random: () => number,
): { bytes: Buffer; signedIn: boolean } {
	const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!;
	const target =
		random() < 0.3
			? pick(paths)
			: pick(paths) +
				pick(joints) +
				pick([...paths, 'private', 'health', '.auth/me', '']).slice(random() < 0.5 ? 1 : 0);
	const lines = [
		`${pick(methods)} ${random() < 0.03 ? 'http://evil' : ''}${target} HTTP/${random() < 0.97 ? '1.1' : pick(['1.0', '2.0', '0.9', '1.2'])}`,
		`Host: ${random() < 0.95 ? 'app.example' : pick(['evil', '', 'app.example, evil', 'app.example:80'])}`,
	];
	for (let count = Math.floor(random() * 4); count > 0; count--) {
		const name = pick(stems).split(' ').join(pick(separators));
		lines.push(`${random() < 0.5 ? name : name.toUpperCase()}${random() < 0.05 ? ' ' : ''}: evil`);
	}
	for (let count = Math.floor(random() * 3); count > 0; count--) lines.push(pick(oddLines));
	const kind = random();
	const signedIn = kind < 0.3;
	if (signedIn)
		lines.push(`Cookie: ${pick(['', 'a=b; ', 'AppServiceAuthSession2=evil; '])}${cookie}`);
	else if (kind < 0.5) lines.push(`Cookie: ${cookie.slice(0, -Math.ceil(random() * 20) - 2)}`);
	else if (kind < 0.6) lines.push(`X-ZUMO-AUTH: ${cookie.split('=')[1]!}`);
	lines.splice(1 + Math.floor(random() * lines.length), 0, `X-Fuzz: ${index}`);
	const end = random() < 0.9 ? '\r\n' : pick(ends);
	const body =
		random() < 0.3
			? 'GET /smuggled HTTP/1.1\r\nHost: app.example\r\nX-Fuzz: smuggled\r\n\r\n'
			: random() < 0.3
				? '0\r\n\r\n'
				: '';
	const text = Buffer.from(`${lines.join(end)}${end}${end}${body}`, 'latin1');
	// Now and then a byte that does not belong there.
	if (random() < 0.15) text[Math.floor(random() * text.length)] = Math.floor(random() * 256);
	return { bytes: text, signedIn };
}

/** Sends heads over one connection as long as it stays open, then over the next. */
class Line {
	readonly #port: number;
	#socket: Socket | undefined;

	constructor(port: number) {
		this.#port = port;
	}

	/** Answers to the bytes by the time the request behind them is answered or the connection ends. */
	send(bytes: Buffer): Promise<number> {
		const socket = this.#socket ?? connect(this.#port, '127.0.0.1');
		this.#socket = socket;
		let text = '';
		return new Promise((resolve) => {
			const finish = (keep: boolean) => {
				socket.removeAllListeners();
				socket.on('error', () => {});
				if (!keep) {
					socket.destroy();
					this.#socket = undefined;
				}
				resolve(text.split('HTTP/1.1 ').length - (keep ? 2 : 1));
			};
			socket.setTimeout(10_000, () => finish(false));
			socket.on('error', () => {});
			socket.on('close', () => finish(false));
			socket.on('data', (chunk: Buffer) => {
				text += chunk.toString('latin1');
				if (text.includes('HTTP/1.1 101')) finish(false);
				else if (text.includes(afterAnswer)) finish(true);
			});
			socket.write(Buffer.concat([bytes, after]));
		});
	}

	end(): void {
		this.#socket?.destroy();
	}
}

test(`${rounds} fuzzed request heads`, async () => {
	await using h = await Harness.start({ config: { 'x-gateway': { failuresPerMinute: 100_000 } } });
	const cookie = await h.signIn();
	const random = createRandom(20_260_101);
	const cases = Array.from({ length: rounds }, (_, index) => makeHead(index, cookie, random));
	h.app.handler = (request, response) => {
		request.resume();
		response.end('ok');
	};
	let next = 0;
	let answered = 0;
	const worker = async () => {
		const line = new Line(h.gateway.port);
		for (let index = next++; index < rounds; index = next++) {
			if ((await line.send(cases[index]!.bytes)) > 0) answered++;
		}
		line.end();
	};
	await Promise.all(Array.from({ length: parallel }, worker));
	assert.ok(answered > rounds / 2, `${answered} answers`);
	assert.ok(h.app.seen.length > rounds / 50, `only ${h.app.seen.length} requests came through`);
	let signedIn = 0;
	for (const seen of h.app.seen) {
		const where = `${seen.method} ${seen.url} ${JSON.stringify(seen.rawHeaders)}`;
		assert.notEqual(seen.url, '/smuggled', where);
		const identity: [string, string][] = [];
		for (let at = 0; at < seen.rawHeaders.length; at += 2) {
			const name = seen.rawHeaders[at]!.toLowerCase().replace(/[^a-z0-9]+/g, '-');
			if (/^-?(?:http-)?(?:x-ms-(?:client-(?:principal|assertion)|token-)|x-zumo-auth)/.test(name))
				identity.push([seen.rawHeaders[at]!, seen.rawHeaders[at + 1]!]);
		}
		assert.ok(!identity.some(([, value]) => value.includes('evil')), where);
		assert.ok(
			!seen.values('cookie').some((value) => value.includes('AppServiceAuthSession')),
			where,
		);
		const [path] = seen.url.split('?');
		const open = path === '/health' || path!.startsWith('/public/');
		if (identity.length === 0) assert.ok(open, `unauthenticated: ${where}`);
		else {
			signedIn++;
			assert.deepEqual(seen.values('x-ms-client-principal-id'), ['alice'], where);
			const ids = seen.values('x-fuzz').map(Number);
			assert.ok(
				ids.every((id) => Number.isNaN(id) || cases[id]?.signedIn !== false),
				where,
			);
		}
		assert.ok(
			!/(?:^|\/)\.\.?(?:\/|$)/.test(decodeURIComponent(path!.replace(/%(?![0-9a-f]{2})/gi, '%25'))),
			where,
		);
	}
	assert.ok(signedIn > 50, `${signedIn} signed-in requests`);
	assert.equal(h.gateway.metrics.value('nearglot_gateway_identity_missing_total'), 0);
	assert.equal((await h.get('/health')).status, 200);
});
