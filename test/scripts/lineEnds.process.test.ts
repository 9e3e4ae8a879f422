/** Line ends in the repository: the same in every clone, also where git makes Windows' of them by itself (core.autocrlf). */

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';

test('no file of the repository changes its bytes in a clone on Windows', (t) => {
	const cwd = join(import.meta.dirname, '../..');
	const listed = spawnSync('git', ['-c', 'core.autocrlf=true', 'ls-files', '--eol'], {
		cwd,
		encoding: 'utf8',
		maxBuffer: 1 << 26,
	});
	if (listed.status !== 0) return t.skip('this is no clone');
	const lines = listed.stdout.split('\n').filter((line) => line !== '');
	assert.ok(lines.length > 1000, String(lines.length));
	// In the index, in the folder, and what the attributes say of it.
	const changing = lines.filter(
		(line) =>
			!/^i\/(?:lf|none) +w\/(?:lf|none|) +attr\/text=auto eol=lf *\t/.test(line) &&
			!/^i\/-text +w\/(?:-text|) +attr\/(?:-text|text=auto eol=lf) *\t/.test(line),
	);
	assert.deepEqual(changing, []);
});
