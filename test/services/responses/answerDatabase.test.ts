/** What is kept of responses: for whom, how much, how long, and what is left after a delete. */

import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { AnswerDatabase } from '../../../server/services/responses/answerDatabase.ts';
import { answerTables } from '../../../server/services/responses/answerRows.ts';
import type { AnswerLimits } from '../../../server/services/responses/answerStore.ts';

const limits: AnswerLimits = {
	days: 30,
	personBytes: 10_000,
	personEntries: 5,
	allBytes: 100_000,
	entryBytes: 2000,
};
const day = 86_400_000;

function opened(more: Partial<AnswerLimits> = {}) {
	const db = new DatabaseSync(':memory:');
	db.exec(`PRAGMA foreign_keys = ON; ${answerTables}`);
	const clock = { now: 1000 * day };
	const answers = new AnswerDatabase(db, { ...limits, ...more }, () => clock.now);
	let count = 0;
	const add = (person: string, id: string, previous?: string, text = 'x') => {
		const item = () => ({ id: `msg_${++count}`, json: JSON.stringify({ type: 'message', text }) });
		answers.begin({
			...{ person, id, status: 'in_progress', json: '{}', input: [item()] },
			...(previous === undefined ? {} : { previous }),
		});
		answers.end({ person, id, status: 'completed', json: '{"a":1}', output: [item()] });
	};
	const has = (person: string, id: string): boolean => {
		try {
			return answers.answer(person, id) !== '';
		} catch {
			return false;
		}
	};
	return { db, clock, answers, add, has };
}

test('of one person so many are kept; what was used longest ago goes, and others lose nothing', () => {
	const { add, has, answers } = opened();
	add('b', 'theirs');
	for (let n = 0; n < 5; n++) add('a', `r${n}`);
	answers.context('a', 'r0');
	add('a', 'r5');
	assert.ok(has('a', 'r0'), 'it was continued');
	assert.ok(!has('a', 'r1'));
	assert.ok(has('a', 'r5') && has('b', 'theirs'));
});

test('so many bytes are kept of one person, and of all', () => {
	const { add, has, answers } = opened({ personBytes: 3000, personEntries: 100, allBytes: 5000 });
	const long = 'y'.repeat(450);
	for (let n = 0; n < 5; n++) add('a', `r${n}`, undefined, long);
	assert.ok(!has('a', 'r0') && !has('a', 'r1') && has('a', 'r4'));
	for (let n = 0; n < 5; n++) add(`p${n}`, 'r', undefined, long);
	assert.ok(answers.counts().bytes <= 5000);
	assert.ok(has('p4', 'r'), 'the newest stays');
});

test('a response of too many bytes is refused, and nothing of it is kept', () => {
	const { add, answers } = opened();
	assert.throws(() => add('a', 'r', undefined, 'y'.repeat(3000)), { code: 'payload_too_large' });
	assert.equal(answers.counts().responses, 0);
});

test('what was not used for its days is gone; a clock that is set back makes nothing live longer or die', () => {
	const { add, has, answers, clock } = opened();
	add('a', 'old');
	clock.now += 20 * day;
	add('a', 'young');
	clock.now += 11 * day;
	answers.sweep();
	assert.ok(!has('a', 'old') && has('a', 'young'));
	clock.now -= 500 * day;
	answers.sweep();
	assert.ok(has('a', 'young'));
	add('a', 'then');
	clock.now += 29 * day;
	answers.sweep();
	assert.ok(has('a', 'young') && has('a', 'then'));
	clock.now += 2 * day;
	answers.sweep();
	assert.ok(!has('a', 'young') && !has('a', 'then'));
});

test('the order is that of the calls, whatever the clock says', () => {
	const { add, answers, clock } = opened({ personEntries: 100 });
	add('a', 'r0');
	clock.now -= 100 * day;
	add('a', 'r1', 'r0');
	clock.now += 300 * day;
	add('a', 'r2', 'r1');
	const ids = answers.context('a', 'r2').map(({ id }) => id);
	assert.deepEqual(
		ids,
		[1, 2, 3, 4, 5, 6].map((n) => `msg_${n}`),
	);
});

test('pages of any size hold every item once, from both ends', () => {
	const { add, answers } = opened({ personEntries: 100 });
	for (let n = 0; n < 20; n++) add('a', `r${n}`, n === 0 ? undefined : `r${n - 1}`);
	for (const order of ['asc', 'desc'] as const)
		for (const limit of [1, 7, 100]) {
			const ids: string[] = [];
			for (let after: string | undefined; ; ) {
				const page = answers.inputItems('a', 'r19', {
					...{ limit, order },
					...(after === undefined ? {} : { after }),
				});
				ids.push(...page.items.map(({ id }) => id));
				after = ids.at(-1);
				if (!page.hasMore) break;
			}
			const all = Array.from({ length: 39 }, (_, n) => `msg_${n + 1}`);
			assert.deepEqual(ids, order === 'asc' ? all : all.reverse());
		}
	assert.throws(() => answers.inputItems('a', 'r19', { limit: 1, order: 'asc', after: 'msg_99' }), {
		code: 'not_found',
	});
});

test('one that has not ended cannot be continued, and is ended by the next start', () => {
	const { answers, has } = opened();
	const begun = { person: 'a', id: 'r', status: 'in_progress', json: '{}', input: [] } as const;
	answers.begin(begun);
	assert.throws(() => answers.context('a', 'r'), { code: 'invalid_request' });
	answers.endUnfinished({ code: 'server_error', message: 'ended' });
	assert.deepEqual(JSON.parse(answers.answer('a', 'r')), {
		status: 'failed',
		error: { code: 'server_error', message: 'ended' },
	});
	answers.deleteAnswer('a', 'r');
	answers.end({ person: 'a', id: 'r', status: 'completed', json: '{}', output: [] });
	assert.ok(!has('a', 'r'), 'what was deleted meanwhile does not come back');
});

test('ids that are no ids are not found', () => {
	const { answers, add } = opened();
	add('a', 'r');
	for (const id of ['', '../r', "r' OR '1'='1", 'r\0', '%', 'x'.repeat(100_000)])
		assert.throws(() => answers.answer('a', id), { code: 'not_found' });
});
