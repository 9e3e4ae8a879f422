/** When an item is asked again. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { errorAnswer, type ItemAnswer, type ItemCall } from '../../server/jobs/itemRow.ts';
import { requestItem } from '../../server/jobs/runItem.ts';
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
