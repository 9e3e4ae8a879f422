/** What `serve` is told about the Redis that replicas share, and what it says about one that cannot be used. */

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { readArgs } from '../../../server/cli/args.ts';
import { sharedUrlOf } from '../../../server/cli/servePeople.ts';
import { checkShared } from '../../../server/daemon/sharedBackend.ts';
import { checkRedis } from '../../../server/gateway/store/checkRedis.ts';
import { openBullQueue } from '../../../server/jobs/bullQueue.ts';
import { RedisServer, redisMissing } from '../../gateway/support/redisServer.ts';
import { programArgs } from '../../support/program.ts';
import { temporaryFolder } from '../../support/temporaryFolder.ts';

const options = { redis: { type: 'string' }, limits: { type: 'string' } } as const;
const urlOf = (args: readonly string[], env: NodeJS.ProcessEnv = {}) =>
	sharedUrlOf(readArgs([...args], options), env);

test('one address, by whichever name; two different ones, or a password for all to see, are refused', () => {
	const url = 'redis://redis:6379/3';
	assert.equal(urlOf([]), undefined);
	assert.equal(urlOf(['--redis', url]), url);
	assert.equal(urlOf(['--limits', url]), url);
	assert.equal(urlOf([], { NEARGLOT_REDIS: '', NEARGLOT_LIMITS: url }), url);
	assert.equal(urlOf(['--redis', url, '--limits', url], { NEARGLOT_REDIS: url }), url);
	const secret = 'rediss://user:secret@redis:6379';
	assert.equal(urlOf([], { NEARGLOT_REDIS: secret }), secret);
	assert.throws(
		() => urlOf(['--redis', url], { NEARGLOT_LIMITS: secret }),
		(error: Error) =>
			/--redis and NEARGLOT_LIMITS name different/.test(error.message) &&
			!error.message.includes('secret'),
	);
	assert.throws(() => urlOf(['--redis', secret]), /put an address with a password into/);
	for (const wrong of ['redis:6379', 'http://redis', 'redis://', 'redis://a:b:c'])
		assert.throws(() => urlOf(['--redis', wrong]), /--redis takes the address/, wrong);
});

test('with a wrong password the server does not start and says why, without the password', {
	skip: redisMissing,
}, async () => {
	await using redis = await RedisServer.start();
	await redis.tell('CONFIG', 'SET', 'requirepass', 'right');
	const { port } = new URL(redis.url);
	const server = spawn(process.execPath, programArgs('serve', '--port', '0'), {
		env: {
			...process.env,
			NEARGLOT_HOME: temporaryFolder('shared'),
			NEARGLOT_REDIS: `redis://:wrong-one@127.0.0.1:${port}`,
		},
		stdio: ['ignore', 'ignore', 'pipe'],
	});
	let text = '';
	server.stderr.on('data', (data) => {
		text += String(data);
	});
	const [code] = (await once(server, 'close')) as [number];
	assert.notEqual(code, 0);
	assert.match(
		text,
		/The Redis that replicas share \(--redis\) at 127\.0\.0\.1:\d+ cannot be used/,
	);
	assert.match(text, /refuses the name or password\. Correct the address in --redis or/);
	assert.doesNotMatch(text, /wrong-one/);
});

test('a node of a Redis Cluster is refused in words, as what replicas share, for sessions and as a queue', {
	skip: redisMissing,
}, async () => {
	await using redis = await RedisServer.start('--cluster-enabled', 'yes');
	const words = /belongs to a Redis Cluster, whose nodes have a part of the keys each/;
	await assert.rejects(checkShared(redis.url), words);
	await assert.rejects(checkRedis(redis.url), words);
	await assert.rejects(openBullQueue(redis.url, 1000, Date.now), words);
});
