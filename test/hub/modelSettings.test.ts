import assert from 'node:assert/strict';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { ModelSettingsFile } from '../../server/hub/modelSettings.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

const folder = temporaryFolder('settings');

test('changes of two processes at once keep what either has added', async () => {
	const path = join(folder, 'models.json');
	const [one, other] = [new ModelSettingsFile(path), new ModelSettingsFile(path)];
	const pin = (file: ModelSettingsFile, id: string) =>
		file.change(({ pinned }) => ({ pinned: [...pinned, id] }));
	await Promise.all([
		...['a', 'b', 'c'].map((id) => pin(one, id)),
		...['d', 'e', 'f'].map((id) => pin(other, id)),
		one.change(() => ({ gpuDevice: 2 })),
	]);
	const { value } = new ModelSettingsFile(path);
	assert.deepEqual([...value.pinned].sort(), ['a', 'b', 'c', 'd', 'e', 'f']);
	assert.equal(value.gpuDevice, 2);
	assert.deepEqual(await readdir(folder), ['models.json']);
});

test('what could not be written is not believed either', async () => {
	await writeFile(join(folder, 'file'), '');
	const settings = new ModelSettingsFile(join(folder, 'file', 'models.json'));
	await assert.rejects(
		settings.change(() => ({ gpuDevice: 1 })),
		{ code: 'store_unavailable' },
	);
	assert.equal(settings.value.gpuDevice, 0);
});

test('a file that was damaged meanwhile does not lose what this process knows', async () => {
	const path = join(folder, 'damaged.json');
	const settings = new ModelSettingsFile(path);
	await settings.change(() => ({ modelsFolder: '/models' }));
	await writeFile(path, '{"registered":["/a"');
	await settings.change(() => ({ gpuDevice: 1 }));
	assert.match(await readFile(path, 'utf8'), /"modelsFolder": "\/models"/);
});
