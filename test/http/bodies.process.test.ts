/** Bodies: who may use a route is decided before more than a little is read, and no route takes all there is. */

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createApp } from '../../server/http/app.ts';
import { mayCall } from '../../server/http/callerRoles.ts';
import { unadmittedBytes } from '../../server/protocol/routes/bodyLimits.ts';
import { startTestServer, type TestServer } from '../support/testServer.ts';
import { allRoutes, pathOf } from './allRoutes.ts';

let server: TestServer;
before(async () => {
	server = await startTestServer({ fakeRunner: true });
});
after(() => server.close());

const form = 'application/x-www-form-urlencoded';
const json = 'application/json';
/** What a reader may have fetched beyond its limit: the piece that shows the excess, and one that waits. */
const pieceBytes = 64 * 1024;

/** Asks the server as somebody it does not know; the body goes on for as long as somebody reads it. */
async function askAsStranger(path: string, type: string, headers: Record<string, string> = {}) {
	const app = createApp(server.backend, {
		key: 'k',
		requireKey: true,
		allowedOrigins: [],
		allowedHosts: [],
		port: () => undefined,
	});
	let sent = 0;
	const piece = new Uint8Array(pieceBytes).fill(0x20);
	const body = new ReadableStream<Uint8Array>(
		{
			pull: (controller) => {
				sent += piece.length;
				controller.enqueue(piece);
				if (sent >= 64 * unadmittedBytes) controller.close();
			},
		},
		{ highWaterMark: 0 },
	);
	const init = { method: 'POST', body, duplex: 'half' } as RequestInit;
	const response = await app.request(`http://127.0.0.1${path}`, {
		...init,
		headers: { host: '127.0.0.1', 'content-type': type, ...headers },
	});
	return { status: response.status, text: await response.text(), sent };
}

test('hardly anything of a body is read for callers of whom it is not decided that they may', async () => {
	const routes = allRoutes(server.backend).filter(({ method }) => method !== 'GET');
	const open = routes.filter(({ method, path }) => mayCall('stranger', `${method} ${path}`));
	assert.ok(open.length > 20 && open.length < routes.length);
	for (const route of routes)
		for (const type of [
			json,
			form,
			'application/octet-stream',
			'multipart/form-data; boundary=x',
		]) {
			const what = `${route.path} ${type}`;
			const { status, sent } = await askAsStranger(pathOf(route), type);
			assert.ok(status >= 400 && status < 500, `${what}: ${status}`);
			assert.ok(sent <= unadmittedBytes + 2 * pieceBytes, `${what}: ${sent} bytes were read`);
		}
});

test('a key outside the body lets the whole body in, and who shows none is told where to send it', async () => {
	for (const type of [json, form]) {
		const path = '/libretranslate/detect';
		const without = await askAsStranger(path, type);
		assert.equal(without.status, 413);
		assert.match(without.text, /send the key there/);
		const { sent } = await askAsStranger(path, type, { 'ocp-apim-subscription-key': 'k' });
		assert.ok(sent > 4 * 1024 * 1024, `${sent} bytes`);
	}
});

test('a form with more fields than anybody sends is refused, whoever sends it', async () => {
	const fields = Array.from({ length: 390_000 }, (_, at) => `${at}=1`).join('&');
	const response = await server.post('/libretranslate/detect', fields, {
		headers: { 'content-type': form },
	});
	assert.equal(response.status, 400);
	assert.match(await response.text(), /more than 100 fields/);
	const few = await server.post('/libretranslate/detect', 'q=Where+are+the+words&x=1&q=Wo+sind', {
		headers: { 'content-type': form },
	});
	assert.equal(few.status, 200);
});

/** Routes that have answered a JSON body with something else than what is expected of all of them. */
async function otherAnswers(
	body: string | Uint8Array<ArrayBuffer>,
	expected: RegExp,
	type = json,
): Promise<string[]> {
	const all = allRoutes(server.backend).filter(({ method }) => method !== 'GET');
	// The translate interface has the same routes below several paths.
	const once = new Map(all.map((route) => [route.path.split('/').slice(-2).join('/'), route]));
	const others: string[] = [];
	for (const route of once.values()) {
		if (otherBody.test(route.path)) continue;
		// What is kept is deleted by its address alone.
		if (route.method === 'DELETE' && /\/(?:responses|conversations|batches)\b/.test(route.path))
			continue;
		const version = route.path.includes('/document/') ? '2024-05-01' : '3.0';
		const path = `${pathOf(route)}?api-version=${version}`;
		const response = await fetch(server.url + path, {
			method: route.method === 'ALL' ? 'POST' : route.method,
			headers: {
				...{ ...server.keyed, 'content-type': type },
				accept: 'application/json, text/event-stream',
			},
			body,
		});
		const answer = `${response.status} ${await response.text()}`;
		if (!expected.test(answer))
			others.push(`${route.method} ${route.path}: ${answer.slice(0, 200)}`);
	}
	return others;
}

