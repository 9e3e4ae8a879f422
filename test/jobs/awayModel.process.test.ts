/** What a few items of a batch wait for does not keep its others from being done, and not for ever. */

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { type FailureKind, Outages } from '../../server/jobs/itemFailures.ts';
import { errorAnswer, type ItemCall, type RunItem } from '../../server/jobs/itemRow.ts';
import { requestItem } from '../../server/jobs/runItem.ts';
import { stalledBatches } from '../../server/jobs/shardWaits.ts';
import { AppError } from '../../server/protocol/index.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { until } from '../support/until.ts';
import { answers, asked, expected, finished, items, owner } from './batchProcesses.ts';
import { openJobs } from './jobWorker.ts';

const away = {
	...errorAnswer(new AppError('upstream_failed', 'Nobody is there.')),
	...{ retryAfterS: 2, isUnsent: true as const },
};

test('one item that waits for an engine leaves the other parts of its batch to be done', async () => {
	const folder = temporaryFolder('away');
	const released = Promise.withResolvers<void>();
	let isBack = false;
	const service = openJobs(
		{
			...{ store: join(folder, 'store'), queue: join(folder, 'queue.db'), isAlone: true },
			...{ width: 1, leaseMs: 30_000, itemMs: 0 },
		},
		{},
		Date.now,
		{
			pause: async (_, signal) => {
				signal.addEventListener('abort', () => released.resolve(), { once: true });
				await released.promise;
				signal.throwIfAborted();
			},
		},
	);
	const run: RunItem = async ({ body }) => {
		const { text } = body as { text: string };
		if (text === 'text 5' && !isBack) return away;
		return { status: 200, requestId: '', body: { text: text.toUpperCase() } };
	};
	service.start(run);
	try {
		const jobs = await service.open();
		const id = await asked(jobs, items(500));
		await until(
			'all others are done',
			async () => {
				const { open } = await jobs.batches.get(owner.person, id);
				return open?.done.size === 9;
			},
			10_000,
		);
		const { open } = await jobs.batches.get(owner.person, id);
		assert.equal(open?.obstacle?.message, 'Nobody is there.');
		isBack = true;
		released.resolve();
		const { end } = await finished(jobs, id);
		assert.deepEqual(await answers(jobs, end?.outputFileId), expected(500));
	} finally {
		released.resolve();
		await service.close();
	}
});

test('a batch of which many parts wait for what is away begins no more, and one that waits for its turn neither', () => {
	const shards = (batch: string, count: number, code: string) =>
		Array.from({ length: count }, (_, shard) => {
			const why = () => ({ code, message: '' });
			return [
				{ batch, shard },
				{ until: Promise.resolve(), why },
			] as const;
		});
	const waiting = new Map([
		...shards('few', 7, 'upstream_failed'),
		...shards('many', 8, 'disk_full'),
		...shards('limited', 1, 'rate_limited'),
	]);
	assert.deepEqual([...stalledBatches(waiting)], ['many', 'limited']);
});

const call = (model: string): ItemCall => ({ owner, url: '/v1/embeddings', body: { model } });
const hour = 3_600_000;

test('what is away for a quarter of the window becomes a row, and the next of that model at once', async () => {
	let nowMs = 0;
	let asks = 0;
	const outages = new Outages({ createdAt: 0, expiresAt: 86_400 }, () => nowMs);
	const ask = (model: string) =>
		requestItem(
			async () => {
				asks++;
				return away;
			},
			call(model),
			async () => {
				nowMs += hour;
			},
			new AbortController().signal,
			outages,
		);
	assert.deepEqual([await ask('x'), asks], [away, 7]);
	assert.deepEqual([await ask('x'), asks], [away, 8]);
	assert.deepEqual([await ask('y'), asks], [away, 15], 'another model has its own time');
	outages.note(call('x'), undefined);
	assert.deepEqual([await ask('x'), asks], [away, 22], 'it was back');
});

test('what one item alone finds away ends likewise, and a turn never does', () => {
	let nowMs = 0;
	// A day is the longest time, however long the batch may take.
	const outages = new Outages({ createdAt: 0, expiresAt: 366 * 86_400 }, () => nowMs);
	const note = (of: ItemCall, kind: FailureKind | undefined) => outages.note(of, kind);
	const large = call('m');
	const seen: boolean[] = [];
	for (; nowMs <= 24 * hour; nowMs += 12 * hour) {
		seen.push(note(large, 'outage'));
		note(call('m'), undefined);
		assert.equal(note(call('m'), 'turn'), false);
	}
	assert.deepEqual(seen, [false, false, true]);
});

test('a batch whose owner nobody knows is given up when none of it was done for long', () => {
	let nowMs = 0;
	const outages = new Outages({ createdAt: 0, expiresAt: 86_400 }, () => nowMs);
	assert.equal(outages.noteOwner(true, 3), false);
	nowMs = 5 * hour;
	assert.equal(outages.noteOwner(true, 4), false, 'another server gets on with it');
	nowMs = 10 * hour;
	assert.equal(outages.noteOwner(true, 4), false);
	assert.equal(outages.note(call('m'), 'outage'), false);
	nowMs = 11 * hour;
	assert.equal(outages.noteOwner(true, 4), true);
	assert.equal(outages.note(call('n'), 'outage'), true, 'its items do not wait once more');
	assert.equal(outages.noteOwner(true, 5), true, 'what became error rows does not begin it anew');
	assert.equal(outages.noteOwner(false, 5), false);
});
