/** Which files of a folder are left out, also by rules that lie above it. */

import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { IgnoreRules } from '../../../server/lsp/workspace/ignoreRules.ts';
import { temporaryFolder } from '../../support/temporaryFolder.ts';

test('rules above the folder hold wherever the process was started', async () => {
	const repository = temporaryFolder('repository');
	const root = join(repository, 'packages/app');
	mkdirSync(root, { recursive: true });
	mkdirSync(join(repository, '.git'));
	writeFileSync(join(repository, '.gitignore'), '/packages/app/secret/\n*.log\n');
	const rules = new IgnoreRules(root);
	assert.equal(await rules.ignores('secret/key.ts'), true);
	assert.equal(await rules.ignores('src/run.log'), true);
	assert.equal(await rules.ignores('src/secret/key.ts'), false);
	assert.equal(await rules.ignores('src/main.ts'), false);
});
