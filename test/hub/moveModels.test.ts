/** The folder of models moves as a whole, and takes nothing away that is not the product's. */

import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ModelSettingsFile } from '../../server/hub/modelSettings.ts';
import { moveModelFolders } from '../../server/hub/moveModels.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

/** A folder with one model in `models`. */
function made() {
	const base = temporaryFolder('move');
	const from = join(base, 'models');
	mkdirSync(join(from, 'tiny', 'onnx'), { recursive: true });
	writeFileSync(join(from, 'tiny', 'onnx', 'model.onnx'), 'graph');
	const settings = new ModelSettingsFile(join(base, 'models.json'));
	const move = (to: string) => moveModelFolders(from, join(base, to), settings, join(base, 'tmp'));
	return { base, from, settings, move };
}

test('models are all in the new folder, and none in the old one', async () => {
	const { base, from, settings, move } = made();
	await move('elsewhere');
	const graph = join(base, 'elsewhere', 'tiny', 'onnx', 'model.onnx');
	assert.equal(readFileSync(graph, 'utf8'), 'graph');
	assert.deepEqual(readdirSync(from), []);
	assert.equal(settings.value.modelsFolder, join(base, 'elsewhere'));
	assert.ok(!readdirSync(base).some((name) => name.endsWith('.moving')));
});

test('a folder of somebody that has the name of the copy stays, and nothing moves', async () => {
	const { base, from, settings, move } = made();
	const own = join(base, 'elsewhere.moving');
	mkdirSync(own);
	writeFileSync(join(own, 'letter.txt'), 'mine');
	await assert.rejects(move('elsewhere'), {
		code: 'conflict',
		message: /elsewhere\.moving is there/,
	});
	assert.equal(readFileSync(join(own, 'letter.txt'), 'utf8'), 'mine');
	assert.deepEqual(readdirSync(from), ['tiny']);
	assert.equal(settings.value.modelsFolder, undefined);
	await move('other');
	assert.deepEqual(readdirSync(join(base, 'other')), ['tiny']);
});
