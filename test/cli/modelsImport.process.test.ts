/** `models import` and `models search --hub` as people run them: plans first, builds, refusals. */

import assert from 'node:assert/strict';
import { cp, readdir, writeFile } from 'node:fs/promises';
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

test('an import has the name that it was given, and no id that another model has', async () => {
	const starter = join(builtInModelsDir() ?? '', 'starter-chat');
	const source = join(home.folder, 'downloaded');
	await cp(starter, source, { recursive: true });
	const card = { id: 'once:3', name: 'once', version: '3', alias: 'acme/once', files: [] };
	await writeFile(join(source, 'nearglot.json'), JSON.stringify({ ...card, license: 'mit' }));
	const taken = await home.run(['models', 'import', source, '--name', 'starter-translate']);
	assert.equal(taken.code, 1);
	assert.match(taken.stderr, /starter-translate:1 is here already/);
	const own = await home.run(['models', 'import', source]);
	assert.match(own.stdout, /^once:3 is imported/);
	const twin = await home.run(['models', 'import', source, '--name', 'twin']);
	assert.match(twin.stdout, /^twin:1 is imported/, twin.stderr);
	// By its card it is a model that is here, whatever its folder is called.
	const second = join(home.folder, 'downloaded-again');
	await cp(source, second, { recursive: true });
	const same = await home.run(['models', 'import', second]);
	assert.equal(same.code, 1);
	assert.match(same.stderr, /once:3 is here already/);
	const folders = (await readdir(join(home.folder, 'models'))).sort();
	assert.deepEqual(folders, ['.downloads', 'downloaded', 'twin', 'walk']);
	const misspelt = await home.run(['models', 'load', 'twni']);
	assert.equal(misspelt.code, 1);
	assert.match(misspelt.stderr, /Did you mean twin:1\?/);
	const nowhere = await home.run(['models', 'where', 'twni']);
	assert.match(nowhere.stderr, /Did you mean twin:1\?/);
	const offered = await home.run(['models', 'info', 'qwen3-4b']);
	assert.match(offered.stderr, /'nearglot models pull qwen3-4b' downloads it/);
});

test('of two imports of one name at once, one is there and the other is told', async () => {
	const starter = join(builtInModelsDir() ?? '', 'starter-chat');
	const args = ['models', 'import', starter, '--name', 'both'];
	const both = await Promise.all([home.run(args), home.run(args)]);
	assert.deepEqual(both.map(({ code }) => code).sort(), [0, 1]);
	const told = both.find(({ code }) => code === 1)?.stderr ?? '';
	assert.match(told, /exists already|is being imported|is here already/);
	const rest = (await readdir(join(home.folder, 'models'))).filter((name) =>
		/^\.(?!downloads)/.test(name),
	);
	assert.deepEqual(rest, []);
	assert.deepEqual(await readdir(join(home.folder, 'models', '.downloads')), []);
});

test('what is for weights is refused for models, and a search wants words', async () => {
	const starter = join(builtInModelsDir() ?? '', 'starter-chat');
	const copied = await home.run(['models', 'import', starter, '--quality']);
	assert.equal(copied.code, 2);
	assert.match(copied.stderr, /--quality is for weights/);
	const search = await home.run(['models', 'search', '--hub']);
	assert.equal(search.code, 2);
});
