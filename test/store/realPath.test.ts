/** Paths behind links, on drives of Windows whose driver does not tell them. */

import assert from 'node:assert/strict';
import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathResolver, realPath } from '../../server/store/realPath.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

const refusing = (platform: NodeJS.Platform, code: string) =>
	pathResolver({
		platform,
		native: () => Promise.reject(Object.assign(new Error(code), { code })),
		byLinks: async (path) => `followed ${path}`,
	});

test('where a drive of Windows does not tell a path, its links are followed one by one', async () => {
	// RAM disks, Cryptomator, rclone: the call has no meaning there, and each driver says so in its way.
	for (const code of ['EISDIR', 'UNKNOWN', 'EINVAL', 'ENOSYS', 'EPERM'])
		assert.equal(await refusing('win32', code)('R:\\models'), 'followed R:\\models', code);
	for (const code of ['ENOENT', 'ENOTDIR', 'ELOOP'])
		await assert.rejects(refusing('win32', code)('R:\\models'), { code });
});

test('elsewhere the system knows best', async () => {
	for (const platform of ['linux', 'darwin'] as const)
		await assert.rejects(refusing(platform, 'EINVAL')('/models'), { code: 'EINVAL' });
});

test('links are followed here, and one to nothing is told of', async () => {
	const folder = await realPath(temporaryFolder('links'));
	await mkdir(join(folder, 'models'));
	await symlink(join(folder, 'models'), join(folder, 'link'), 'junction');
	await symlink(join(folder, 'nothing'), join(folder, 'lost'), 'junction');
	assert.equal(await realPath(join(folder, 'link')), join(folder, 'models'));
	await assert.rejects(realPath(join(folder, 'lost')), { code: 'ENOENT' });
});
