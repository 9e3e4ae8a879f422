import assert from 'node:assert/strict';
import { test } from 'node:test';
import { limitList, type UsageLimits } from '../../../server/protocol/limitTypes.ts';
import { createAccount } from '../../../server/services/limits/account.ts';
import { forwardClock } from '../../../server/services/limits/forwardClock.ts';
import { LocalCounts } from '../../../server/services/limits/limitCounts.ts';
import type { UsageRow } from '../../../server/services/limits/usageRows.ts';
import { chargedAudio, firstSeconds } from '../../../server/services/speech/chargedAudio.ts';

/** Sound of so many seconds, one second at a time. */
const audioOf = (seconds: number, onSecond = () => {}) => ({
	info: {} as never,
	samples: (async function* () {
		for (let second = 0; second < seconds; second++) {
			yield new Float32Array(16_000);
			onSecond();
		}
	})(),
	close: async () => {},
});

function accountWith(limits: UsageLimits, now = { ms: 0 }) {
	const rows: Omit<UsageRow, 'day'>[] = [];
	const counts = new LocalCounts(
		forwardClock(
			() => now.ms,
			() => now.ms,
		),
	);
	const account = createAccount({
		...{ person: 'a', shown: 'a', counts },
		limits: () => limitList(limits),
		record: (row) => rows.push(row),
	});
	const taken = async () => (await counts.standings('a', limitList(limits)))[0]?.taken;
	return { account, rows, taken };
}

const work = { kind: 'speech', model: 'm', ...firstSeconds(undefined) } as const;

test('sound that is longer than its file says ends where the limit does, and what was heard is paid', async () => {
	const { account, rows, taken } = accountWith({ secondsPerDay: 70 });
	let received = 0;
	await assert.rejects(
		async () => {
			await using bill = await account.open(work);
			for await (const piece of chargedAudio(audioOf(500), bill).samples) {
				received += piece.length / 16_000;
				bill.total({ seconds: received });
			}
		},
		{ code: 'rate_limited' },
	);
	assert.equal(received, 70);
	assert.equal(rows[0]?.seconds, 70);
	assert.equal(await taken(), 70);
	await assert.rejects(account.open(work), { code: 'rate_limited' });
});

test('whoever has a few seconds left is heard for so long, and holds no more than that from others', async () => {
	const { account, taken } = accountWith({ secondsPerDay: 5 });
	{
		await using bill = await account.open(work);
		assert.equal(await taken(), 1, 'a second is reserved before anything is heard');
		let received = 0;
		for await (const piece of chargedAudio(audioOf(4), bill).samples) {
			received += piece.length / 16_000;
			assert.equal(await taken(), received, 'as it is heard');
		}
		await using other = await account.open(work);
		bill.total({ seconds: 4 });
		other.total({ seconds: 0 });
	}
	assert.equal(await taken(), 4);
});

test('who speaks for minutes keeps to a limit per minute that is as long as a minute', async () => {
	const now = { ms: 1_000_000 };
	const { account, taken } = accountWith({ secondsPerMinute: 65 }, now);
	const second = () => {
		now.ms += 1000;
	};
	{
		await using bill = await account.open(work);
		for await (const _ of chargedAudio(audioOf(300, second), bill).samples);
		bill.total({ seconds: 300 });
	}
	assert.ok(((await taken()) ?? 0) <= 65);
	const fast = accountWith({ secondsPerMinute: 65 }, now);
	await assert.rejects(
		async () => {
			await using bill = await fast.account.open(work);
			for await (const _ of chargedAudio(audioOf(300), bill).samples);
		},
		{ code: 'rate_limited' },
		'a file of five minutes at once is too much',
	);
});

test('a recording reserves the length that its file says', async () => {
	const { account, taken } = accountWith({ secondsPerDay: 70 });
	const known = { ...work, min: {}, ...firstSeconds(60) };
	await using bill = await account.open(known);
	assert.equal(await taken(), 60);
	bill.total({ seconds: 60 });
	await assert.rejects(account.open(known), { code: 'rate_limited' });
});

test('a short recording pays for its length alone', async () => {
	const { account, taken } = accountWith({ secondsPerDay: 70 });
	{
		await using bill = await account.open(work);
		for await (const _ of chargedAudio(audioOf(4), bill).samples);
		bill.total({ seconds: 4 });
	}
	assert.equal(await taken(), 4);
});
