/** Who speaks, asked by the openai npm client: whole, as a stream, as subtitles; and without the models for it. */

import assert from 'node:assert/strict';
import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import OpenAI from 'openai';
import { putSpeakerModels, speakerFixtures } from '../support/speakerModels.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { startTestServer, type TestServer } from '../support/testServer.ts';

let server: TestServer;
let client: OpenAI;
const models = temporaryFolder('speakers');
before(async () => {
	server = await startTestServer({ modelsDir: models });
	client = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: server.key, maxRetries: 0 });
});
after(() => server.close());

const file = () => createReadStream(join(speakerFixtures, 'one.ogg'));
const overlap = () => createReadStream(join(speakerFixtures, 'overlap.ogg'));

test('without the models it is refused with the commands that get them', async () => {
	await assert.rejects(
		client.audio.transcriptions.create({
			...{ model: 'starter-speech', file: file(), response_format: 'diarized_json' },
		}),
		(error: InstanceType<typeof OpenAI.APIError>) =>
			error.status === 404 &&
			/neither is on this machine\. Download: nearglot models pull \S+; nearglot models pull \S+\.$/.test(
				error.message,
			),
	);
	await assert.rejects(
		client.audio.transcriptions.create({
			...{ model: 'starter-speech', file: file() },
			...({ speakers: 'true' } as object),
		}),
		/'speakers' needs response_format=/,
	);
});

test('segments name their speakers, in the order in which they begin to speak', async () => {
	await putSpeakerModels(models);
	server.backend.host.changed(models);
	const listed = await client.models.list();
	assert.ok(listed.data.some(({ id }) => id.startsWith('tiny-segmentation')));
	const whole = (await client.audio.transcriptions.create({
		...{ model: 'starter-speech', file: overlap(), response_format: 'diarized_json' },
	})) as unknown as OpenAI.Audio.TranscriptionDiarized;
	assert.equal(whole.task, 'transcribe');
	const [first, ...others] = whole.segments;
	assert.deepEqual(
		[first?.type, first?.id, first?.speaker],
		['transcript.text.segment', 'seg_001', 'A'],
	);
	assert.deepEqual([...new Set(whole.segments.map(({ speaker }) => speaker))].sort(), ['A', 'B']);
	for (const { start, end, text } of others) assert.ok(end >= start, `${start} ${end} ${text}`);
	const stream = await client.audio.transcriptions.create({
		...{ model: 'starter-speech', file: file() },
		response_format: 'diarized_json',
		stream: true,
	});
	const speakers = new Set<string>();
	for await (const event of stream)
		if (event.type === 'transcript.text.segment') speakers.add(event.speaker);
	assert.deepEqual([...speakers], ['A']);
	const vtt = await client.audio.transcriptions.create({
		...{ model: 'starter-speech', file: file(), response_format: 'vtt' },
		...({ speakers: 'true' } as object),
	});
	assert.match(String(vtt), /\n<v A>\S/);
});
