/** Files of the gateway on Windows, by access lists. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { leaveFilesToOwner } from '../../server/gateway/fileAccess.ts';
import { accountName } from '../../server/store/privateFolder.ts';

const settings = {
	keys: { file: 'D:\\gateway\\keys.json' },
	store: { kind: 'sqlite', path: 'D:\\gateway\\sessions.db' },
	auditFile: '-',
} as unknown as Parameters<typeof leaveFilesToOwner>[0];

test('keys and sessions in a folder of choice are left to the account that runs the gateway', async () => {
	const ran: string[][] = [];
	const system = {
		home: 'C:\\Users\\ann',
		user: 'WORK\\ann',
		run: async (args: readonly string[]) => {
			if (args[0]?.endsWith('-shm')) throw new Error('Access is denied.');
			ran.push([...args]);
		},
	};
	const isThere = (file: string) => file !== '-';
	assert.deepEqual(await leaveFilesToOwner(settings, system, isThere), [
		'D:\\gateway\\sessions.db-shm',
	]);
	assert.deepEqual(
		ran.map(([file]) => file),
		['D:\\gateway\\keys.json', 'D:\\gateway\\sessions.db', 'D:\\gateway\\sessions.db-wal'],
	);
	for (const [, ...args] of ran)
		assert.deepEqual(args, ['/inheritance:r', '/grant:r', 'WORK\\ann:F', '*S-1-5-18:F', '/q']);
	const own = { ...settings, keys: { file: 'C:\\Users\\ann\\gateway\\keys.json' } };
	assert.deepEqual(
		await leaveFilesToOwner(own as typeof settings, system, (file) => file === own.keys.file),
		[],
	);
	assert.equal(ran.length, 3, 'nobody else may enter the home');
});

test('an account is named with its domain, where it has one', () => {
	assert.equal(accountName('ann', { USERDOMAIN: 'WORK' }), 'WORK\\ann');
	assert.equal(accountName('ann', {}), 'ann');
	assert.equal(accountName('ann', { USERDOMAIN: 'WORKGROUP', COMPUTERNAME: 'PC' }), 'PC\\ann');
});
