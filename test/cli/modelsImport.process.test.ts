/** `models import` and `models search --hub` as people run them: plans first, builds, refusals. */

import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { builtInModelsDir } from '../../server/daemon/machine.ts';
import { smallGguf } from '../engine/build/smallGguf.ts';
import { type Home, newHome } from '../support/home.ts';

let home: Home;
before(async () => {
	home = await newHome();
});
after(() => home.close());

test('a GGUF file: its plan, then a model under its name', async () => {
	const path = join(home.folder, 'small-F32.gguf');
	await writeFile(path, smallGguf());
	const plan = await home.run(['models', 'import', path, '--plan']);
	assert.equal(plan.code, 0, plan.stderr);
	assert.match(plan.stderr, /licence apache-2\.0/);
	assert.match(
		plan.stderr,
		/llama, 40,864 weights, stored as f32\. The model takes .* of memory; its answers grow by an estimated .* tokens .*a second\.\n/,
	);
	assert.equal(plan.stdout, '');
	const built = await home.run(['models', 'import', path, '--name', 'walk']);
	assert.equal(built.code, 0, built.stderr);
	assert.match(built.stderr, /Building …\nChecking …\n/);
	assert.match(built.stdout, /^walk:1 is ready/);
	const again = await home.run(['models', 'import', path, '--name', 'wälk']);
	assert.equal(again.code, 1);
	assert.match(again.stderr, /exists already/);
});

test('what is for weights is refused for models, and a search wants words', async () => {
	const starter = join(builtInModelsDir() ?? '', 'starter-chat');
	const copied = await home.run(['models', 'import', starter, '--quality']);
	assert.equal(copied.code, 2);
	assert.match(copied.stderr, /--quality is for weights/);
	const search = await home.run(['models', 'search', '--hub']);
	assert.equal(search.code, 2);
});
