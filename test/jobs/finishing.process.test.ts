/** A server that is killed while it joins the results leaves no file behind that nobody knows of, on either queue. */

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { openFolderStore } from '../../server/jobs/folderStore.ts';
import { keys } from '../../server/jobs/jobTypes.ts';
import { RedisServer, redisMissing } from '../gateway/support/redisServer.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { until } from '../support/until.ts';
import {
	answers,
	begun,
	end,
	expected,
	finished,
	item,
	items,
	owner,
	work,
} from './batchProcesses.ts';
import { type JobWorkerOptions, openJobs } from './jobWorker.ts';

let redis: RedisServer | undefined;
before(async () => {
	if (!redisMissing) redis = await RedisServer.start();
});
after(() => redis?.[Symbol.asyncDispose]());

// After the file of answers, and after that of errors.
for (const queue of ['the embedded queue', 'Redis'] as const)
	for (const times of [1, 2])
		test(`with ${queue}, a server killed when it had joined ${times} of two files leaves none of them over`, {
			skip: queue === 'Redis' && redisMissing,
		}, async () => {
			const folder = temporaryFolder('finishing');
			const options: JobWorkerOptions = {
				store: join(folder, 'store'),
				queue: queue === 'Redis' ? `${redis?.url}/${times}` : join(folder, 'queue.db'),
				isAlone: queue !== 'Redis',
				...{ width: 1, leaseMs: 900, itemMs: 0 },
			};
			const lines = [...items(60), item(60).replace('"POST"', '"GET"')];
			const { service, jobs, id } = await begun(lines, options);
			await until(
				'it is cut',
				async () => (await jobs.batches.get(owner.person, id)).open?.manifest !== undefined,
			);
			// From here on the workers alone bring it to its end.
			await service.close();
			const killed = work({ ...options, fault: { point: 'joined', times } });
			await once(killed, 'exit');
			await using store = await openFolderStore(options.store, Date.now);
			const contents = async (): Promise<string[]> => {
				const found: string[] = [];
				for await (const key of store.list(keys.files)) found.push(key.slice(keys.files.length));
				return found;
			};
			assert.equal((await contents()).length, 1 + times, 'the killed one has left some');
			const reader = openJobs({ ...options, queue: join(folder, 'unused.db'), width: 0 });
			const second = work(options);
			const seen = await reader.open();
			const { end: done, record } = await finished(seen, id);
			assert.deepEqual(done?.counts, { total: 61, completed: 60, failed: 1 });
			assert.deepEqual(await answers(seen, done?.outputFileId), expected(60));
			await until(
				'it is forgotten',
				async () => (await store.size(keys.openBatch(id))) === undefined,
			);
			await Promise.all([end(second), reader.close()]);
			assert.deepEqual(
				(await contents()).sort(),
				[record.inputFileId, done?.outputFileId, done?.errorFileId].sort(),
			);
		});
