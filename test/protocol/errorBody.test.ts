import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
	type AppError,
	errorOfBody,
	errorOfResponse,
	retryAfterOf,
} from '../../server/protocol/index.ts';

const answer = (status: number, body: string, headers: Record<string, string> = {}) =>
	new Response(body, { status, headers });

const refusal = (code: number | string) =>
	JSON.stringify({ error: { code, message: `About ${code}.` } });

test('the numeric codes of the translate interface keep their meaning and their time to wait', async () => {
	const cases: readonly (readonly [number, string, string | undefined])[] = [
		[429001, 'rate_limited', '17'],
		[408001, 'model_loading', '30'],
		[408001, 'model_not_found', undefined],
		[400036, 'invalid_request', undefined],
		[400050, 'context_length_exceeded', undefined],
		[400074, 'invalid_json', undefined],
		[401000, 'invalid_api_key', undefined],
		[403001, 'forbidden', undefined],
		[503000, 'overloaded', '1'],
		[503000, 'runner_crashed', undefined],
	];
	for (const asText of [false, true]) {
		for (const [code, expected, wait] of cases) {
			const headers = wait === undefined ? {} : { 'retry-after': wait };
			const error: AppError = await errorOfResponse(
				answer(Math.floor(code / 1000), refusal(asText ? String(code) : code), headers),
			);
			const status = `${code} ${error.code}`;
			assert.equal(error.code, expected, status);
			assert.equal(error.message, `About ${code}.`);
			assert.equal(error.retryAfterS, wait === undefined ? undefined : Number(wait), status);
			assert.equal(error.data?.['translatorCode'], code);
		}
	}
});

test('errors of the other routes keep their code, parameter and time to wait', async () => {
	const body = JSON.stringify({ error: { message: 'Full.', code: 'overloaded', param: 'model' } });
	const error = await errorOfResponse(answer(503, body, { 'retry-after': '5' }));
	assert.equal(error.code, 'overloaded');
	assert.equal(error.param, 'model');
	assert.equal(error.retryAfterS, 5);
});

test('what published clients look for in a message is not shown to people', () => {
	const message =
		"No OpenAIService provider found for modelName:a. b. There is no model 'a. b' on this machine: x.";
	const read = errorOfBody({ error: { message, code: 'model_not_found' } }, 404);
	assert.equal(read?.message, "There is no model 'a. b' on this machine: x.");
});

test('what is no error body is quoted, and odd waits count as none', async () => {
	const error = await errorOfResponse(answer(502, '<html>Bad gateway</html>'));
	assert.equal(error.code, 'upstream_failed');
	assert.match(error.message, /502: <html>Bad gateway/);
	assert.equal(errorOfBody({ error: 'text' }, 400), undefined);
	for (const odd of ['', 'soon', '-1', 'Wed, 21 Oct 2015 07:28:00 GMT'])
		assert.equal(retryAfterOf(new Headers({ 'retry-after': odd })), undefined, odd);
});
