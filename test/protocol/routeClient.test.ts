/** What the typed client sends. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { errorOfResponse } from '../../server/protocol/errorBody.ts';
import {
	loadModel,
	sendSamples,
	transcriptions,
	translate,
} from '../../server/protocol/routeAddresses.ts';
import { Client } from '../../server/protocol/routeClient.ts';

test('queries, paths and bodies of every kind are sent as the routes read them', async () => {
	const sent: unknown[] = [];
	const client = new Client(async (path, { method, headers, body }) => {
		sent.push([method, path, new Headers(headers).get('content-type'), body]);
		return new Response(null, { status: 204 });
	});
	const query = { to: ['de', 'fr'], from: undefined };
	await client.call(translate, { query, body: [{ Text: 'a' }] });
	await client.call(loadModel, { params: { name: 'a/b c' } });
	const samples = new Uint8Array(2);
	await client.call(sendSamples, { headers: { 'x-recorder-token': 't' }, body: samples });
	const form = new FormData();
	await client.call(transcriptions, { body: form });
	assert.deepEqual(sent, [
		['POST', '/translate?to=de&to=fr', 'application/json', '[{"Text":"a"}]'],
		['GET', '/models/load/a%2Fb%20c', null, undefined],
		['POST', '/recorder/audio', 'application/octet-stream', samples],
		['POST', '/v1/audio/transcriptions', null, form],
	]);
});

test('the detail of a problem document is the sentence of its error', async () => {
	const problem = Response.json({ title: 'Forbidden', detail: 'Ask the owner.' }, { status: 403 });
	const { code, message } = await errorOfResponse(problem);
	assert.deepEqual([code, message], ['forbidden', 'Ask the owner.']);
});

test('a text that was cut within a character is sent without the half of it', async () => {
	const sent: string[] = [];
	const client = new Client(async (_path, { body }) => {
		sent.push(String(body));
		return new Response(null, { status: 204 });
	});
	const [emoji, backslashes] = ['\u{1f600}', String.raw`C:\ud83d \\udc00 \\\ud83d`];
	for (const text of [
		...[`${emoji}${emoji.slice(0, 1)}`, `${emoji.slice(1)}${emoji}`, emoji.slice(0, 1).repeat(2)],
		...[backslashes, `${backslashes}${emoji.slice(0, 1)}`, `\\${emoji.slice(1)}`],
	]) {
		await client.call(translate, { body: [{ Text: text }] });
		const [item] = JSON.parse(sent.at(-1) ?? '') as [{ readonly Text: string }];
		assert.equal(item.Text, text.toWellFormed());
		assert.ok(item.Text.isWellFormed());
	}
});
