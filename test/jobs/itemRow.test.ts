/** Lines of a batch's file as requests. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bodyText, readItem } from '../../server/jobs/itemRow.ts';
import { AppError } from '../../server/protocol/index.ts';

const line = (content: string) =>
	`{"custom_id":"a","url":"/v1/embeddings","body":{"model":"m","input":"${content}"}}`;
const read = (bytes: Buffer) => readItem(bytes, '/v1/embeddings', false).call;

test('a line that is not UTF-8, or has half of a surrogate pair, is a row of its own and not other letters', () => {
	for (const bytes of [
		Buffer.from(line('caf\xe9'), 'latin1'),
		Buffer.from(line('\\ud83d')),
		Buffer.from(line('a').replace('input', '\\udc00')),
	]) {
		const call = read(bytes);
		assert.ok(call instanceof AppError && call.code === 'invalid_json');
	}
	for (const content of ['café \u{1f600}', '\\ud83d\\ude00', 'C:\\\\ud83d'])
		assert.ok(!(read(Buffer.from(`\u{feff}${line(content)}`)) instanceof AppError), content);
});

test('a body that is nested too deeply to be sent is refused as such', () => {
	const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
	const call = read(Buffer.from(`{"custom_id":"a","url":"/v1/embeddings","body":${deep}}`));
	assert.ok(!(call instanceof AppError));
	assert.throws(() => bodyText(call.body), { code: 'invalid_json' });
	assert.equal(bodyText({ input: ['a'] }), '{"input":["a"]}');
});

test('what is answered in pieces or later is refused, however it is written', () => {
	const asked = (endpoint: '/v1/responses' | '/v1/audio/transcriptions', body: object) =>
		readItem(Buffer.from(JSON.stringify({ custom_id: 'a', url: endpoint, body })), endpoint, false)
			.call;
	const refused: readonly [string, unknown][] = [
		...[true, 'true', 'True', '1', 1].map((value): [string, unknown] => ['stream', value]),
		['background', true],
	];
	for (const [name, value] of refused) {
		const call = asked('/v1/audio/transcriptions', { file: 'file-1', [name]: value });
		assert.ok(call instanceof AppError && call.param === `body.${name}`, `${name} ${value}`);
	}
	for (const value of [false, 'false', '0', null, undefined])
		assert.ok(!(asked('/v1/responses', { stream: value, background: value }) instanceof AppError));
});
