/** Attack rows 1 to 16: smuggled identity headers, on plain requests and on WebSocket upgrades. */

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { after, before, test } from 'node:test';
import { bothWays } from './support/bothWays.ts';
import { Harness } from './support/harness.ts';
import { exchangeBytes, parseAnswer } from './support/rawHttp.ts';

let h: Harness;
let open: Harness;
let cookie: string;

before(async () => {
	h = await Harness.start();
	open = await Harness.start({
		config: { globalValidation: { unauthenticatedClientAction: 'AllowAnonymous' } },
	});
	cookie = await h.signIn();
});
after(async () => {
	await h[Symbol.asyncDispose]();
	await open[Symbol.asyncDispose]();
});

/** Anything that could be taken for one of our headers, by any server that folds separators. */
function identityLines(raw: readonly string[]): [string, string][] {
	const pairs: [string, string][] = [];
	for (let at = 0; at < raw.length; at += 2) {
		const plain = raw[at]!.toLowerCase().replace(/[^a-z0-9]+/g, '-');
		if (/^(?:http-)?x-ms-(?:client-principal|token-)/.test(plain) || plain === 'x-zumo-auth')
			pairs.push([raw[at]!, raw[at + 1]!]);
	}
	return pairs;
}

const forgeries: readonly [string, string][] = [
	['row 1', 'X-MS-CLIENT-PRINCIPAL-NAME: evil'],
	['row 2', 'x_ms_client_principal_name: evil'],
	['row 3', 'X-Ms_Client-Principal: evil'],
	['row 4', 'X.MS.CLIENT.PRINCIPAL.NAME: evil'],
	['row 5', 'x-ms_client.principal~name: evil'],
	['row 6', 'X-MS-TOKEN-CORP-ACCESS-TOKEN: evil'],
	['row 7', 'X-MS-CLIENT-PRINCIPAL-ID: evil\r\nX-MS-CLIENT-PRINCIPAL-ID: evil2'],
];
for (const [row, line] of forgeries) {
	test(`${row} and 9: '${line.replace('\r\n', ' / ')}' is removed, plain and upgraded, anonymous and signed in`, async () => {
		for (const { way, answer, seen } of await bothWays(open, { target: '/x', headers: [line] })) {
			assert.equal(answer.status, way === 'plain' ? 200 : 101);
			assert.deepEqual(identityLines(seen!.rawHeaders), [], way);
		}
		for (const { way, seen } of await bothWays(h, {
			target: '/x',
			headers: [line, `Cookie: ${cookie}`],
		})) {
			const lines = identityLines(seen!.rawHeaders);
			assert.ok(!lines.some(([, value]) => value.includes('evil')), way);
			assert.equal(lines.filter(([name]) => name === 'X-MS-CLIENT-PRINCIPAL-NAME').length, 1, way);
		}
	});
}

test('row 8 and 9: naming our header in Connection does not keep it from the app', async () => {
	for (const extra of [
		'x-ms-client-principal-id',
		'X-MS-CLIENT-PRINCIPAL, x-ms-client-principal-name',
		'host, cookie, content-length',
	]) {
		for (const way of ['plain', 'upgrade']) {
			const connection = way === 'plain' ? `close, ${extra}` : `Upgrade, ${extra}`;
			const upgrade =
				way === 'plain'
					? ''
					: 'Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n';
			const bytes = `GET /x HTTP/1.1\r\nHost: app.example\r\nConnection: ${connection}\r\n${upgrade}Cookie: ${cookie}; other=1\r\n\r\n`;
			const count = h.app.seen.length;
			const socket = connect(h.gateway.port, '127.0.0.1', () => socket.write(bytes));
			await once(socket, 'data');
			socket.destroy();
			assert.equal(h.app.seen.length, count + 1, way);
			assert.deepEqual(h.app.last.values('x-ms-client-principal-id'), ['alice'], way);
			assert.deepEqual(h.app.last.values('cookie'), ['other=1'], way);
		}
	}
});

test('row 10: reserved names in trailers do not reach the app', async () => {
	let trailers: unknown;
	h.app.handler = (request, response) => {
		request.resume();
		request.on('end', () => {
			trailers = request.rawTrailers;
			response.end('ok');
		});
	};
	const bytes = `POST /x HTTP/1.1\r\nHost: app.example\r\nConnection: close\r\nCookie: ${cookie}\r\nTrailer: X-MS-CLIENT-PRINCIPAL-NAME\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\nX-MS-CLIENT-PRINCIPAL-NAME: evil\r\n\r\n`;
	assert.equal(parseAnswer(await exchangeBytes(h.gateway.port, bytes)).status, 200);
	h.app.handler = undefined;
	assert.deepEqual(trailers, []);
	assert.deepEqual(h.app.last.values('trailer'), []);
});

