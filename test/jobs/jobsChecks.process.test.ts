/** With what queue and store of batches a server starts: what is away is waited for, what is wrong is refused. */

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { checkJobs } from '../../server/daemon/jobsBackend.ts';
import { RedisServer, redisMissing } from '../gateway/support/redisServer.ts';
import { freePort } from '../support/freePort.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

const said = async (jobs: Parameters<typeof checkJobs>[0]): Promise<string> => {
	let text = '';
	await checkJobs(jobs, (line) => {
		text += line;
	});
	return text;
};

test('a queue that is away keeps no server from its start, and is said', async () => {
	const queue = `redis://127.0.0.1:${await freePort()}`;
	assert.match(await said({ queue }), /queue of batches cannot be used.*all else works/s);
});

test('a queue with another password, and one that throws entries away, keep a server from its start', {
	skip: redisMissing,
}, async () => {
	await using redis = await RedisServer.start();
	assert.equal(await said({ queue: redis.url }), '');
	await redis.tell('CONFIG', 'SET', 'maxmemory-policy', 'allkeys-lru');
	await assert.rejects(said({ queue: redis.url }), { code: 'invalid_request' });
	await redis.tell('CONFIG', 'SET', 'maxmemory-policy', 'noeviction');
	await redis.tell('CONFIG', 'SET', 'requirepass', 'right');
	await assert.rejects(said({ queue: redis.url }), { code: 'invalid_request' });
});

test('a bucket whose service is away keeps no server from its start', async () => {
	process.env['AWS_ACCESS_KEY_ID'] = 'a';
	process.env['AWS_SECRET_ACCESS_KEY'] = 'b';
	const store = `s3://bucket?endpoint=http://127.0.0.1:${await freePort()}`;
	assert.match(await said({ store }), /bucket 'bucket' cannot be written.*all else works/s);
});

test('a store that is no folder keeps a server from its start', async () => {
	const folder = temporaryFolder('checks');
	assert.equal(await said({ store: join(folder, 'store') }), '');
	writeFileSync(join(folder, 'file'), '');
	await assert.rejects(said({ store: join(folder, 'file', 'store') }));
});
