/** How often the folders of models are read, and how new the answer is. */

import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { ModelIndex } from '../../server/daemon/modelIndex.ts';

let folder: string;
before(async () => {
	folder = await mkdtemp(join(tmpdir(), 'nearglot-index-'));
});
after(() => rm(folder, { recursive: true, force: true }));

async function addModel(name: string): Promise<void> {
	await mkdir(join(folder, name));
	await writeFile(join(folder, name, 'config.json'), '{}');
}

test('those who ask at the same time share a reading, and see what was there when they asked', async () => {
	let readings = 0;
	const index = new ModelIndex(
		() => {
			readings++;
			return [{ folder, origin: 'local' }];
		},
		() => Promise.reject(new Error('nobody knows')),
	);
	const namesOf = async () => (await index.list()).map(({ info }) => info.name);
	await addModel('early');
	const first = namesOf();
	await addModel('late');
	const others = Array.from({ length: 1000 }, namesOf);
	assert.ok((await first).includes('early'));
	for (const names of await Promise.all(others)) assert.deepEqual(names, ['early', 'late']);
	assert.equal(readings, 2);
	assert.deepEqual(await namesOf(), ['early', 'late']);
	assert.equal(readings, 3);
});

test('a link to a model is one, and a link back up leads nowhere', async () => {
	const root = join(folder, 'links');
	await mkdir(join(root, 'models'), { recursive: true });
	const add = async (...parts: string[]) => {
		await mkdir(join(root, ...parts), { recursive: true });
		await writeFile(join(root, ...parts, 'config.json'), '{}');
	};
	await add('elsewhere', 'linked');
	await add('above');
	await add('models', 'publisher', 'own');
	await symlink(join(root, 'elsewhere', 'linked'), join(root, 'models', 'linked'), 'junction');
	await symlink(root, join(root, 'models', 'a-way-up'), 'junction');
	await symlink(join(root, 'models'), join(root, 'models', 'publisher', 'around'), 'junction');
	const index = new ModelIndex([{ folder: join(root, 'models'), origin: 'local' }], () =>
		Promise.reject(new Error('nobody knows')),
	);
	const found = (await index.list()).map(({ folder: at }) => at);
	assert.deepEqual(found.sort(), [
		join(root, 'models', 'linked'),
		join(root, 'models', 'publisher', 'own'),
	]);
});
