/** Private folders where modes mean nothing. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { leaveToOwner } from '../../server/store/privateFolder.ts';

test('a folder outside of the home is left to its owner and the system, one inside is private already', async () => {
	const ran: (readonly string[])[] = [];
	const system = {
		home: 'C:\\Users\\ann',
		user: 'ann',
		run: async (args: readonly string[]) => void ran.push(args),
	};
	for (const inside of ['C:\\Users\\ann\\AppData\\Local\\Nearglot', 'c:\\users\\ANN\\x'])
		assert.equal(await leaveToOwner(inside, system), true);
	assert.deepEqual(ran, []);
	for (const folder of ['C:\\Nearglot', 'D:\\ann', 'C:\\Users\\anna', '\\\\server\\share\\x']) {
		assert.equal(await leaveToOwner(folder, system), true, folder);
		assert.deepEqual(ran.pop(), [
			folder,
			'/inheritance:r',
			'/grant:r',
			'ann:(OI)(CI)F',
			'*S-1-5-18:(OI)(CI)F',
			'/q',
		]);
	}
	const fat = { ...system, run: () => Promise.reject(new Error('not supported')) };
	assert.equal(await leaveToOwner('E:\\x', fat), false);
});

test('where the system knows no user, nothing is granted and nothing fails', async () => {
	const nameless = {
		home: 'C:\\Users\\ann',
		get user(): string {
			throw new Error('A system error occurred: uv_os_get_passwd returned ENOENT');
		},
		run: () => assert.fail('icacls was run'),
	};
	assert.equal(await leaveToOwner('E:\\x', nameless), false);
});
