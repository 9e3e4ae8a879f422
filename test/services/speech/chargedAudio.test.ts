import assert from 'node:assert/strict';
import { test } from 'node:test';
import { limitList } from '../../../server/protocol/limitTypes.ts';
import { createAccount } from '../../../server/services/limits/account.ts';
import { forwardClock } from '../../../server/services/limits/forwardClock.ts';
import { LocalCounts } from '../../../server/services/limits/limitCounts.ts';
import type { UsageRow } from '../../../server/services/limits/usageRows.ts';
import { chargedAudio, unknownLengthS } from '../../../server/services/speech/chargedAudio.ts';

/** Sound of so many seconds, one second at a time. */
const audioOf = (seconds: number) => ({
	info: {} as never,
	samples: (async function* () {
		for (let second = 0; second < seconds; second++) yield new Float32Array(16_000);
	})(),
	close: async () => {},
});

function accountWith(secondsPerDay: number) {
	const rows: Omit<UsageRow, 'day'>[] = [];
	const counts = new LocalCounts(
		forwardClock(
			() => 0,
			() => 0,
		),
	);
	const limits = limitList({ secondsPerDay });
	const account = createAccount({
		...{ person: 'a', shown: 'a', counts },
		limits: () => limits,
		record: (row) => rows.push(row),
	});
	return { account, rows, taken: async () => (await counts.standings('a', limits))[0]?.taken };
}

test('sound that is longer than its file says ends where the limit does, and what was heard is paid', async () => {
	const { account, rows, taken } = accountWith(70);
	const work = { kind: 'speech', model: 'm', amounts: { seconds: unknownLengthS } } as const;
	let received = 0;
	await assert.rejects(
		async () => {
			await using bill = await account.open(work);
			for await (const piece of chargedAudio(audioOf(500), bill, unknownLengthS).samples) {
				received += piece.length / 16_000;
				bill.total({ seconds: received });
			}
		},
		{ code: 'rate_limited' },
	);
	assert.equal(received, 60);
	assert.equal(rows[0]?.seconds, 60);
	assert.equal(await taken(), 60);
	await assert.rejects(account.open(work), { code: 'rate_limited' });
});

test('a short recording pays for its length alone', async () => {
	const { account, taken } = accountWith(70);
	{
		await using bill = await account.open({
			...{ kind: 'speech', model: 'm' },
			amounts: { seconds: unknownLengthS },
		});
		for await (const _ of chargedAudio(audioOf(4), bill, unknownLengthS).samples);
		bill.total({ seconds: 4 });
	}
	assert.equal(await taken(), 4);
});
