/** A replica is ready only while its store takes what is written, whatever keeps it from that. */

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { openRedisStore } from '../../server/gateway/store/redisStore.ts';
import { openSqliteStore } from '../../server/gateway/store/sqliteStore.ts';
import type { Store } from '../../server/gateway/store/store.ts';
import { storeProof } from '../../server/gateway/store/storeProof.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { until } from '../support/until.ts';
import { Harness } from './support/harness.ts';
import { RedisServer, redisMissing } from './support/redisServer.ts';

const folder = temporaryFolder('proof');

const wordOf = (store: Store) => storeProof(store).state();

test('a Redis that is full, or a replica that may only be read, is not ready though it answers', {
	skip: redisMissing,
}, async () => {
	await using redis = await RedisServer.start();
	await using store = await openRedisStore(redis.url);
	await store.set('kept', 'value', 60_000);
	assert.equal(await wordOf(store), 'ok');
	await redis.tell('CONFIG', 'SET', 'maxmemory', '1');
	assert.equal(await wordOf(store), 'unusable');
	assert.equal(await store.get('kept'), 'value', 'it answers');
	await redis.tell('CONFIG', 'SET', 'maxmemory', '0');
	assert.equal(await wordOf(store), 'ok');
	await redis.tell('REPLICAOF', '127.0.0.1', '1');
	assert.equal(await wordOf(store), 'unusable');
	await redis.tell('REPLICAOF', 'NO', 'ONE');
	// The connection to the replica was given up: the next one may lead to somebody else.
	await until('it is connected again', async () => (await wordOf(store)) === 'ok');
	await redis.stop();
	assert.equal(await wordOf(store), 'unusable');
});

test('a file that another process holds is not ready', async () => {
	const path = join(folder, 'sessions.db');
	await using store = openSqliteStore(path);
	await store.set('kept', 'value', 60_000);
	assert.equal(await wordOf(store), 'ok');
	using other = new DatabaseSync(path);
	other.exec('BEGIN IMMEDIATE');
	assert.equal(await wordOf(store), 'unusable');
	assert.equal(await store.get('kept'), 'value', 'it answers');
	other.exec('ROLLBACK');
	assert.equal(await wordOf(store), 'ok');
});

test('a store that never answers makes no probe wait, and crowds of probes ask it once', async () => {
	let [asked, now] = [0, 0];
	const proof = storeProof(
		{
			prove: () => {
				asked++;
				return asked === 1 ? Promise.resolve() : new Promise(() => {});
			},
		},
		() => now,
	);
	const crowd = await Promise.all(Array.from({ length: 50 }, () => proof.state()));
	assert.deepEqual([new Set(crowd), asked], [new Set(['ok']), 1]);
	now += 1000;
	assert.deepEqual([await proof.state(), asked], ['unusable', 2]);
});

test('the layer says so: 503 to the probe of traffic, 200 to the probe of life', async () => {
	const store = openSqliteStore(':memory:');
	let fails = false;
	const prove = () => (fails ? Promise.reject(new Error('full')) : store.prove());
	await using h = await Harness.start({ store: { ...store, prove } });
	fails = true;
	const ready = await h.get('/.auth/readyz');
	assert.deepEqual(
		[ready.status, ready.json()],
		[503, { status: 'not_ready', store: 'unusable', keys: 'ok', upstream: 'ok' }],
	);
	const alive = await h.get('/.auth/healthz');
	assert.deepEqual([alive.status, alive.json()], [200, { status: 'ok', store: 'unusable' }]);
});
