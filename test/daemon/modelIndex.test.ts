/** How often the folders of models are read, how new the answer is, and who notices a change. */

import assert from 'node:assert/strict';
import { appendFile, mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { FolderWatch, type Watch } from '../../server/daemon/folderWatch.ts';
import { ModelIndex, type ModelIndexOptions } from '../../server/daemon/modelIndex.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { until } from '../support/until.ts';

interface Tested {
	readonly folder: string;
	readonly index: ModelIndex;
	/** Moves the clock of the index, which stands otherwise. */
	advance(milliseconds: number): void;
	names(): Promise<readonly string[]>;
	addModel(name: string, inside?: string): Promise<void>;
	/** Folders that were described, in order. */
	readonly described: string[];
}

async function open(t: TestContext, options: ModelIndexOptions = {}): Promise<Tested> {
	const folder = temporaryFolder('index');
	let now = 0;
	const described: string[] = [];
	const index = new ModelIndex(
		[{ folder, origin: 'local' }],
		(model) => {
			described.push(model);
			return Promise.reject(new Error('nobody knows'));
		},
		{ now: () => now, ...options },
	);
	t.after(() => index.close());
	return {
		folder,
		index,
		described,
		advance: (milliseconds) => {
			now += milliseconds;
		},
		names: async () => (await index.list()).map(({ info }) => info.name),
		addModel: async (name, inside = folder) => {
			await mkdir(join(inside, name));
			await writeFile(join(inside, name, 'config.json'), '{}');
		},
	};
}

const silent: Watch = () => ({ on: () => {}, close: () => {} });
const refused: Watch = () => {
	throw Object.assign(new Error('No space left for watches.'), { code: 'ENOSPC' });
};

test('those who ask at the same time share a reading, and see what was there when they asked', async (t) => {
	const { index, addModel } = await open(t, { watch: silent });
	const namesNow = async () => (await index.refresh()).map(({ info }) => info.name);
	await addModel('early');
	const first = namesNow();
	await addModel('late');
	const others = Array.from({ length: 1000 }, namesNow);
	assert.ok((await first).includes('early'));
	const [second = [], ...more] = await Promise.all(others);
	assert.deepEqual(second, ['early', 'late']);
	for (const names of more) assert.deepEqual(names, second);
	const lists = await Promise.all([index.list(), index.list()]);
	assert.equal(lists[0], lists[1]);
});

test('a model that was copied by hand is found, and one that was removed is not, by the watch alone', async (t) => {
	const { folder, names, addModel } = await open(t);
	await addModel('one');
	assert.deepEqual(await names(), ['one']);
	await addModel('two');
	await until('two is found', async () => (await names()).length === 2, 10_000);
	await mkdir(join(folder, 'publisher'));
	await addModel('three', join(folder, 'publisher'));
	await until('three is found', async () => (await names()).includes('three'), 10_000);
	await rename(join(folder, 'publisher'), join(folder, 'other'));
	await rm(join(folder, 'one'), { recursive: true });
	await addModel('four', join(folder, 'other'));
	await until('one is gone', async () => (await names()).join() === 'four,three,two', 10_000);
});

test('a folder that was replaced under its name is watched like the first', async (t) => {
	const { folder, names, addModel } = await open(t);
	await mkdir(join(folder, 'publisher'));
	await addModel('first', join(folder, 'publisher'));
	assert.deepEqual(await names(), ['first']);
	await rename(join(folder, 'publisher'), join(folder, '.aside'));
	await mkdir(join(folder, 'publisher'));
	await until('first is gone', async () => (await names()).length === 0, 10_000);
	await addModel('second', join(folder, 'publisher'));
	await until('second is found', async () => (await names()).join() === 'second', 10_000);
});

test('a model that is still being copied is looked at again when more of it has come', async (t) => {
	const { folder, names, described, addModel, index } = await open(t);
	await addModel('half');
	await mkdir(join(folder, 'half', 'onnx'));
	const graph = join(folder, 'half', 'onnx', 'model.onnx');
	await writeFile(graph, 'begun');
	await until('it is described', async () => (await names()).length === 1);
	await index.refresh();
	const before = described.length;
	await appendFile(graph, ' and ended');
	await until(
		'it is described again',
		async () => {
			await names();
			return described.length > before;
		},
		10_000,
	);
});

test('what is known is not read again', async (t) => {
	const { names, described, addModel, advance, index } = await open(t, { watch: silent });
	await addModel('one');
	const first = await index.list();
	advance(999);
	assert.equal(await index.list(), first);
	advance(5000);
	assert.equal(await index.list(), first);
	await names();
	// A fault of the moment is not remembered, so a reading would have asked.
	assert.equal(described.length, 1);
});

test('where nothing tells of changes, they are looked for once a second', async (t) => {
	for (const watch of [refused, silent]) {
		const { folder, names, addModel, advance } = await open(t, { watch });
		await addModel('one');
		assert.deepEqual(await names(), ['one']);
		await addModel('two');
		assert.deepEqual(await names(), ['one']);
		advance(1000);
		assert.deepEqual(await names(), ['one', 'two']);
		await rm(join(folder, 'one'), { recursive: true });
		advance(1000);
		assert.deepEqual(await names(), ['two']);
	}
	const { folder, names, addModel, advance } = await open(t, { watch: refused });
	await mkdir(join(folder, 'publisher'));
	assert.deepEqual(await names(), []);
	await addModel('deep', join(folder, 'publisher'));
	advance(1000);
	assert.deepEqual(await names(), ['deep']);
});

test('a watch that ends by itself is made up for', async (t) => {
	let fail = () => {};
	const ending: Watch = () => ({
		on: (_event, listener) => {
			fail = () => listener(new Error('The network is gone.'));
		},
		close: () => {},
	});
	const { names, addModel } = await open(t, { watch: ending });
	assert.deepEqual(await names(), []);
	await addModel('one');
	assert.deepEqual(await names(), []);
	fail();
	assert.deepEqual(await names(), ['one']);
});

test('a root that comes later, or is exchanged for another, is noticed', async (t) => {
	const { folder, names, addModel, advance } = await open(t, { watch: silent });
	await rm(folder, { recursive: true });
	assert.deepEqual(await names(), []);
	await mkdir(folder);
	await addModel('one');
	advance(1000);
	assert.deepEqual(await names(), ['one']);
});

test('links to models are followed, and looked at where they lead', async (t) => {
	const other = temporaryFolder('elsewhere');
	const { folder, names, addModel, advance } = await open(t);
	await symlink(join(other, 'model'), join(folder, 'linked'), 'junction');
	assert.deepEqual(await names(), []);
	await addModel('model', other);
	advance(1000);
	assert.deepEqual(await names(), ['linked']);
	await rename(join(other, 'model'), join(other, 'away'));
	await until('the link leads nowhere', async () => {
		advance(1000);
		return (await names()).length === 0;
	});
});

test('a writer of our own tells, and the next list has it', async (t) => {
	const { folder, index, names, addModel } = await open(t, { watch: silent });
	assert.deepEqual(await names(), []);
	await addModel('one');
	index.invalidate(join(folder, 'one'));
	assert.deepEqual(await names(), ['one']);
	await rm(join(folder, 'one'), { recursive: true });
	index.invalidate(join(folder, 'one'));
	assert.deepEqual(await names(), []);
});

test('what is hidden changes nothing, and too many folders are not watched', async () => {
	const folder = temporaryFolder('watch');
	const changed: string[] = [];
	let tell = (_event: string, _name: string | null) => {};
	const options = { maxFolders: 1, platform: 'linux' } as const;
	const watch = new FolderWatch((path) => changed.push(path), {
		...options,
		watch: (_folder, _options, onChange) => {
			tell = onChange;
			return { on: () => {}, close: () => {} };
		},
	});
	assert.equal(await watch.add(folder, true), true);
	assert.equal(await watch.add(folder, true), true);
	assert.equal(await watch.add(join(folder, 'second'), false), false);
	tell('rename', '.downloads');
	tell('change', join('.downloads', 'model', 'config.json'));
	assert.deepEqual(changed, []);
	tell('change', 'config.json');
	tell('change', null);
	tell('change', join('model', 'config.json'));
	assert.deepEqual(changed, [folder, folder, join(folder, 'model')]);
});

test('where one watch sees all below a folder, only roots and links are watched', async () => {
	const folder = temporaryFolder('watch');
	const watched: [string, boolean][] = [];
	const watch = new FolderWatch(() => {}, {
		platform: 'win32',
		watch: (path, { recursive }) => {
			watched.push([path, recursive]);
			return { on: () => {}, close: () => {} };
		},
	});
	assert.equal(await watch.add(folder, true), true);
	assert.equal(await watch.add(join(folder, 'model'), false), true);
	assert.deepEqual(watched, [[folder, true]]);
	assert.equal(await watch.add(join(folder, 'gone'), true), false);
});

test('a link to a model is one, and a link back up leads nowhere', async (t) => {
	const { folder: root } = await open(t);
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
	t.after(() => index.close());
	const found = (await index.list()).map(({ folder: at }) => at);
	assert.deepEqual(found.sort(), [
		join(root, 'models', 'linked'),
		join(root, 'models', 'publisher', 'own'),
	]);
});
