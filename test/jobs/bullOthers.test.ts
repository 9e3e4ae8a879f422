/** A shard that was taken out of the line in Redis is somebody's, whatever Redis says afterwards. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Job, Queue } from 'bullmq';
import { nextOfOthers } from '../../server/jobs/bullOthers.ts';

for (const batch of ['wanted', 'left out'])
	test(`a shard of a batch that is ${batch} is leased when Redis goes away as it was called`, async () => {
		const away = async () => {
			throw new Error('The socket is closed.');
		};
		const job = {
			data: { batch, shard: 7, turn: 3, stride: 1 },
			...{ changePriority: away, moveToWait: away },
		} as unknown as Job;
		const found = await nextOfOthers(new Set(['left out']), 'token', {
			client: {
				sMembers: async () => ['wanted'],
				eval: async () => '7',
				zCount: async () => 0,
				lLen: async () => 0,
			},
			queue: { toKey: (name: string) => name, getJob: away } as unknown as Queue,
			next: async () => job,
			inTime: (work) => work(),
			now: () => 0,
		});
		assert.equal(found, job);
	});
