/** Whoever is warned of a trouble is told of its end at the level of the warning. */

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { test } from 'node:test';
import { createShared } from '../../server/daemon/sharedBackend.ts';
import type { Logger } from '../../server/services/logger.ts';
import { freePort } from '../support/freePort.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { until } from '../support/until.ts';

test('a log of warnings says that the Redis of replicas is away, and that it is back', async () => {
	const warned: string[] = [];
	const warn = (text: string) => void warned.push(text);
	const log = { warn, error: warn, info: () => {}, debug: () => {} } as unknown as Logger;
	const port = await freePort();
	const shared = createShared(`redis://127.0.0.1:${port}`, temporaryFolder('shared'), log);
	assert.ok(shared);
	await until('it is away', () => !shared.isThere);
	// Whatever it is asked, it says yes.
	const redis = createServer((socket) => {
		socket.on('error', () => {});
		socket.on('data', (data) => {
			const commands = String(data).match(/^\*\d+\r$/gm) ?? [];
			socket.write('+OK\r\n'.repeat(commands.length));
		});
	});
	await once(redis.listen(port, '127.0.0.1'), 'listening');
	assert.equal((redis.address() as AddressInfo).port, port);
	await until('it is back', () => shared.isThere);
	await shared.close();
	redis.close();
	assert.deepEqual(
		warned.map((text) => text.split(';')[0]),
		['the Redis that replicas share is away', 'the Redis that replicas share is back'],
	);
});
