/** A key that was revoked before anything of it came to a replica is known there as revoked. */

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { forwardClock } from '../../../server/services/limits/forwardClock.ts';
import { KeyStore } from '../../../server/services/limits/keyStore.ts';
import { silentLogger } from '../../../server/services/logger.ts';
import type { RedisClient, RedisLink } from '../../../server/services/shared/redisLink.ts';
import { keyTexts } from '../../../server/services/shared/sharedKeys.ts';
import { SharedTexts } from '../../../server/services/shared/sharedTexts.ts';
import { temporaryFolder } from '../../support/temporaryFolder.ts';

test('what is gone for all replicas is revoked on one that never had it', async () => {
	const keys = new KeyStore(join(temporaryFolder('revoked'), 'keys.db'), forwardClock(Date.now));
	try {
		const client = {
			get: async () => '1',
			hGetAll: async () => ({ '0badcafe': 'gone', people: 'gone' }),
		} as unknown as RedisClient;
		const link = {
			run: <T>(work: (client: RedisClient) => Promise<T>) => work(client),
		} as unknown as RedisLink;
		const agreed = {};
		const texts = new SharedTexts({
			...{ name: 'keys', link, local: keyTexts(keys), log: silentLogger },
			...{ agreed: () => agreed, save: async () => {} },
		});
		assert.equal(keys.isUnknown('0badcafe'), true);
		await texts.sync();
		assert.equal(keys.isUnknown('0badcafe'), false);
		assert.equal(keys.byId('0badcafe'), undefined);
		assert.deepEqual(keys.revoked(), [{ id: '0badcafe', name: '0badcafe' }]);
		// What is forgotten of it is not learnt anew.
		keys.forgetRevoked('0badcafe');
		await texts.sync();
		assert.deepEqual(keys.revoked(), []);
	} finally {
		keys.close();
	}
});
