/** Recordings that an editor has transcribed in the background: none is lost, and none is told twice. */

import assert from 'node:assert/strict';
import { beforeEach, type TestContext, test } from 'node:test';
import { desk, resetDesk } from '../vscodeDouble.ts';

const { QueuedTranscripts } = await import('../../../extension/transcripts/queuedTranscripts.ts');

import type * as vscode from 'vscode';
import type { QueuedTranscriptsDeps } from '../../../extension/transcripts/queuedTranscripts.ts';
import {
	AppError,
	type QueuedState,
	type TranscriptDocument,
} from '../../../server/protocol/index.ts';
import { until } from '../../support/until.ts';

const transcript = {
	text: 'Good morning.',
	segments: [{ id: 0, start: 0, end: 1, text: 'Good morning.' }],
};
const file = (name: string) =>
	({ path: `/${name}`, toString: () => `file:///${name}` }) as unknown as vscode.Uri;

/** An editor whose recordings are known by their names, and the model server that it asks. */
function world(t: TestContext) {
	const kept = new Map<string, unknown>();
	const store = new Map<string, TranscriptDocument>();
	const batches = new Map<string, { mark: string; state: QueuedState }>();
	const forgotten: string[] = [];
	const taken: string[] = [];
	const ready: string[] = [];
	/** Kept until they are handed over. */
	let unsent: string[] = [];
	const left: string[] = [];
	const offered: string[] = [];
	const sessions = new Map<
		string,
		{ document: TranscriptDocument | null; state: { job?: object } }
	>();
	/** What goes wrong, by what is asked and of which recording. */
	const faults = new Map<string, () => Promise<void> | void>();
	const fail = async (what: string) => faults.get(what)?.();
	const removedIds = new Set<string>();
	let count = 0;
	const answers: Record<string, (params: { id: string; ids: string[] }) => Promise<unknown>> = {
		'nearglot/recordings': async ({ ids }) => {
			await fail('look');
			const recordings = ids.flatMap((id) => {
				const batch = batches.get(id);
				const reason = batch?.state === 'failed' ? { reason: 'No sound.' } : {};
				return batch ? [{ id, name: batch.mark, ...batch, ...reason }] : [];
			});
			return { recordings };
		},
		'nearglot/recordings/take': async ({ id }) => {
			taken.push(id);
			await fail(`take ${batches.get(id)?.mark}`);
			return transcript;
		},
		'nearglot/recordings/forget': async ({ id }) => {
			await fail(`forget ${batches.get(id)?.mark}`);
			const removed = !removedIds.has(id);
			removedIds.add(id);
			if (removed) forgotten.push(batches.get(id)?.mark ?? id);
			return { removed };
		},
	};
	const deps = {
		languageServer: { request: (name: string, params: never) => answers[name]?.(params) },
		recordings: {
			use: async (uri: vscode.Uri, work: (recording: object) => Promise<unknown>) => {
				const mark = uri.toString().split('/').at(-1) ?? '';
				await fail(`open ${mark}`);
				const session = sessions.get(mark) ?? { document: store.get(mark) ?? null, state: {} };
				const take = () => {
					if (session.document || session.state.job) return;
					session.document = { lines: [] } as unknown as TranscriptDocument;
					store.set(mark, session.document);
				};
				const queue = async (token: vscode.CancellationToken) => {
					await fail(`queue ${mark}`);
					if (token.isCancellationRequested) throw new AppError('cancelled');
					batches.set(`batch_${++count}`, { mark, state: 'underWay' });
					return `batch_${count}`;
				};
				return work({
					...{ mark, name: mark, queue },
					session: Object.assign(session, { take, saved: Promise.resolve() }),
				});
			},
		},
		store: {
			load: async (mark: string) => store.get(mark) ?? null,
			save: async (mark: string, document: TranscriptDocument) => {
				await fail(`save ${mark}`);
				store.set(mark, document);
			},
		},
		memory: {
			get: (key: string) => kept.get(key),
			update: async (key: string, value: unknown) => void kept.set(key, value),
		},
		everyMs: 1,
		unsent: {
			keep: (uris: readonly string[]) => void unsent.push(...uris),
			drop: (uris: readonly string[]) => {
				unsent = unsent.filter((uri) => !uris.includes(uri));
			},
			adopt: async () => left,
			dispose: () => {},
		},
		onUnsent: (files: readonly vscode.Uri[]) => offered.push(...files.map(String)),
		onChange: () => {},
		onReady: (files: readonly vscode.Uri[]) =>
			ready.push(...files.map((uri) => uri.toString().split('/').at(-1) ?? '')),
	} as unknown as QueuedTranscriptsDeps;
	const queue = new QueuedTranscripts(deps);
	t.after(() => queue.dispose());
	const end = (state: QueuedState = 'done') => {
		for (const batch of batches.values()) if (batch.state === 'underWay') batch.state = state;
	};
	/** Another window that shares the recordings and the memory. */
	const another = (windowId: string, memory = deps.memory) => {
		const told: string[] = [];
		const onReady = (files: readonly vscode.Uri[]) => told.push(...files.map(({ path }) => path));
		const second = new QueuedTranscripts({ ...deps, windowId, memory, onReady });
		t.after(() => second.dispose());
		return { queue: second, told };
	};
	/** The memory as it is now. */
	const memoryOf = () => {
		const own = new Map(kept);
		const update = async (key: string, value: unknown) => void own.set(key, value);
		return { get: (key: string) => own.get(key), update } as unknown as vscode.Memento;
	};
	return {
		another,
		memoryOf,
		queue,
		batches,
		unsent: () => unsent,
		left,
		offered,
		store,
		forgotten,
		taken,
		ready,
		faults,
		sessions,
		end,
	};
}

