/** What systems refuse, in words that lead to the way out on that system. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemError } from '../../server/protocol/systemErrors.ts';

const refused = (code: string, syscall: string, platform: string) =>
	systemError(
		Object.assign(new Error(code), { code, syscall, path: '/Users/ann/Documents/a.wav' }),
		{
			platform,
		},
	)?.message ?? '';

test('what macOS keeps a program out of is told as such, with the place where that is allowed', () => {
	for (const syscall of ['open', 'scandir', 'stat'])
		assert.match(
			refused('EPERM', syscall, 'darwin'),
			/^\/Users\/ann\/Documents\/a\.wav cannot be \w+: macOS keeps this program out\. Allow the app that started it .*Privacy & Security, Files and Folders/,
		);
	for (const [code, syscall, platform] of [
		['EACCES', 'open', 'darwin'],
		['EPERM', 'rename', 'darwin'],
		['EPERM', 'open', 'linux'],
		['EPERM', 'open', 'win32'],
	] as const)
		assert.match(
			refused(code, syscall, platform),
			/this user may not do that/,
			`${code} ${syscall}`,
		);
});
