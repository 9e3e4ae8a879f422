/** What people are told of a Redis that replicas share and that is away. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AppError } from '../../../server/protocol/index.ts';
import { RedisLink } from '../../../server/services/shared/redisLink.ts';
import { freePort } from '../../support/freePort.ts';

test('why a Redis is away stands in the log, and members are told no inner address', async () => {
	const port = await freePort();
	const reports: (string | undefined)[] = [];
	const link = new RedisLink(`redis://127.0.0.1:${port}`, (failure) => reports.push(failure));
	try {
		for (let time = 0; time < 2; time++)
			await assert.rejects(
				link.run((client) => client.ping()),
				({ code, message }: AppError) => {
					assert.equal(code, 'store_unavailable');
					assert.match(message, /^The Redis that replicas share cannot be used at the moment\./);
					assert.doesNotMatch(message, /127|ECONN|\d/);
					return true;
				},
			);
		assert.match(String(reports[0]), new RegExp(`127\\.0\\.0\\.1:${port}`));
	} finally {
		await link.close();
	}
});

test('an address that is none is told by the setting in which it stands', () => {
	assert.throws(
		() => new RedisLink('redis://a:b%@redis:6379'),
		/The address in --redis or NEARGLOT_REDIS is none/,
	);
});
