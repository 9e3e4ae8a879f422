/** Work on a recording: transcribe, correct, undo, translate, cancel; always kept. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
	AppError,
	type Transcript,
	type TranscriptDocument,
	type TranscriptHostMessage,
	TranscriptSession,
	type TranscriptSessionDeps,
} from '../../server/protocol/index.ts';

const part = (id: number, text: string) => ({ id, start: id, end: id + 1, text });
const transcript = {
	...{ task: 'transcribe', language: 'english', language_code: 'en', duration: 3 },
	text: 'one two three',
	segments: [part(0, 'one'), part(1, 'two'), part(2, 'three')],
} as unknown as Transcript;
const anything = { model: '', language: '', english: false };

function start(deps: Partial<TranscriptSessionDeps> = {}) {
	const messages: TranscriptHostMessage[] = [];
	const saved: (TranscriptDocument | null)[] = [];
	let ms = 0;
	const session = new TranscriptSession(
		{
			transcribe: async (_choice, onDelta) => {
				onDelta({ phase: 'running' });
				onDelta({ segments: [part(0, 'one')], progress: { done: 1, total: 3 } });
				onDelta({ progress: { done: 2, total: 3 } });
				return transcript;
			},
			translate: async (texts, { to }) => texts.map((text) => `${to}:${text}`),
			outline: async ({ lines }) => ({
				...{ summary: `${lines.length} lines`, chapters: [], model: 'm' },
			}),
			save: async (document) => void saved.push(document),
			post: (message) => void messages.push(message),
			onState: () => {},
			nowMs: () => {
				ms += 500;
				return ms;
			},
			...deps,
		},
		null,
	);
	const texts = () => session.document?.lines.map(({ text }) => text).join(' ');
	return { session, messages, saved, texts };
}

test('lines are shown as they are heard, with progress and time, and the whole is kept', async () => {
	const { session, messages, saved, texts } = start();
	await session.transcribe(anything);
	assert.equal(texts(), 'one two three');
	const found = messages.find((message) => message.type === 'transcribed');
	assert.deepEqual(found?.type === 'transcribed' && found.lines.map(({ text }) => text), ['one']);
	const job = messages.filter((message) => message.type === 'job').at(-1);
	assert.deepEqual(job?.type === 'job' && job.job, {
		...{ kind: 'transcribe', phase: 'running', done: 2, total: 3, speed: 2 },
	});
	await session.saved;
	assert.equal(saved.length, 1);
	assert.equal(session.state.job, null);
});

test('edits are undone and redone one by one, down to no transcript at all', async () => {
	const { session, saved, texts } = start();
	await session.transcribe(anything);
	await session.edit(1, 'deux');
	await session.edit(2, '');
	assert.equal(texts(), 'one deux');
	session.undo();
	assert.equal(texts(), 'one deux three');
	session.undo();
	session.undo();
	assert.equal(session.document, null);
	session.redo();
	session.redo();
	assert.equal(texts(), 'one deux three');
	await session.edit(0, 'un');
	assert.equal(session.state.canRedo, false);
	await session.saved;
	assert.equal(saved.at(-1)?.lines[0]?.text, 'un');
});

test('a page gets the changed line alone, and the rest only when a line went away', async () => {
	const { session, messages } = start();
	await session.transcribe(anything);
	messages.length = 0;
	await session.edit(1, 'deux');
	assert.deepEqual(
		messages.map((message) => (message.type === 'line' ? message.line.text : message.type)),
		['deux'],
	);
	await session.edit(1, '');
	assert.equal(messages.at(-1)?.type, 'document');
});

test('a transcript that was made in the background takes no place of another, and is undone', async () => {
	const { session, texts } = start();
	session.take(transcript);
	assert.equal(texts(), 'one two three');
	await session.edit(0, 'un');
	session.take(transcript);
	assert.equal(texts(), 'un two three');
	session.undo();
	session.undo();
	assert.equal(session.document, null);
});

test('an edit that changes nothing is no step', async () => {
	const { session } = start();
	await session.transcribe(anything);
	await session.edit(0, ' one ');
	session.undo();
	assert.equal(session.document, null);
});

test('a cancelled transcription gives the transcript before it back', async () => {
	const { session, texts } = start();
	await session.transcribe(anything);
	await session.edit(0, 'un');
	const { session: other, messages } = start({
		transcribe: (_choice, onDelta, signal) =>
			new Promise((_, reject) => {
				onDelta({ segments: [part(0, 'half')] });
				signal.addEventListener('abort', () => reject(new AppError('cancelled')));
			}),
	});
	const running = other.transcribe(anything);
	assert.equal(other.transcribed.length, 1);
	other.cancel();
	await assert.rejects(running, { code: 'cancelled' });
	assert.equal(other.state.problem, null);
	assert.equal(other.transcribed.length, 0);
	assert.deepEqual(messages.at(-1), { type: 'document', document: null });
	assert.equal(texts(), 'un two three');
});

test('a failure is told in the state and the transcript stays', async () => {
	const { session } = start({
		transcribe: async () => {
			throw new AppError('model_not_found', 'There is no speech model.');
		},
	});
	await assert.rejects(session.transcribe(anything), /no speech model/);
	assert.equal(session.state.problem, 'There is no speech model.');
});

test('only lines without a current translation are translated', async () => {
	const asked: string[] = [];
	const { session } = start({
		translate: async (texts, { from, to }) => {
			asked.push(...texts);
			return texts.map((text) => `${from}>${to}:${text}`);
		},
	});
	await session.transcribe(anything);
	await session.translate('de');
	await session.edit(1, 'deux');
	assert.deepEqual(asked, ['one', 'two', 'three', 'deux']);
	assert.equal(session.document?.translation?.lines['1']?.text, 'en>de:deux');
	await session.translate('fr');
	assert.equal(asked.length, 7);
	session.clearTranslation();
	assert.equal(session.document?.translation, undefined);
});

test('a second work on the same recording is refused, and a failing store is told', async () => {
	const { session } = start({
		save: async () => {
			throw new AppError('internal', 'The disk is full.');
		},
	});
	const first = session.transcribe(anything);
	await assert.rejects(session.transcribe(anything), { code: 'invalid_request' });
	await first;
	await session.saved;
	assert.equal(session.state.problem, 'The disk is full.');
});

test('words are replaced in many lines as one step, and lines are cut in two and joined', async () => {
	const { session, texts, messages } = start();
	await session.transcribe(anything);
	await session.translate('de');
	await session.handle({
		type: 'replace',
		lines: [
			{ id: 0, text: 'first' },
			{ id: 2, text: '' },
		],
	});
	assert.equal(texts(), 'first two');
	assert.equal(session.document?.translation?.lines[0]?.text, 'de:first');
	session.undo();
	assert.equal(texts(), 'one two three', 'one step brings all of it back');
	await session.handle({ type: 'merge', id: 0 });
	assert.deepEqual(
		session.document?.lines.map(({ text, start, end }) => [text, start, end]),
		[
			['one two', 0, 2],
			['three', 2, 3],
		],
	);
	const { length } = messages;
	await session.handle({ type: 'merge', id: 2 });
	await session.handle({ type: 'split', id: 0, word: 0 });
	await session.handle({ type: 'replace', lines: [{ id: 0, text: 'one two' }] });
	assert.equal(messages.length, length, 'what changes nothing is no step');
});

test('a transcript is summed up and the summary taken away, both to be undone; corrections made meanwhile stay', async () => {
	const done = Promise.withResolvers<void>();
	const { session, messages } = start({
		outline: async ({ lines }, onProgress) => {
			onProgress(0, 1);
			await done.promise;
			return { summary: `${lines.length} lines`, chapters: [], model: 'm' };
		},
	});
	const now = () => session.document;
	await session.handle({ type: 'outline' });
	assert.equal(now(), null, 'there is nothing to sum up');
	await session.transcribe(anything);
	const work = session.handle({ type: 'outline' });
	assert.equal(session.state.job?.kind, 'outline');
	await session.edit(1, 'deux');
	done.resolve();
	await work;
	assert.equal(now()?.outline?.summary, '3 lines');
	assert.equal(now()?.lines[1]?.text, 'deux');
	assert.equal(messages.at(-1)?.type, 'document');
	await session.handle({ type: 'clearOutline' });
	assert.equal(now()?.outline, undefined);
	session.undo();
	assert.equal(now()?.outline?.model, 'm');
	session.undo();
	assert.equal(now()?.outline, undefined);
	assert.equal(now()?.lines[1]?.text, 'deux');
});
