/** One microphone recording and the registry of all: states, listeners, pages that come and go, secrets that hold once. */

import assert from 'node:assert/strict';
import { tmpdir } from 'node:os';
import { test } from 'node:test';
import { AppError, type Transcript } from '../../../server/protocol/index.ts';
import {
	RecorderSession,
	type RecorderSessionDeps,
	type RecordingEvent,
} from '../../../server/services/speech/recorderSession.ts';
import { RecorderSessions } from '../../../server/services/speech/recorderSessions.ts';
import { parseSpeechCall } from '../../../server/services/speech/speechRequest.ts';

const rateHz = 16_000;
const call = parseSpeechCall({ model: ['tones'] }, 'transcribe');

/** Hears the number of samples, and says so when the sound ends. */
const speech: RecorderSessionDeps['speech'] = {
	limits: { maximumBytes: 1e9, maximumS: 60 },
	model: async (name) => {
		if (name === 'nothing') throw new AppError('model_not_found');
		return { id: name } as never;
	},
	transcribeLive: async (_call, audio, onEvent, signal) => {
		let heard = 0;
		for await (const block of audio.samples) {
			signal?.throwIfAborted();
			heard += block.length;
			onEvent({ type: 'progress', done: heard / rateHz });
		}
		signal?.throwIfAborted();
		return { text: `${heard} samples`, segments: [] } as unknown as Transcript;
	},
};

async function opened(more: Partial<RecorderSessionDeps> = {}) {
	let ids = 0;
	const recording = await RecorderSession.open({
		scratch: tmpdir(),
		speech,
		call,
		randomId: () => `r${ids++}`,
		...more,
	});
	const events: RecordingEvent[] = [];
	recording.listen((event) => events.push(event));
	const stop = new AbortController();
	const done = recording.run(stop.signal);
	done.catch(() => {});
	const states = () =>
		events.flatMap((event) => (event.type === 'recorder.state' ? [event.state] : []));
	return { recording, events, states, stop, done };
}

const loud = (length: number, value = 16_384) => new Int16Array(length).fill(value);

test('the levels are those since the last one, five in a second at most, and are not told to those who come late', async () => {
	const { recording, events, done } = await opened();
	for (const [at, value] of [16_384, 0, 0, -32_768, 0, 0].entries())
		await recording.write(loud(2000, value), rateHz, at * 2000);
	const levels = events.flatMap((event) =>
		event.type === 'recorder.level' ? [[event.seconds, event.level]] : [],
	);
	assert.deepEqual(levels, [
		[0.25, 0.5],
		[0.5, 1],
		[0.75, 0],
	]);
	const late: string[] = [];
	recording.listen((event) => late.push(event.type));
	assert.deepEqual(late, ['recorder.state', 'recorder.state']);
	await recording.command('stopped', undefined);
	await done;
});

test('the states follow the commands, each told once, and the end is the end', async () => {
	const { recording, states, done, events } = await opened();
	await recording.command('ready', undefined);
	await recording.command('ready', undefined);
	await recording.command('paused', undefined);
	assert.deepEqual(states(), ['waiting', 'ready'], 'what does not record cannot be paused');
	await recording.command('recording', undefined);
	await recording.command('recording', undefined);
	await recording.command('ready', undefined);
	await recording.write(loud(100), rateHz, 0);
	await recording.command('paused', undefined);
	await recording.command('paused', undefined);
	await recording.command('recording', undefined);
	await recording.write(loud(100), rateHz, 100);
	await recording.command('stopped', undefined);
	await recording.command('cancelled', 'too late');
	await recording.command('recording', undefined);
	await done;
	assert.deepEqual(states(), ['waiting', 'ready', 'recording', 'paused', 'recording', 'stopped']);
	const last = events.at(-1);
	// Two pieces and one second of rest for the one pause.
	assert.ok(
		last?.type === 'transcript.text.done' && last.text === '16200 samples',
		JSON.stringify(last),
	);
	await assert.rejects(recording.write(loud(100), rateHz, 200), { code: 'not_found' });
	await recording.ended;
});

test('sound that comes without a command begins the recording', async () => {
	const { recording, states, done } = await opened();
	await recording.write(loud(10), rateHz, 0);
	assert.deepEqual(states(), ['waiting', 'recording']);
	await recording.command('stopped', undefined);
	await done;
});

test('who listens no more is told nothing, and the first error is the error', async () => {
	const { recording, done } = await opened();
	const heard: string[] = [];
	const silence = recording.listen((event) => heard.push(event.type));
	silence();
	await recording.command('recording', undefined);
	assert.deepEqual(heard, ['recorder.state'], 'only what was before');
	recording.fail(new AppError('timeout', 'first'));
	recording.fail(new AppError('internal', 'second'));
	await assert.rejects(done, { code: 'timeout', message: /first/ });
	await assert.rejects(recording.ended, { code: 'timeout' });
});

