/** openapi.json and the parser of the audio routes say the same. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openApi } from '../../server/http/openapi.ts';
import { routes } from '../../server/protocol/routes/routes.ts';
import { speechForm } from '../../server/protocol/routes/speechForm.ts';
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
		assert.deepEqual(post.requestBody.content['multipart/form-data']?.schema, speechForm);
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

const examples: Readonly<Record<string, string>> = {
	language: 'de',
	prompt: 'Nearglot',
	temperature: '0.5',
	seed: '3',
	response_format: 'verbose_json',
	timestamp_granularities: 'word',
	stream: 'true',
	include: 'logprobs',
	condition_on_previous_text: 'false',
};

test('every described field changes what is asked, and what is not described is named as ignored', () => {
	const plain = parseSpeechCall(new Map([['model', ['a']]]), 'transcribe');
	const described = Object.keys(speechForm.properties).map((name) => name.replace('[]', ''));
	assert.deepEqual(
		described.filter((name) => name !== 'file' && name !== 'model').sort(),
		Object.keys(examples).sort(),
	);
	for (const [name, value] of Object.entries(examples)) {
		const fields = new Map([
			['model', ['a']],
			['response_format', ['verbose_json']],
			[name, [value]],
		]);
		const call = parseSpeechCall(fields, 'transcribe');
		assert.notDeepEqual(
			{ ...call, format: name === 'response_format' ? call.format : 'json' },
			plain,
		);
		assert.deepEqual(call.ignored, []);
	}
	const odd = parseSpeechCall(
		new Map([
			['model', ['a']],
			['hotwords', ['x']],
		]),
		'transcribe',
	);
	assert.deepEqual(odd.ignored, ['hotwords']);
});