let messages: string[] = [];
beforeEach(() => {
	resetDesk();
	messages = [];
	desk.message = async (text) => void messages.push(String(text));
});

const fault = (code: ConstructorParameters<typeof AppError>[0], message?: string) => () => {
	throw new AppError(code, message);
};
const once = (act: () => void) => {
	let isFirst = true;
	return () => {
		if (!isFirst) return;
		isFirst = false;
		act();
	};
};

test('one that cannot be handed over is told by its name, and the others are fetched', async (t) => {
	const { queue, ready, faults, forgotten, end } = world(t);
	faults.set('queue b', fault('payload_too_large', 'It is too large.'));
	faults.set('open c', fault('not_found', 'It is gone.'));
	faults.set('queue d', fault('not_supported'));
	const refused = await queue.add(['a', 'b', 'c', 'd', 'e'].map(file));
	assert.deepEqual(
		refused.map(({ path }) => path),
		['/d'],
		'only this one goes the other way',
	);
	assert.ok(messages.includes('b: It is too large.\nc: It is gone.'), String(messages));
	assert.ok(messages.includes('2 recordings are transcribed in the background.'));
	end();
	await until('they are there', async () => ready.length > 0);
	assert.deepEqual(
		[ready, forgotten],
		[
			['a', 'e'],
			['a', 'e'],
		],
	);
});

test('what is not handed over yet is kept until somebody has said what comes of it', async (t) => {
	const { queue, faults, unsent } = world(t);
	const seen: string[][] = [];
	const look = () => void seen.push(unsent().map((uri) => uri.split('/').at(-1) ?? ''));
	for (const name of ['a', 'b', 'c']) faults.set(`queue ${name}`, look);
	faults.set('queue d', fault('not_supported'));
	faults.set('queue e', fault('payload_too_large'));
	const refused = await queue.add(['a', 'b', 'c', 'd', 'e'].map(file));
	assert.deepEqual(seen, [
		['a', 'b', 'c', 'd', 'e'],
		['b', 'c', 'd', 'e'],
		['c', 'd', 'e'],
	]);
	assert.deepEqual(unsent(), ['file:///d'], 'the other way takes it only now');
	queue.settle(refused);
	assert.deepEqual(unsent(), []);
});

