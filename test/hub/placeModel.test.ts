/** The change of one model's folder for another: whatever it is interrupted at, the model has its name or gets it back. */

import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { replaceModel, restoreModels } from '../../server/hub/placeModel.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

function model(folder: string, text: string): void {
	mkdirSync(folder, { recursive: true });
	writeFileSync(join(folder, 'config.json'), text);
}
const told = (folder: string) => readFileSync(join(folder, 'config.json'), 'utf8');

test('whoever has the older model open closes it before it is moved', async () => {
	const models = temporaryFolder('replaced');
	const target = join(models, 'x@1');
	model(target, 'old');
	const partial = join(models, '.downloads', 'x@1');
	model(partial, 'new');
	const seen: string[] = [];
	await replaceModel(partial, target, async () => {
		seen.push(told(target));
	});
	assert.deepEqual(seen, ['old']);
	assert.equal(told(target), 'new');
	assert.deepEqual(readdirSync(models).sort(), ['.downloads', 'x@1']);
});

test('a model that a killed process has put aside gets its name back, unless another has it', async () => {
	const models = temporaryFolder('aside');
	model(join(models, '.x@1.old'), 'x');
	model(join(models, '.y@1.old'), 'old y');
	model(join(models, 'y@1'), 'y');
	await restoreModels(models);
	assert.equal(told(join(models, 'x@1')), 'x');
	assert.equal(told(join(models, 'y@1')), 'y');
	assert.ok(!existsSync(join(models, '.x@1.old')));
	assert.ok(!existsSync(join(models, '.y@1.old')));
	mkdirSync(join(models, '.notes.old'));
	await restoreModels(models);
	assert.ok(existsSync(join(models, '.notes.old')), 'what is no model is left alone');
});

test('what is put aside is no model that is listed', async () => {
	const models = temporaryFolder('hidden');
	const target = join(models, 'x@1');
	model(target, 'old');
	// Nothing is there to take its place.
	await assert.rejects(replaceModel(join(models, 'absent'), target));
	assert.equal(told(target), 'old');
	assert.deepEqual(readdirSync(models), ['x@1']);
});