test('row 11: broken header syntax is 400 and never reaches the app', async () => {
	const heads = [
		'GET /x HTTP/1.1\r\nHost: app.example\r\nX-MS-CLIENT-PRINCIPAL-NAME : evil\r\n\r\n',
		'GET /x HTTP/1.1\r\nHost: app.example\r\nX-A: 1\r\n X-MS-CLIENT-PRINCIPAL-NAME: evil\r\n\r\n',
		'GET /x HTTP/1.1\nHost: app.example\nX-MS-CLIENT-PRINCIPAL-NAME: evil\n\n',
		'GET /x HTTP/1.1\r\nHost: app.example\r\nX-A: a\0b\r\n\r\n',
		'GET /x HTTP/1.1\r\nHost: app.example\r\nX-A: a\rX-MS-CLIENT-PRINCIPAL-NAME: evil\r\n\r\n',
	];
	for (const bytes of heads) {
		for (const upgrade of ['', 'Connection: Upgrade\r\nUpgrade: websocket\r\n']) {
			const before = open.app.seen.length;
			const answer = parseAnswer(
				await exchangeBytes(open.gateway.port, bytes.replace('X-', `${upgrade}X-`)),
			);
			assert.equal(answer.status, 400, JSON.stringify(bytes));
			assert.equal(open.app.seen.length, before);
		}
	}
});

test('rows 12 and 13: identity headers and our cookies in the answer of the app are dropped', async () => {
	h.app.handler = (_request, response) => {
		response.setHeader('X-MS-CLIENT-PRINCIPAL-NAME', 'evil');
		response.setHeader('x_ms_token_corp_id_token', 'evil');
		response.setHeader('Set-Cookie', [
			'AppServiceAuthSession=stolen',
			'appserviceauthsession1=x',
			'__Host-auth-n-3=x',
			'mine=1; Path=/',
			'two=2',
		]);
		response.end('ok');
	};
	const answer = await h.get('/x', [`Cookie: ${cookie}`]);
	h.app.handler = undefined;
	assert.deepEqual(identityLines(answer.headers.flat()), []);
	assert.deepEqual(answer.setCookies(), ['mine=1; Path=/', 'two=2']);
	const [, upgraded] = await bothWays(h, { target: '/x', headers: [`Cookie: ${cookie}`] });
	assert.equal(upgraded!.answer.status, 101);
	assert.deepEqual(identityLines(upgraded!.answer.headers.flat()), []);
});

test('row 14: session cookie, login cookies and session token are not forwarded', async () => {
	const token = await h.token();
	const headers = [
		`Cookie: a=1; ${cookie}; __Host-auth-n-2=zz; b="x y"`,
		`X-ZUMO-AUTH: ${token}`,
		`x_zumo_auth: ${token}`,
	];
	for (const { way, seen } of await bothWays(h, { target: '/x', headers })) {
		assert.deepEqual(seen!.values('cookie'), ['a=1; b="x y"'], way);
		assert.ok(!JSON.stringify(seen!.rawHeaders).includes(token), way);
	}
});

test('row 15: a name with line breaks or letters outside Latin-1 reaches the app encoded', async () => {
	await using own = await Harness.start();
	for (const name of ['日本 太郎', 'Zoë\r\nX-Evil: 1', 'a\u0000b', '👩‍💻', 'Ünal', ' spaced ']) {
		own.provider.claims = { sub: `s-${name.length}`, name };
		const signedIn = await own.signIn();
		for (const { way, answer, seen } of await bothWays(own, {
			target: '/x',
			headers: [`Cookie: ${signedIn}`],
		})) {
			assert.equal(answer.status, way === 'plain' ? 200 : 101);
			const [value] = seen!.values('x-ms-client-principal-name');
			assert.match(value!, /^UTF-8''[\x21-\x7e]+$/, way);
			assert.equal(decodeURIComponent(value!.slice("UTF-8''".length)), name);
			const json = JSON.parse(
				Buffer.from(seen!.values('x-ms-client-principal')[0]!, 'base64').toString(),
			) as { claims: { typ: string; val: string }[] };
			assert.ok(json.claims.some((claim) => claim.typ === 'name' && claim.val === name));
			assert.deepEqual(seen!.values('x-evil'), []);
		}
	}
});

test('row 16: 300 groups are left out of the header, said so, and never lead to 431 or 500', async () => {
	await using own = await Harness.start();
	const groups = Array.from(
		{ length: 300 },
		(_, index) => `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`,
	);
	own.provider.claims = { sub: 'g', email: 'g@corp.example', groups };
	const signedIn = await own.signIn();
	for (const { way, answer, seen } of await bothWays(own, {
		target: '/x',
		headers: [`Cookie: ${signedIn}`],
	})) {
		assert.equal(answer.status, way === 'plain' ? 200 : 101);
		const value = seen!.values('x-ms-client-principal')[0]!;
		assert.ok(value.length <= 8192);
		const json = JSON.parse(Buffer.from(value, 'base64').toString()) as {
			claims: { typ: string; val: string }[];
		};
		assert.ok(json.claims.some((claim) => claim.typ === 'groups_omitted'));
		assert.ok(json.claims.some((claim) => claim.val === 'g@corp.example'));
	}
	const me = (await own.get('/.auth/me', [`Cookie: ${signedIn}`])).json() as {
		user_claims: { typ: string }[];
	}[];
	assert.equal(me[0]!.user_claims.filter((claim) => claim.typ === 'groups').length, 300);
});
