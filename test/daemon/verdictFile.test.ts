/** What comparing rewritten graphs has found is kept by model, bounded, and gone with the model. */

import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { readdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { maxModels, maxVerdicts, VerdictFile } from '../../server/daemon/verdictFile.ts';
import type { Verdict } from '../../server/engine/api.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

const base = temporaryFolder('verdicts');

const right: Verdict = { of: 'model.onnx: logits where asked (c-api, cpu)', key: 'a1' };
const wrong: Verdict = {
	of: 'model.onnx: fused attention (c-api, cpu)',
	key: 'b2',
	refusal: { change: 'fused attention', reason: 'a prompt gives results of another form' },
};

let count = 0;
function newData(): { readonly data: string; readonly file: VerdictFile } {
	const data = join(base, `data-${count++}`);
	return { data, file: new VerdictFile(data) };
}

function newModel(name: string): string {
	const folder = join(base, name);
	mkdirSync(folder, { recursive: true });
	return folder;
}

test('what a load has found is there for the next one, of this model only', async () => {
	const { data, file } = newData();
	const [one, other] = [newModel('one'), newModel('other')];
	await file.keep(one, [right, wrong]);
	const again = new VerdictFile(data);
	assert.deepEqual(await again.of(one), [right, wrong]);
	assert.deepEqual(await again.of(other), []);
	// A later verdict on the same graphs takes the place of the earlier one.
	const newer = { ...right, key: 'a9' };
	await again.keep(one, [newer]);
	assert.deepEqual(await file.of(one), [wrong, newer]);
	assert.deepEqual(await readdir(data), ['verdicts.json']);
});

test('a load that finds nothing new does not write the file again', async () => {
	const { file } = newData();
	const model = newModel('same');
	await file.keep(model, []);
	assert.equal(existsSync(file.path), false);
	await file.keep(model, [right]);
	const before = statSync(file.path);
	await file.keep(model, []);
	await file.keep(model, [right]);
	assert.deepEqual(
		[statSync(file.path).ino, statSync(file.path).mtimeMs],
		[before.ino, before.mtimeMs],
	);
});

test('a folder is the same model under every name it has', {
	skip: process.platform === 'win32' ? 'links need rights there' : false,
}, async () => {
	const { file } = newData();
	const model = newModel('real');
	await symlink(model, join(base, 'link'));
	await file.keep(join(base, 'link'), [right]);
	assert.deepEqual(await file.of(`${model}/../real/`), [right]);
});

test('models whose folder has gone are forgotten', async () => {
	const { file } = newData();
	const [stays, goes] = [newModel('stays'), newModel('goes')];
	await file.keep(stays, [right]);
	await file.keep(goes, [wrong]);
	await file.forgetGone();
	assert.deepEqual(await file.of(goes), [wrong]);
	rmSync(goes, { recursive: true });
	await file.forgetGone();
	assert.deepEqual(await file.of(goes), []);
	assert.deepEqual(await file.of(stays), [right]);
});

test('of too many models the longest unused ones are forgotten', async () => {
	const { file } = newData();
	const models = Array.from({ length: maxModels }, (_, index) => newModel(`many-${index}`));
	mkdirSync(join(file.path, '..'));
	writeFileSync(file.path, JSON.stringify(models.map((model) => [model, [right]])));
	const [first = '', second = ''] = models;
	// Used again, so it is not the one to go.
	await file.keep(first, []);
	await file.keep(newModel('one-more'), [right]);
	assert.deepEqual(await file.of(first), [right]);
	assert.deepEqual(await file.of(second), []);
	assert.equal(JSON.parse(readFileSync(file.path, 'utf8')).length, maxModels);
});

test('a runner that its model has taken over cannot fill the file or break it', async () => {
	const { file } = newData();
	const [hostile, other] = [newModel('hostile'), newModel('good')];
	await file.keep(other, [right]);
	await file.keep(hostile, [
		null,
		7,
		'x',
		{},
		{ of: 1, key: 2 },
		{ ...right, refusal: 'no' },
		{ ...right, refusal: { change: 1, reason: [] } },
		{ ...right, of: 'x'.repeat(100_000) },
		{ of: '__proto__', key: 'c' },
		...Array.from({ length: 10_000 }, (_, index) => ({ of: `graph ${index}`, key: 'k' })),
	]);
	assert.equal((await file.of(hostile)).length, maxVerdicts);
	assert.deepEqual(await file.of(other), [right]);
	assert.ok(readFileSync(file.path).length < 5000);
});

test('a damaged file is begun afresh', async () => {
	const { file } = newData();
	const model = newModel('damaged');
	mkdirSync(join(file.path, '..'));
	for (const text of ['', '{', '{}', '[[1]]', '[["/x", 3]]', 'null', '[null]', '\u0000\u0000']) {
		writeFileSync(file.path, text);
		assert.deepEqual(await file.of(model), [], text);
		await file.keep(model, [right]);
		assert.deepEqual(await file.of(model), [right], text);
	}
});

test('loads that end at the same time lose nothing of each other', async () => {
	const { data } = newData();
	const models = Array.from({ length: 12 }, (_, index) => newModel(`at-once-${index}`));
	await Promise.all(models.map((model) => new VerdictFile(data).keep(model, [right])));
	for (const model of models) assert.deepEqual(await new VerdictFile(data).of(model), [right]);
	assert.deepEqual(await readdir(data), ['verdicts.json']);
});
