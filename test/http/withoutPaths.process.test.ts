import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answerFor, errorFor, withoutPaths } from '../../server/http/withoutPaths.ts';
import { AppError } from '../../server/protocol/index.ts';
import { startTestServer } from '../support/testServer.ts';

test('folders go and names of files stay, in whatever form a sentence has them', () => {
	for (const [before, after] of [
		[
			'The graph /srv/models/qwen/model.onnx cannot be opened.',
			'The graph …/model.onnx cannot be opened.',
		],
		["Cannot read '/home/John Doe/my models/a b.json'.", "Cannot read '…/a b.json'."],
		['No /home/John Doe/models/x.onnx here.', 'No …/x.onnx here.'],
		['See C:\\Users\\alice\\models\\x.onnx, please.', 'See …/x.onnx, please.'],
		['See \\\\server\\share\\x\\y.wav.', 'See …/y.wav.'],
		['ENOENT: no such file, open "/var/lib/n/x"', 'ENOENT: no such file, open "…/x"'],
		['The home is /home/alice.', 'The home is ….'],
		['(/models/qwen/model.onnx)', '(…/model.onnx)'],
		['path=/srv/a/b/c:12', 'path=…/c:12'],
		['file:///srv/models/x/y.onnx failed', '…/y.onnx failed'],
	] as const)
		assert.equal(withoutPaths(before), after);
});

test('addresses of the server, languages, shares and times are no folders', () => {
	for (const text of [
		'There is no route POST /v1/models.',
		'Ask /v1/chat/completions, or /models/load/phi-4/x.',
		'Use de/fr and 3/4 of it, or and/or.',
		'https://huggingface.example/a/b/c is not reachable.',
		'Send Authorization: Bearer KEY.',
		'owner/name is no model.',
		'Everything below /nearglot/* is closed.',
	])
		assert.equal(withoutPaths(text), text);
});

test('who owns the machine reads where things lie, everybody else does not', async () => {
	const error = new AppError('unsupported_model', 'Cannot open /srv/models/qwen/model.onnx.', {
		param: 'model',
		retryAfterS: 3,
	});
	const answer = () =>
		Response.json({ error: { message: error.message } }, { status: 500, headers: { 'x-a': 'b' } });
	for (const caller of ['owner', 'studio', 'local'] as const) {
		assert.equal(errorFor(caller, error), error);
		assert.match(await (await answerFor(caller, answer(), '/v1/x')).text(), /srv/);
	}
	for (const caller of ['member', 'anonymous', 'stranger', undefined] as const) {
		const told = errorFor(caller, error);
		assert.equal(told.message, 'Cannot open …/model.onnx.');
		assert.deepEqual([told.code, told.param, told.retryAfterS], [error.code, 'model', 3]);
		const changed = await answerFor(caller, answer(), '/v1/x');
		assert.deepEqual(
			[changed.status, changed.headers.get('x-a'), await changed.json()],
			[500, 'b', { error: { message: 'Cannot open …/model.onnx.' } }],
		);
		// Answers that are none of errors hold what a person asked for.
		const good = Response.json({ text: '/srv/models/qwen/model.onnx' });
		assert.equal(await answerFor(caller, good, '/v1/x'), good);
	}
});

test('an address that somebody asked for stands in the answer as it was typed, and no other folder does', async () => {
	const asked = '/srv/models/qwen';
	const error = {
		message: `There is no route GET ${asked}. See ${asked}/x.onnx and /srv/other/y.`,
	};
	const answer = await answerFor('member', Response.json({ error }, { status: 404 }), asked);
	assert.deepEqual(await answer.json(), {
		error: { message: `There is no route GET ${asked}. See …/x.onnx and …/y.` },
	});
	const server = await startTestServer({ fakeRunner: true });
	try {
		for (const path of ['/nosuch', '/no/such/route', '/v1/chat', '/home/alice']) {
			const response = await fetch(server.url + path, { headers: server.member() });
			const { error: told } = (await response.json()) as { error: { message: string } };
			assert.equal(told.message, `There is no route GET ${path}.`);
		}
	} finally {
		await server.close();
	}
});
