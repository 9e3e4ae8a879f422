/** What an account says of the limit that has refused a request. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type AppError, asAppError } from '../../../server/protocol/index.ts';
import { limitList, type UsageLimits } from '../../../server/protocol/limitTypes.ts';
import { createAccount } from '../../../server/services/limits/account.ts';
import { forwardClock } from '../../../server/services/limits/forwardClock.ts';
import { LocalCounts } from '../../../server/services/limits/limitCounts.ts';

const start = Date.UTC(2026, 0, 1, 12);

function newAccount(limits: UsageLimits) {
	const at = { ms: start };
	const clock = forwardClock(
		() => at.ms,
		() => 0,
	);
	const counts = new LocalCounts(clock);
	const account = createAccount({
		...{ person: 'a', shown: 'Each person', counts },
		limits: () => limitList(limits),
		record: () => {},
	});
	const use = async (tokens: number, afterMs: number) => {
		await counts.settle('a', undefined, { tokens });
		at.ms += afterMs;
	};
	const refused = async (tokens: number): Promise<AppError> => {
		const work = { kind: 'chat', model: 'm', amounts: { tokens } } as const;
		return account.open(work).then(
			() => assert.fail('It was let in.'),
			(error: unknown) => asAppError(error),
		);
	};
	return { account, use, refused };
}

test('a limit that refuses ends when the request may be sent again, in every word about it', async () => {
	const { account, use, refused } = newAccount({ tokensPerMinute: 100 });
	await use(60, 40_000);
	await use(35, 1000);
	// The first 60 are free again in 19 s, the rest in 59.
	const { retryAfterS } = await refused(50);
	assert.equal(retryAfterS, 19);
	assert.deepEqual(
		account.standings.map(({ resetMs, taken }) => [Math.ceil(resetMs / 1000), taken]),
		[[19, 95]],
	);
	await account.look('tokens');
	assert.equal(account.standings[0]?.resetMs, 59_000);
});

test('of two limits that refuse the one that is named is told of, though less is left of the other', async () => {
	const { account, use, refused } = newAccount({ tokensPerMinute: 100, tokensPerDay: 400 });
	for (let minute = 0; minute < 3; minute++) await use(88, 61_000);
	await use(96, 0);
	const error = await refused(50);
	const [standing, ...others] = account.standings;
	assert.deepEqual(others, []);
	assert.equal(standing?.limit.period, 'day');
	assert.equal(`tokens_per_${standing?.limit.period}`, error.data?.['limit']);
	assert.equal(Math.ceil((standing?.resetMs ?? 0) / 1000), error.retryAfterS);
});
