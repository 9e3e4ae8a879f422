/** The file of kept responses: damaged, of a later version, locked, full, deleted. */

import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { AppError } from '../../../server/protocol/index.ts';
import { answerLimits } from '../../../server/services/responses/answerLimits.ts';
import type { NewAnswer } from '../../../server/services/responses/answerStore.ts';
import { createAnswerStore } from '../../../server/services/responses/answerThread.ts';
import { onNotice } from '../../../server/store/notices.ts';
import { sqliteError } from '../../../server/store/openSqlite.ts';
import { needsModes } from '../../support/systemNeeds.ts';
import { temporaryFolder } from '../../support/temporaryFolder.ts';

const limits = answerLimits({});

function opened(folder = temporaryFolder('answers')) {
	const path = join(folder, 'responses.db');
	return { folder, path, store: createAnswerStore({ path, limits, busyMs: 100 }) };
}

const answer = (id: string, text = ''): NewAnswer => ({
	...{ person: 'a', id, status: 'in_progress' },
	...{ json: JSON.stringify({ text }), input: [] },
});

test('a damaged file and one of a later version are set aside and told of, and a new one is begun', async () => {
	for (const damage of ['text', 'later', 'middle']) {
		const { folder, path, store } = opened();
		await store.begin(answer('r1', 'x'.repeat(100_000)));
		await store.close();
		if (damage === 'text') writeFileSync(path, 'no database '.repeat(1000));
		else if (damage === 'later') {
			const db = new DatabaseSync(path);
			db.exec('PRAGMA user_version = 99');
			db.close();
		} else {
			const bytes = readFileSync(path);
			bytes.fill(0x5a, 4096);
			writeFileSync(path, bytes);
		}
		const told: string[] = [];
		using _ = onNotice((text) => told.push(text));
		const again = opened(folder);
		// What is damaged inside may show only when it is used.
		for (let n = 0; n < 3; n++) await again.store.begin(answer(`n${n}`)).catch(() => {});
		await again.store.begin(answer('new'));
		assert.equal(await again.store.answer('a', 'new'), '{"text":""}');
		await again.store.close();
		assert.equal(told.length, 1, damage);
		assert.match(told[0] ?? '', /kept as .*responses\.db\.damaged-/);
		assert.ok(readdirSync(folder).some((name) => name.includes('.damaged-')));
	}
});

test('a file that another program has locked is an error in time, and works again afterwards', async () => {
	const { path, store } = opened();
	await store.begin(answer('r1'));
	const other = new DatabaseSync(path);
	other.exec('BEGIN IMMEDIATE');
	await assert.rejects(store.begin(answer('r2')), { code: 'store_unavailable' });
	assert.equal(await store.answer('a', 'r1'), '{"text":""}');
	other.exec('ROLLBACK');
	other.close();
	await store.begin(answer('r2'));
	await store.close();
});

test('a place where no file can be made is an error that names it', async () => {
	const { path, store } = opened();
	mkdirSync(path);
	await assert.rejects(store.begin(answer('r1')), (error) => {
		assert.ok(error instanceof AppError);
		assert.equal(error.code, 'store_unavailable');
		assert.ok(error.message.includes(path), error.message);
		return true;
	});
	await store.close();
});

test('a full disk is said to be full, whatever SQLite calls it', () => {
	const db = new DatabaseSync(':memory:');
	db.exec('PRAGMA max_page_count = 3; CREATE TABLE t (x TEXT)');
	let full: unknown;
	try {
		db.prepare('INSERT INTO t VALUES (?)').run('y'.repeat(100_000));
	} catch (error) {
		full = error;
	}
	const known = sqliteError(full, '/data/responses.db', 'The kept responses');
	assert.ok(known instanceof AppError);
	assert.equal(known.code, 'disk_full');
	assert.match(known.message, /no space left/);
});

test('what is deleted is in none of the files', async () => {
	const { folder, store } = opened();
	const holds = (text: string) =>
		readdirSync(folder).some((name) => readFileSync(join(folder, name)).includes(text));
	const conversation = { id: 'c', createdAt: 1, metadata: '{}' };
	const item = { id: 'i', json: '"a third secret"' };
	await store.begin(answer('r1', 'a secret of the first'));
	await store.createConversation('a', conversation, [item]);
	assert.ok(holds('a secret of the first') && holds('a third secret'));
	if (!needsModes) assert.equal(statSync(join(folder, 'responses.db')).mode & 0o077, 0);
	await store.deleteAnswer('a', 'r1');
	assert.ok(!holds('a secret of the first'));
	await store.deleteItem('a', 'c', 'i');
	assert.ok(!holds('a third secret'));
	assert.equal(await store.deleteAll(), 1);
	assert.deepEqual(readdirSync(folder), []);
	assert.deepEqual(await store.counts(), { responses: 0, conversations: 0, people: 0, bytes: 0 });
	await store.close();
});

test('calls beyond the bound are refused at once, those before them are answered', async () => {
	const { store } = opened();
	const calls = Array.from({ length: 600 }, () => store.counts());
	const done = await Promise.allSettled(calls);
	const refused = done.filter((each) => each.status === 'rejected');
	assert.equal(refused.length, 100);
	for (const { reason } of refused) assert.equal(reason.code, 'overloaded');
	await store.close();
});

test('what may be kept is set by the environment, and nonsense is refused by name', () => {
	assert.equal(answerLimits({ NEARGLOT_RESPONSES_DAYS: '0' }).days, 0);
	assert.equal(answerLimits({ NEARGLOT_RESPONSES_MB: '100' }).personBytes, 100 * 1_048_576);
	for (const name of ['NEARGLOT_RESPONSES_DAYS', 'NEARGLOT_RESPONSES_MB'])
		for (const value of ['many', '-1', '1.5', '1e9'])
			assert.throws(
				() => answerLimits({ [name]: value }),
				(error) => (error as Error).message.startsWith(name),
			);
});
