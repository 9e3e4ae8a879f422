/** A disk that fills up under a batch: it is said, nothing is lost, and it goes on when there is room. */

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, statfsSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { after, test } from 'node:test';
import { RedisServer, redisMissing } from '../gateway/support/redisServer.ts';
import { needsLinux } from '../support/systemNeeds.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { until } from '../support/until.ts';
import { answers, begun, end, expected, finished, items, owner, work } from './batchProcesses.ts';
import { capitals, type JobWorkerOptions, openJobs } from './jobWorker.ts';

const mount = (...args: string[]) => spawnSync('mount', args, { encoding: 'utf8' });
const disk = temporaryFolder('disk');
const skip =
	needsLinux ||
	(mount('-t', 'tmpfs', '-o', 'size=16m', 'tmpfs', disk).status !== 0 &&
		'this user cannot mount a small disk');
after(() => {
	if (skip === false) spawnSync('umount', ['-l', disk]);
});
const resize = (size: string) => assert.equal(mount('-o', `remount,size=${size}`, disk).status, 0);

/** As full as it is now, but for a few pages. */
const fill = () => {
	const used = spawnSync('du', ['-sk', disk], { encoding: 'utf8' }).stdout.split('\t')[0];
	resize(`${Number(used) + 8}k`);
};
const optionsIn = (store: string, queue: string): JobWorkerOptions => {
	mkdirSync(join(disk, store));
	return {
		...{ store: join(disk, store), queue: join(queue, 'queue.db') },
		...{ isAlone: false, width: 1, leaseMs: 900, itemMs: 0 },
	};
};

for (const queue of ['the embedded queue', 'Redis'] as const)
	test(`with ${queue}, a batch whose results find no room says so, and is whole when there is room again`, {
		skip: skip || (queue === 'Redis' && redisMissing),
	}, async () => {
		resize('16m');
		await using redis = queue === 'Redis' ? await RedisServer.start() : undefined;
		const options = optionsIn(`own ${queue}`, temporaryFolder('queue'));
		const service = openJobs(
			redis === undefined ? { ...options, isAlone: true } : { ...options, queue: redis.url },
		);
		const jobs = await service.open();
		const lines = items(3000).map((line) => Buffer.from(line));
		const file = await jobs.files.add(owner.person, Readable.from(lines), {
			...{ filename: 'in.jsonl', purpose: 'batch' },
		});
		const { record } = await jobs.batches.create(owner, {
			...{ inputFileId: file.id, endpoint: '/v1/chat/completions', completionWindow: '1h' },
		});
		const view = () => jobs.batches.get(owner.person, record.id);
		fill();
		service.start(capitals(0));
		await until('it says so', async () => (await view()).open?.problem?.code === 'disk_full');
		assert.match((await view()).open?.problem?.message ?? '', /disk|room|space/i);
		assert.equal((await view()).end, undefined);
		resize('32m');
		const { end: done } = await finished(jobs, record.id);
		assert.equal(done?.status, 'completed');
		assert.deepEqual(await answers(jobs, done?.outputFileId), expected(3000));
		await service.close();
	});

test('a full disk of the queue and the store ends no worker and loses nothing', {
	skip,
}, async () => {
	resize('16m');
	const options = optionsIn('shared', disk);
	const { service, jobs, id } = await begun(items(3000), options);
	await until('it is cut into shards', async () => {
		const { open } = await jobs.batches.get(owner.person, id);
		return open?.manifest !== undefined;
	});
	fill();
	const worker = work(options);
	await until('there is no room', () => statfsSync(disk).bavail === 0);
	assert.equal((await jobs.batches.get(owner.person, id)).end, undefined, 'it has not ended');
	assert.equal(worker.exitCode, null, 'the worker lives');
	resize('32m');
	const { end: done } = await finished(jobs, id);
	assert.equal(done?.status, 'completed');
	assert.deepEqual(await answers(jobs, done?.outputFileId), expected(3000));
	await end(worker);
	await service.close();
});