test('what a window that is gone has not handed over is offered, and Cancel keeps nothing', async (t) => {
	const { queue, faults, left, offered, unsent } = world(t);
	left.push('file:///a', 'file:///b');
	queue.resume();
	await until('they are offered', async () => offered.length > 0);
	assert.deepEqual(offered, ['file:///a', 'file:///b']);
	faults.set('queue a', async () => {
		await until('it can be cancelled', async () => desk.progress.length === 2);
		desk.cancel();
	});
	await queue.add(['a', 'b'].map(file));
	assert.deepEqual(unsent(), []);
});

test('Cancel ends the handing over; what was handed over is fetched', async (t) => {
	const { queue, batches, faults, ready, end } = world(t);
	faults.set('queue b', async () => {
		await until('it can be cancelled', async () => desk.progress.length === 2);
		desk.cancel();
	});
	const opened: string[] = [];
	faults.set('open c', () => void opened.push('c'));
	assert.deepEqual(await queue.add(['a', 'b', 'c'].map(file)), []);
	assert.deepEqual(opened, []);
	assert.deepEqual(
		[...batches.values()].map(({ mark }) => mark),
		['a'],
	);
	end();
	await until('it is there', async () => ready.length > 0);
	assert.deepEqual(ready, ['a']);
});

test('what finds no room waits until there is some, and what is awaited is not handed over twice', async (t) => {
	const { queue, batches, faults, ready, end } = world(t);
	faults.set('queue b', () => {
		if (batches.size === 1 && ready.length === 0 && batches.get('batch_1')?.state === 'underWay') {
			end();
			throw new AppError('batch_queue_full');
		}
	});
	assert.deepEqual(await queue.add(['a', 'b', 'b'].map(file)), []);
	assert.deepEqual(
		[...batches.values()].map(({ mark }) => mark),
		['a', 'b'],
	);
	assert.ok(messages.includes('2 recordings are transcribed in the background.'));
});

test('a transcript that cannot be taken or kept at one moment stays awaited', async (t) => {
	for (const what of ['take a', 'save a', 'forget a']) {
		await t.test(what, async (t) => {
			const { queue, ready, faults, forgotten, store, end } = world(t);
			await queue.add(['a', 'b'].map(file));
			const failing = what === 'save a' ? fault('disk_full') : fault('daemon_unavailable');
			faults.set(what, once(failing));
			// The recording was moved: its transcript goes straight to where it is kept.
			if (what === 'save a') faults.set('open a', fault('not_found'));
			end();
			await until('both are there', async () => ready.length > 0);
			assert.deepEqual([...ready].sort(), ['a', 'b']);
			assert.deepEqual([...forgotten].sort(), ['a', 'b']);
			assert.deepEqual([...store.keys()].sort(), ['a', 'b']);
		});
	}
});

test('a transcript is not given up while the recording is being transcribed by hand', async (t) => {
	const { queue, ready, forgotten, taken, sessions, end } = world(t);
	await queue.add([file('a')]);
	const session = { document: null, state: { job: {} } as { job?: object } };
	sessions.set('a', session);
	end();
	await until('it was looked at', async () => taken.length > 1);
	assert.deepEqual([ready, forgotten], [[], []]);
	delete session.state.job;
	await until('it is there', async () => ready.length > 0);
	assert.deepEqual(forgotten, ['a']);
});

test('one that is handed over while another is fetched has no transcript taken twice', async (t) => {
	const { queue, taken, ready, faults, batches, end } = world(t);
	await queue.add([file('a')]);
	const { promise, resolve } = Promise.withResolvers<void>();
	faults.set('take a', () => promise);
	end();
	await until('it is being taken', async () => taken.length > 0);
	const looks: string[] = [];
	faults.set('look', () => void looks.push('look'));
	t.mock.timers.enable({ apis: ['setTimeout'] });
	await queue.add([file('b')]);
	t.mock.timers.tick(1000);
	t.mock.timers.reset();
	assert.deepEqual(looks, [], 'one look at a time');
	resolve();
	await until('the next is looked at', async () => looks.length > 0);
	end();
	await until('both are there', async () => ready.length > 0);
	assert.deepEqual([taken, ready], [[...batches.keys()], ['a', 'b']]);
});

