/** openapi.json and the parser of the audio routes say the same. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openApi } from '../../server/http/openapi.ts';
import { routes } from '../../server/protocol/routes/routes.ts';
import { parseSpeechCall } from '../../server/services/speech/speechRequest.ts';

interface Operation {
	readonly requestBody: { readonly content: Record<string, { readonly schema: object }> };
	readonly responses: Record<string, { readonly content: Record<string, unknown> }>;
	readonly parameters?: readonly { readonly name: string }[];
}

const paths = ['/v1/audio/transcriptions', '/v1/audio/translations', '/recorder/audio'];
const document = openApi(routes, '1') as { paths: Record<string, { post: Operation }> };

test('both audio routes are described with their form and every kind of answer', () => {
	for (const path of paths.slice(0, 2)) {
		const { post } = document.paths[path] as { post: Operation };
		assert.deepEqual(formOf(post).required, ['file', 'model']);
		assert.deepEqual(formOf(post).properties['seed'], {
			...{ type: 'integer', minimum: 0, maximum: 2 ** 32 - 1 },
		});
		assert.deepEqual(Object.keys(post.responses['200']?.content ?? {}), [
			'application/json',
			'text/plain',
			'text/vtt',
			'text/event-stream',
		]);
	}
	const { post } = document.paths['/recorder/audio'] as { post: Operation };
	assert.deepEqual(
		post.parameters?.map(({ name }) => name),
		['rate', 'from'],
	);
});

interface Form {
	readonly required: readonly string[];
	readonly properties: Readonly<Record<string, object>>;
}
const formOf = ({ requestBody }: Operation) =>
	requestBody.content['multipart/form-data']?.schema as Form;

const examples: Readonly<Record<string, string>> = {
	language: 'de',
	prompt: 'Nearglot',
	temperature: '0.5',
	seed: '3',
	response_format: 'verbose_json',
	timestamp_granularities: 'word',
	stream: 'true',
	speakers: 'true',
	include: 'logprobs',
	condition_on_previous_text: 'false',
};

test('every described field changes what is asked, and what is not described is named as ignored', () => {
	const plain = parseSpeechCall({ model: ['a'] }, 'transcribe');
	const { post } = document.paths['/v1/audio/translations'] as { post: Operation };
	const described = Object.keys(formOf(post).properties).map((name) => name.replace('[]', ''));
	assert.deepEqual(
		described.filter((name) => name !== 'file' && name !== 'model').sort(),
		Object.keys(examples).sort(),
	);
	for (const [name, value] of Object.entries(examples)) {
		const fields = { model: ['a'], response_format: ['verbose_json'], [name]: [value] };
		const call = parseSpeechCall(fields, 'transcribe');
		assert.notDeepEqual(
			{ ...call, format: name === 'response_format' ? call.format : 'json' },
			plain,
		);
		assert.deepEqual(call.ignored, []);
	}
	const odd = parseSpeechCall({ model: ['a'], hotwords: ['x'] }, 'transcribe');
	assert.deepEqual(odd.ignored, ['hotwords']);
});

const refusals: readonly [Readonly<Record<string, readonly string[]>>, string, RegExp][] = [
	[{ model: [''] }, 'model', /^'model' is missing\.$/],
	[{ model: ['a', 'b'] }, 'model', /^'model' was sent 2 times; send it once\.$/],
	[{ temperature: ['warm'] }, 'temperature', /must be a number from 0 to 1, but it is 'warm'\.$/],
	[{ seed: ['1.5'] }, 'seed', /must be an integer from 0 to 4294967295, but it is '1\.5'\.$/],
	[{ stream: ['yes'] }, 'stream', /must be true or false, but it is 'yes'\.$/],
	[
		{ response_format: ['xml'] },
		'response_format',
		/one of 'json', .*'diarized_json', but it is 'xml'\.$/,
	],
	[{ include: ['logprobs', 'all'] }, 'include', /one of 'logprobs', 'progress', but it is 'all'/],
	[{ include: ['progress'] }, 'include', /^'include' needs stream=true for progress\.$/],
	[
		{ timestamp_granularities: ['word'] },
		'timestamp_granularities',
		/response_format=verbose_json/,
	],
	[
		{ prompt: ['x'.repeat(8193)] },
		'prompt',
		/^'prompt' has 8193 characters; at most 8192 are read\.$/,
	],
	[{ language: ['Klingon'] }, 'language', /no language speech models know/],
];
for (const [fields, param, sentence] of refusals)
	test(`a form with a wrong ${param} (${JSON.stringify(fields).slice(0, 40)}) is refused in words`, () => {
		assert.throws(() => parseSpeechCall({ model: ['a'], ...fields }, 'transcribe'), {
			code: 'invalid_request',
			param,
			message: sentence,
		});
	});
