import assert from 'node:assert/strict';
import { mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { modelFile } from '../../server/hub/modelFile.ts';
import { ModelSettingsFile } from '../../server/hub/modelSettings.ts';
import { createModelFolders } from '../../server/services/modelFolders.ts';
import { noBuilding } from '../support/noBuilding.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

const base = temporaryFolder('model-file');
before(async () => {
	await mkdir(join(base, 'model', 'onnx'), { recursive: true });
	await mkdir(join(base, 'elsewhere'));
	await writeFile(join(base, 'model', 'config.json'), '{}');
	await writeFile(join(base, 'elsewhere', 'secret'), 'secret');
});

const folder = () => join(base, 'model');

test('names in the folder are found, whether the file is there yet or not', async () => {
	for (const name of ['config.json', './config.json', 'onnx/model.onnx', 'onnx/../config.json'])
		assert.equal(await modelFile(folder(), name), join(folder(), name));
});

test('names that leave the folder are refused on every system', async () => {
	for (const name of [
		'..',
		'../elsewhere/secret',
		'onnx/../../elsewhere/secret',
		'/etc/passwd',
		'C:\\secret',
		'..\\elsewhere\\secret',
		'\\\\server\\share',
		'a\u0000b',
		'NUL',
		'CONIN$',
		'config.json:stream',
		'',
		'.',
	])
		await assert.rejects(modelFile(folder(), name), { code: 'unsupported_model' }, name);
});

test('folders are no files; links may stay inside and not lead out, by a file or by a folder', async (t) => {
	await assert.rejects(modelFile(folder(), 'onnx'), /is not a plain file/);
	if (process.platform === 'win32') return t.skip('links need rights there');
	await symlink(join(folder(), 'config.json'), join(folder(), 'inner'));
	assert.equal(await modelFile(folder(), 'inner'), join(folder(), 'inner'));
	await symlink(join(base, 'elsewhere', 'secret'), join(folder(), 'outer'));
	await assert.rejects(modelFile(folder(), 'outer'), /is a link that leaves the folder/);
	await symlink(join(base, 'elsewhere'), join(folder(), 'away'));
	await assert.rejects(modelFile(folder(), 'away/secret'), /is a link that leaves the folder/);
	// A folder next door whose name begins alike is another folder.
	await mkdir(join(base, 'model-two'));
	await writeFile(join(base, 'model-two', 'x'), 'x');
	await symlink(join(base, 'model-two', 'x'), join(folder(), 'twin'));
	await assert.rejects(modelFile(folder(), 'twin'), /is a link that leaves the folder/);
	// People may link whole folders.
	await symlink(folder(), join(base, 'linked'));
	await modelFile(join(base, 'linked'), 'config.json');
});

test('an import does not follow links out of the model', async (t) => {
	if (process.platform === 'win32') return t.skip('links need rights there');
	const source = join(base, 'imported');
	await mkdir(source);
	await writeFile(join(source, 'config.json'), '{}');
	await symlink(join(base, 'elsewhere', 'secret'), join(source, 'tokenizer.json'));
	const folders = createModelFolders(
		() => join(base, 'models'),
		new ModelSettingsFile(join(base, 'models.json')),
		async () => {},
		join(base, 'tmp'),
		noBuilding,
	);
	const { signal } = new AbortController();
	await assert.rejects(
		folders.import(source, 'copy', async () => {}, signal),
		/tokenizer\.json is a link that leaves/,
	);
	await rm(join(source, 'tokenizer.json'));
	assert.equal(
		await folders.import(source, 'copy', async () => {}, signal),
		join(base, 'models', 'copy'),
	);
});
