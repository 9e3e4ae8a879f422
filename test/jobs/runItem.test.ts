/** When an item is asked again. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { codeOf, failureKind } from '../../server/jobs/itemFailures.ts';
import { errorAnswer, type ItemAnswer, type ItemCall } from '../../server/jobs/itemRow.ts';
import { type ItemWait, realPause, requestItem } from '../../server/jobs/runItem.ts';
import { AppError, type ErrorCode } from '../../server/protocol/index.ts';

const owner = { caller: 'owner', person: 'local' } as const;
const call: ItemCall = { owner, url: '/v1/completions', body: {} };

/** How long it rests between the answers of such a code, before one that is good. */
async function rests(code: ErrorCode, times: number, retryAfterS: number): Promise<number[]> {
	const pauses: number[] = [];
	let left = times;
	const answer = await requestItem(
		async (): Promise<ItemAnswer> =>
			left-- > 0
				? { ...errorAnswer(new AppError(code)), retryAfterS }
				: { status: 200, requestId: '', body: {} },
		call,
		async (milliseconds) => void pauses.push(milliseconds),
		new AbortController().signal,
	);
	assert.equal(answer.status, 200);
	return pauses;
}

test('an item rests for as long as it is told, and for half a minute at most', async () => {
	assert.deepEqual(await rests('rate_limited', 2, 7), [7000, 7000]);
	assert.deepEqual(await rests('overloaded', 1, 3600), [30_000]);
});

test('an item whose model is being loaded is asked again soon, whatever is said of the time it takes', async () => {
	const pauses = await rests('model_loading', 9, 30);
	assert.deepEqual(pauses.slice(0, 4), [200, 400, 800, 1600]);
	assert.deepEqual(pauses.slice(-2), [25_600, 30_000]);
});

for (const code of [
	'daemon_unavailable',
	'store_unavailable',
	'disk_full',
	'download_failed',
	'upstream_failed',
] as const)
	test(`what an item needs and is away (${code}) makes no row of it, however long it is, and is said with a time`, async () => {
		let left = 40;
		const said: ItemWait[] = [];
		const answer = await requestItem(
			async (): Promise<ItemAnswer> =>
				left-- > 0
					? {
							...errorAnswer(new AppError(code, 'It is away.')),
							...(code === 'upstream_failed' ? { isUnsent: true as const } : {}),
						}
					: { status: 200, requestId: '', body: {} },
			call,
			async (_, __, why) => void said.push(why),
			new AbortController().signal,
		);
		assert.equal(answer.status, 200);
		assert.equal(said.length, 40);
		assert.deepEqual(said.at(-1), {
			...{ code, message: 'It is away.', pauseMs: 30_000, saidMs: 30_000 },
		});
	});

test('an item that may be the cause itself is tried three times, whatever was away in between', async () => {
	const answers: AppError[] = [
		...[new AppError('internal'), new AppError('daemon_unavailable')],
		...[
			new AppError('timeout'),
			new AppError('store_unavailable'),
			new AppError('upstream_failed'),
		],
	];
	const asked: string[] = [];
	const answer = await requestItem(
		async () => {
			const error = answers[asked.length] ?? new AppError('conflict');
			asked.push(error.code);
			return errorAnswer(error);
		},
		call,
		async () => {},
		new AbortController().signal,
	);
	assert.deepEqual([answer.status, asked.length], [502, 5]);
});

/** What an item of such an answer does: the answer that it ends with, and how long it rested. */
async function triedWith(answer: ItemAnswer, times: number, memoryPauses?: number[]) {
	const pauses: number[] = [];
	let asked = 0;
	const last = await requestItem(
		async (): Promise<ItemAnswer> =>
			asked++ < times ? answer : { status: 200, requestId: '', body: {} },
		call,
		async (milliseconds) => void pauses.push(milliseconds),
		new AbortController().signal,
		undefined,
		memoryPauses,
	);
	return { status: last.status, asked, pauses };
}

const numbered = (code: number | string, retryAfterS?: number): ItemAnswer => ({
	...{ status: Math.floor(Number(code) / 1000), requestId: '' },
	body: { error: { code, message: 'About it.' } },
	...(retryAfterS === undefined ? {} : { retryAfterS }),
});

test('an item for which there is no memory beside others comes back at once, and alone it waits for memory', async () => {
	const answer = errorAnswer(new AppError('out_of_memory'));
	assert.deepEqual(await triedWith(answer, 9), { status: 503, asked: 1, pauses: [] });
	const left = [5000, 10_000];
	assert.deepEqual(await triedWith(answer, 1, left), { status: 200, asked: 2, pauses: [5000] });
	assert.deepEqual(left, [10_000], 'what is waited is gone for the others of the shard');
	assert.deepEqual(await triedWith(answer, 9, left), { status: 503, asked: 2, pauses: [10_000] });
});

test('an item whose model finds no room was not seen by it, and waits until there is some', async () => {
	const answer = { ...errorAnswer(new AppError('out_of_memory')), isUnsent: true as const };
	const { status, asked } = await triedWith(answer, 40);
	assert.deepEqual([status, asked], [200, 41]);
});

test('a failure that an interface numbers is what its header says, and otherwise what its number and its time to wait say', () => {
	const kinds = (code: number | string, own?: string, retryAfterS?: number) =>
		failureKind({ ...numbered(code, retryAfterS), ...(own === undefined ? {} : { code: own }) });
	for (const code of [503000, '503000']) {
		assert.equal(kinds(code), 'outage');
		assert.equal(kinds(code, undefined, 2), 'turn');
		assert.equal(kinds(code, 'overloaded', 2), 'turn');
		assert.equal(kinds(code, 'store_unavailable'), 'outage');
		assert.equal(kinds(code, 'upstream_failed'), 'attempt');
		assert.equal(kinds(code, 'out_of_memory'), 'memory');
		assert.equal(codeOf({ ...numbered(code), code: 'runner_crashed' }), 'runner_crashed');
	}
	assert.equal(kinds('429001', undefined, 7), 'turn');
	assert.equal(kinds(429001), 'own', 'it alone is more than its person may use');
	assert.equal(kinds(408001, undefined, 30), 'turn');
	assert.equal(kinds(408001), 'own');
	assert.equal(kinds('400036'), 'own');
	assert.equal(failureKind({ status: 503, requestId: '', body: 'a page of a proxy' }), 'outage');
});

test('an item that waits for what is away ends at once with its batch', async () => {
	const ended = new AbortController();
	const asking = requestItem(
		async () => errorAnswer(new AppError('store_unavailable')),
		call,
		async (milliseconds, signal) => {
			ended.abort(new AppError('cancelled'));
			await realPause(milliseconds * 1000, signal);
		},
		ended.signal,
	);
	await assert.rejects(asking, { code: 'cancelled' });
});
