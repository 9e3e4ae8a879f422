/** `nearglot usage` tells whose key something was used with, also once it is revoked. */

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { busyMs, peopleFiles } from '../../server/daemon/peopleBackend.ts';
import { UsageFileStore } from '../../server/services/limits/usageDatabase.ts';
import { noUsage } from '../../server/services/limits/usageRows.ts';
import { type Home, newHome } from '../support/home.ts';

let home: Home;
before(async () => {
	home = await newHome();
});
after(() => home.close());

async function run(...args: readonly string[]): Promise<string> {
	const { code, stdout, stderr } = await home.run(args);
	assert.equal(code, 0, stderr);
	return stdout;
}

test('a key keeps its name in the usage after it was revoked, until what it used is deleted', async () => {
	await run('keys', 'create', 'anna', '--for', 'chat');
	const [key] = JSON.parse(await run('keys', 'list', '--json')) as [{ readonly id: string }];
	const person = `key:${key.id}`;
	const usage = new UsageFileStore(peopleFiles(home.folder).usage, busyMs.command);
	const row = { day: '2026-01-31', person, model: 'm', kind: 'chat' } as const;
	await usage.add([{ ...row, ...noUsage, requests: 3 }]);
	const [before] = JSON.parse(await run('usage', '--json')) as [{ readonly key: string }];
	assert.equal(before.key, 'anna');
	await run('keys', 'revoke', 'anna');
	const [after] = JSON.parse(await run('usage', '--json')) as [{ readonly key: string }];
	assert.equal(after.key, 'anna');
	assert.match(await run('usage', '--csv'), /,anna\r\n/);
	await run('usage', 'delete', '--person', person);
	await usage.add([{ ...row, ...noUsage, requests: 1 }]);
	assert.doesNotMatch(await run('usage', '--csv'), /anna/);
});
