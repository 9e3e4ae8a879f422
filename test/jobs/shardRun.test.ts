/** Items that wait hold up nobody, and the next shard begins where there is room for it. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openFolderStore } from '../../server/jobs/folderStore.ts';
import { errorAnswer, type ItemAnswer, type RunItem } from '../../server/jobs/itemRow.ts';
import {
	type BatchEndpoint,
	batchVersion,
	documentEndpoint,
	keys,
} from '../../server/jobs/jobTypes.ts';
import { laneRoom, runShard, type ShardRunDeps } from '../../server/jobs/shardRun.ts';
import { WorkPlaces } from '../../server/jobs/workPlaces.ts';
import { AppError } from '../../server/protocol/index.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { until } from '../support/until.ts';

const good: ItemAnswer = { status: 200, requestId: '', body: {} };
const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

/** Runs batches of one shard each, in the same room. */
async function runner(endpoint: BatchEndpoint, signal: AbortSignal) {
	const store = await openFolderStore(temporaryFolder('shard'), Date.now);
	const lanes = new WorkPlaces(laneRoom);
	return async (
		id: string,
		count: number,
		run: RunItem,
		more: Pick<ShardRunDeps, 'pause' | 'onLast'> = {},
	) => {
		const lines = Array.from(
			{ length: count },
			(_, at) =>
				`${JSON.stringify({ custom_id: `${at}`, url: endpoint, body: { item: `${id}${at}` } })}\n`,
		);
		const content = Buffer.from(lines.join(''));
		await store.put(keys.fileContent(id), content);
		const owner = { caller: 'owner', person: id } as const;
		await using rows = await runShard(
			{
				...{ version: batchVersion, id, owner, endpoint, inputFileId: id },
				...{ completionWindow: '1h', createdAt: 0, expiresAt: 1 },
			},
			{ number: 0, start: 0, end: content.length, firstLine: 0, items: count },
			1,
			{ store, lanes, run, scratch: temporaryFolder('scratch'), ...more },
			signal,
		);
		return rows.head();
	};
}

const itemOf = (body: unknown): string => (body as { item: string }).item;

for (const alone of [false, true])
	test(`an item that waits for its person's time${alone ? ', alone,' : ''} leaves the room to others`, async () => {
		const stop = new AbortController();
		const shard = await runner('/v1/chat/completions', stop.signal);
		let isOver = false;
		let waiting = 0;
		let release = () => {};
		const released = new Promise<void>((resolve) => (release = resolve));
		const asked = new Map<string, number>();
		const run: RunItem = async ({ body }) => {
			const item = itemOf(body);
			const times = (asked.get(item) ?? 0) + 1;
			asked.set(item, times);
			await turn();
			// One of B ends its process, and so does one of A where it is to be asked again alone.
			if (times === 1 && (item === 'b3' || (alone && item === 'a3')))
				return errorAnswer(new AppError('runner_crashed'));
			if (!isOver && item === 'a3')
				return { ...errorAnswer(new AppError('rate_limited')), retryAfterS: 3600 };
			return good;
		};
		const first = shard('a', 20, run, {
			pause: async () => {
				waiting++;
				await released;
			},
		});
		try {
			await until('A waits', () => waiting === 1);
			let others: number | undefined;
			const second = shard('b', 50, run).then(({ completed }) => (others = completed));
			second.catch(() => {});
			await until('B is done', () => others !== undefined, 10_000);
			assert.equal(others, 50);
			assert.equal(asked.get('b3'), 2);
			isOver = true;
			release();
			assert.equal((await first).completed, 20);
		} finally {
			stop.abort();
			release();
			await first.catch(() => {});
		}
	});

test('items for which there is no memory beside others are asked again alone, and wait for it once a shard', async () => {
	const shard = await runner('/v1/chat/completions', new AbortController().signal);
	let running = 0;
	const alone: string[] = [];
	const pauses: number[] = [];
	const run: RunItem = async ({ body }) => {
		const item = itemOf(body);
		running++;
		await turn();
		const others = running - 1;
		await turn();
		running--;
		if (others === 0) alone.push(item);
		// One is too large in any case.
		return item === 'a5' || (item === 'a3' && others > 0)
			? errorAnswer(new AppError('out_of_memory'))
			: good;
	};
	const { completed, failed } = await shard('a', 8, run, {
		pause: async (milliseconds) => void pauses.push(milliseconds),
	});
	assert.deepEqual([completed, failed], [7, 1]);
	assert.deepEqual(alone, ['a3', 'a5', 'a5', 'a5', 'a5']);
	assert.deepEqual(pauses, [5000, 10_000, 20_000]);
});

test('where one item takes all the room, the next shard is called when it is done or waits elsewhere', async () => {
	const { signal } = new AbortController();
	const told: string[] = [];
	const onLast = () => void told.push('next');
	const run: RunItem = async ({ body }, _, outside) => {
		const item = itemOf(body);
		told.push(`${item} begins`);
		await turn();
		if (item === 'd1') await outside?.(turn);
		told.push(`${item} ends`);
		return good;
	};
	await (await runner('/v1/audio/transcriptions', signal))('a', 2, run, { onLast });
	assert.deepEqual(told.splice(0), ['a0 begins', 'a0 ends', 'a1 begins', 'a1 ends', 'next']);
	await (await runner(documentEndpoint, signal))('d', 2, run, { onLast });
	assert.deepEqual(told.splice(0), ['d0 begins', 'd0 ends', 'd1 begins', 'next', 'd1 ends']);
	await (await runner('/v1/embeddings', signal))('e', 1, run, { onLast });
	assert.deepEqual(told, ['next', 'e0 begins', 'e0 ends']);
});

test('a worker that is told to end during an item leaves no note that the item has ended it', async () => {
	const store = await openFolderStore(temporaryFolder('shard'), Date.now);
	const line = Buffer.from(
		`${JSON.stringify({ custom_id: 'a', url: '/v1/embeddings', body: { input: 'a' } })}\n`,
	);
	await store.put(keys.fileContent('in'), line);
	const stop = new AbortController();
	const notes = async () => {
		const found: string[] = [];
		for await (const key of store.list(keys.suspects({ batch: 'b', shard: 0 }))) found.push(key);
		return found.length;
	};
	let during = 0;
	const run: RunItem = async () => {
		during = await notes();
		stop.abort();
		throw stop.signal.reason;
	};
	const owner = { caller: 'owner', person: 'p' } as const;
	await assert.rejects(
		runShard(
			{
				...{ version: batchVersion, id: 'b', owner, endpoint: '/v1/embeddings', inputFileId: 'in' },
				...{ completionWindow: '1h', createdAt: 0, expiresAt: 1 },
			},
			{ number: 0, start: 0, end: line.length, firstLine: 0, items: 1 },
			// So often that the one who ends its workers is looked for.
			4,
			{ store, lanes: new WorkPlaces(laneRoom), run, scratch: temporaryFolder('scratch') },
			stop.signal,
		),
	);
	assert.deepEqual([during, await notes()], [1, 0]);
});