test('an editor that goes ends the recording as cancelled', async () => {
	const { recording, done, stop } = await opened();
	await recording.write(loud(10), rateHz, 0);
	stop.abort();
	await assert.rejects(done, { code: 'cancelled', message: /by the editor/ });
});

test('a page may be away for a moment; the last one that stays away ends the recording', async (t) => {
	t.mock.timers.enable({ apis: ['setTimeout'] });
	const { recording, states, done } = await opened();
	await recording.write(loud(10), rateHz, 0);
	const leave = [recording.attend(), recording.attend()];
	leave[0]?.();
	t.mock.timers.tick(60_000);
	assert.deepEqual(states(), ['waiting', 'recording'], 'one page is left');
	leave[1]?.();
	t.mock.timers.tick(4999);
	const back = recording.attend();
	t.mock.timers.tick(60_000);
	assert.deepEqual(states(), ['waiting', 'recording'], 'it came back in time');
	back();
	t.mock.timers.tick(5000);
	assert.deepEqual(states(), ['waiting', 'recording', 'stopped']);
	t.mock.timers.reset();
	await done;
});

test('a page that goes before anything was recorded cancels', async (t) => {
	t.mock.timers.enable({ apis: ['setTimeout'] });
	const { recording, done } = await opened();
	recording.attend()();
	t.mock.timers.tick(5000);
	t.mock.timers.reset();
	await assert.rejects(done, { code: 'cancelled', message: /page was closed/ });
});

function registry(): RecorderSessions {
	let secrets = 0;
	const random = () => `s${secrets++}`;
	return new RecorderSessions({
		scratch: tmpdir(),
		speech,
		randomId: random,
		randomSecret: random,
	});
}

test('a ticket holds once and only while its recording lives', async () => {
	const recordings = registry();
	const one = await recordings.open({ model: 'tones' });
	const { token, ticket } = recordings.admit(one);
	assert.equal(recordings.find(token), one);
	assert.deepEqual(recordings.claim(ticket), { token, recording: one });
	assert.throws(() => recordings.claim(ticket), { code: 'forbidden' });
	const second = recordings.admit(one);
	assert.equal(second.token, token);
	await recordings.forget(one);
	assert.throws(() => recordings.claim(second.ticket), { code: 'forbidden' });
	assert.throws(() => recordings.find(token), { code: 'forbidden' });
	assert.throws(() => recordings.admit(one), { code: 'forbidden' });
});

test('a link that nobody opens for ten minutes ends its recording, one that was opened does not', async (t) => {
	t.mock.timers.enable({ apis: ['setTimeout'] });
	const recordings = registry();
	const [unopened, inUse] = [
		await recordings.open({ model: 'a' }),
		await recordings.open({ model: 'a' }),
	];
	const runs = [unopened, inUse].map((each) => each.run(new AbortController().signal));
	for (const run of runs) run.catch(() => {});
	const { ticket } = recordings.admit(unopened);
	recordings.claim(recordings.admit(inUse).ticket);
	t.mock.timers.tick(599_999);
	assert.ok(ticket);
	t.mock.timers.tick(1);
	t.mock.timers.reset();
	await assert.rejects(runs[0] as Promise<void>, { code: 'timeout', message: /ten minutes/ });
	assert.throws(() => recordings.claim(ticket), { code: 'forbidden' });
	await inUse.write(loud(10), rateHz, 0);
	await inUse.command('stopped', undefined);
	await runs[1];
	await Promise.all([unopened, inUse].map((each) => recordings.forget(each)));
});

test('eight recordings at once, and no ninth; models and tasks are those that were asked for', async () => {
	const recordings = registry();
	await assert.rejects(recordings.open({ model: 'nothing' }), { code: 'model_not_found' });
	const all = await Promise.all(
		Array.from({ length: 8 }, (_, i) =>
			recordings.open({ model: 'tones', translate: i % 2 === 0, words: i < 4 }),
		),
	);
	await assert.rejects(recordings.open({ model: 'tones' }), {
		code: 'overloaded',
		message: /8 recordings/,
	});
	assert.deepEqual(
		all.slice(3, 6).map(({ call: { model, task, words, format } }) => [model, task, words, format]),
		[
			['tones', 'transcribe', true, 'verbose_json'],
			['tones', 'translate', false, 'verbose_json'],
			['tones', 'transcribe', false, 'verbose_json'],
		],
	);
	for (const each of all) await recordings.forget(each);
	const next = await recordings.open({ language: 'de', prompt: 'Kyoto' });
	assert.deepEqual(
		[next.call.model, next.call.language, next.call.prompt],
		['default', 'de', 'Kyoto'],
	);
	await recordings.forget(next);
});