test('no route takes a body of very many fields', async () => {
	const body = JSON.stringify(
		Object.fromEntries(Array.from({ length: 41_000 }, (_, at) => [at * 7, 0])),
	);
	assert.deepEqual(await otherAnswers(body, /^400 .*more than \d+ (?:fields|values)/), []);
});

test('no route takes JSON that is not UTF-8, has half of a surrogate pair, or says another charset', async () => {
	const notJson = /^400 .*(?:not valid JSON|incorrect format or is invalid|JSON)/;
	assert.deepEqual(await otherAnswers(Buffer.from('{"model":"caf\xe9"}', 'latin1'), notJson), []);
	assert.deepEqual(await otherAnswers('{"model":["\\ud83d"]}', notJson), []);
	assert.deepEqual(await otherAnswers('{"a\\udc00":1}', notJson), []);
	const utf16 = new Uint8Array(Buffer.from('{"model":"m"}', 'utf16le'));
	assert.deepEqual(await otherAnswers(utf16, /^415 /, `${json}; charset=utf-16`), []);
	const answer = await server.post('/v1/chat/completions', '{}', {
		headers: { 'content-type': `${json}; charset="ISO-8859-1"` },
	});
	assert.match(await answer.text(), /read as UTF-8 here.*charset=ISO-8859-1.*as UTF-8/);
});

test('whole characters are taken however they are written, and so is a backslash before a u', async () => {
	for (const text of ['"\\ud83d\\ude00"', '"\u{1f600}"', '"C:\\\\ud83d"'])
		for (const type of [json, `${json}; charset=UTF-8`, `${json};charset="utf-8"`]) {
			const body = `{"model":"starter-chat","max_tokens":2,"messages":[{"role":"user","content":${text}}]}`;
			const answer = await server.post('/v1/chat/completions', body, {
				headers: { 'content-type': type },
			});
			assert.equal(answer.status, 200, `${text} ${type}: ${await answer.text()}`);
		}
});

/** As browsers say where a request comes from, and what else tells them from programs. */
const browsers: readonly Record<string, string>[] = [
	{ 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64)' },
	{ origin: 'null' },
	{ referer: 'http://page.example/' },
	{ 'sec-fetch-site': 'cross-site' },
];

test('JSON that says no type, or what curl and fetch say for it, is read from programs and not from pages elsewhere', async () => {
	const messages = [{ role: 'user', content: 'Hi' }];
	const asked = [
		['/v1/chat/completions', { messages }],
		['/v1/completions', { prompt: 'Hi' }],
		['/v1/responses', { input: 'Hi' }],
		['/v1/messages', { messages, max_tokens: 4 }],
		['/api/chat', { messages, stream: false }],
		['/api/generate', { prompt: 'Hi', stream: false }],
	] as const;
	for (const [path, fields] of asked)
		for (const type of ['text/plain;charset=UTF-8', 'text/plain', form]) {
			const ask = async (headers: Record<string, string>) => {
				const init = { headers: { 'content-type': type, ...headers } };
				const answer = await server.post(path, { model: 'starter-chat', ...fields }, init);
				return `${answer.status} ${await answer.text()}`;
			};
			assert.match(await ask({}), /^200/, `${path} ${type}`);
			const fromHere = { 'sec-fetch-site': 'same-origin', origin: server.url };
			assert.match(await ask(fromHere), /^200/);
			for (const headers of browsers) assert.match(await ask(headers), /^40[03]/, path);
		}
	const utf16 = { headers: { 'content-type': 'text/plain; charset=utf-16' } };
	assert.equal((await server.post('/api/chat', '{}', utf16)).status, 415);
});

/** Reads no body, or none that is JSON, or only of whom it knows, or refuses whatever is sent. */
const otherBody =
	/audio|document(?::translate|\/formats)|moderations|api\/(?:create|push|blobs)|languages|issueToken|recorder\/state|nearglot\/(?:studio|shutdown|work\/end)$|refresh$|v1\/files|nearglot\/upstreams\/:name|:id\/(?:cancel|pause|resume|retry)$/;
