import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { writeKeyFile } from '../../server/gateway/keys/keyFile.ts';

const folder = mkdtempSync(join(tmpdir(), 'nearglot-keys-'));
after(() => rmSync(folder, { recursive: true, force: true }));

test('keys that another copy has just made are not replaced', () => {
	const file = join(folder, 'keys.json');
	writeKeyFile(file, 1);
	const first = readFileSync(file, 'utf8');
	writeKeyFile(file, 2);
	assert.equal(readFileSync(file, 'utf8'), first);
	assert.deepEqual(readdirSync(folder), ['keys.json']);
	if (process.platform !== 'win32') assert.equal(statSync(file).mode & 0o777, 0o600);
});
