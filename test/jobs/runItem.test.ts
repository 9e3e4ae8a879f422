/** When an item is asked again. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
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