test('of two windows the one that asked says what is ready and what failed', async (t) => {
	const { another, batches, end } = world(t);
	const [first, second] = [another('first'), another('second')];
	await first.queue.add(['a', 'b'].map(file));
	second.queue.resume();
	await second.queue.add([file('c')]);
	for (const batch of batches.values()) if (batch.mark === 'b') batch.state = 'failed';
	end();
	await until('both have told', async () => first.told.length > 0 && second.told.length > 0);
	await until('it is said', async () => messages.includes('b: No sound.'));
	assert.deepEqual([first.told, second.told], [['/a'], ['/c']]);
	assert.equal(messages.filter((text) => text.includes('No sound')).length, 1);
});

test('what a window asked for that is gone is told by one other, also when two are there', async (t) => {
	const { another, faults, end } = world(t);
	const gone = another('gone');
	await gone.queue.add(['a', 'b'].map(file));
	gone.queue.dispose();
	end();
	const [first, second] = [another('first'), another('second')];
	first.queue.resume();
	second.queue.resume();
	const told = () => [...first.told, ...second.told];
	await until('both are told', async () => told().length > 1);
	let looks = 0;
	faults.set('look', () => void looks++);
	await another('last').queue.add([file('d')]);
	await until('more looks were taken', async () => looks > 5);
	assert.deepEqual([told(), first.told.length % 2], [['/a', '/b'], 0]);
});

test('of two windows that have a transcript the one that removes it at the server says so', async (t) => {
	const { another, memoryOf, end, taken } = world(t);
	const first = another('first');
	await first.queue.add([file('a')]);
	// This one has read the memory before, and hears of no change.
	const second = another('second', memoryOf());
	second.queue.resume();
	end();
	await until('it is told', async () => first.told.length > 0);
	await until('the other window has done with it', async () => taken.length > 1);
	assert.deepEqual(second.told, []);
});

test('one that failed says why, and is removed there when that was read, unless it was tried again', async (t) => {
	const { queue, batches, forgotten, end } = world(t);
	const { promise, resolve } = Promise.withResolvers<undefined>();
	await queue.add(['a', 'b'].map(file));
	desk.message = (text) => {
		messages.push(String(text));
		return promise;
	};
	end('failed');
	await until('it is said', async () => messages.includes('a: No sound.\nb: No sound.'));
	assert.deepEqual(forgotten, []);
	for (const batch of batches.values()) if (batch.mark === 'b') batch.state = 'underWay';
	resolve(undefined);
	await until('it is removed', async () => forgotten.length > 0);
	assert.deepEqual(forgotten, ['a']);
});

test('one that was cancelled is removed, and one that is gone is told by its name', async (t) => {
	const { queue, batches, forgotten, end, store } = world(t);
	await queue.add(['a', 'b', 'c'].map(file));
	batches.delete('batch_2');
	batches.delete('batch_3');
	store.set('c', {} as TranscriptDocument);
	end('cancelled');
	const gone = 'b: The transcript is no longer at the model server.';
	await until('it is said', async () => messages.includes(gone));
	assert.deepEqual(forgotten, ['a']);
});

test('what keeps the server from being asked is told once, at once unless it passes by itself', async (t) => {
	const { queue, faults, ready, end } = world(t);
	await queue.add([file('a')]);
	let looks = 0;
	faults.set('look', () => {
		looks++;
		throw new AppError('invalid_api_key', 'The key is wrong.');
	});
	await until('it was looked several times', async () => looks > 4);
	assert.equal(messages.filter((text) => text.includes('The key is wrong.')).length, 1);
	looks = 0;
	faults.delete('look');
	end();
	await until('it is there', async () => ready.length > 0);
	await queue.add([file('b')]);
	const asked: number[] = [];
	faults.set('look', () => {
		asked.push(messages.length);
		throw new AppError('daemon_unavailable', 'It does not answer.');
	});
	await until('it lasts', async () =>
		messages.some((text) => text.includes('It does not answer.')),
	);
	assert.ok(asked.length >= 15, `told after ${asked.length} looks`);
});
