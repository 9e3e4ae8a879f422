/** Models in folders of others: nothing is written there, and nothing is lost by it. */

import assert from 'node:assert/strict';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { VerdictFile } from '../../server/daemon/verdictFile.ts';
import { writeDecoderModel } from '../fixtures/decoderModel.ts';
import { type Home, newHome } from '../support/home.ts';
import { needsModes } from '../support/systemNeeds.ts';

const homes: Home[] = [];
after(async () => {
	for (const home of homes) await home.close();
});

async function prepared(name: string, place = 'shared') {
	const home = await newHome();
	homes.push(home);
	const model = writeDecoderModel(join(home.folder, place, name), { attention: 'gqa', int8: true });
	const run = async (...args: string[]): Promise<string> => {
		const { code, stdout, stderr } = await home.run(args);
		assert.equal(code, 0, stderr);
		return stdout;
	};
	return { home, name, model, run, file: new VerdictFile(home.folder) };
}

test('a model in a read-only folder of others is rewritten, compared once, and the folder stays as it is', {
	skip: needsModes,
}, async () => {
	const { name, model, run, file } = await prepared('lent');
	const left = join(model, 'onnx', '.model.prepared-g-4-0123456789abcdef.onnx');
	writeFileSync(left, 'of an earlier version');
	const before = (await readdir(model, { recursive: true })).sort();
	for (const folder of [join(model, 'onnx'), model]) chmodSync(folder, 0o555);
	try {
		await run('models', 'add', model);
		await run('models', 'load', name);
		const info = await run('models', 'info', name);
		assert.doesNotMatch(info, /As it is loaded now/);
		assert.match(
			info,
			/^Rewritten graphs, .* \(\d+ B of .*verdicts\.json\)\n {2}- model_quantized\.onnx: a scale for each row, logits where asked \(c-api, cpu\): gives the same$/m,
		);
		assert.deepEqual((await readdir(model, { recursive: true })).sort(), before);
		// The next load goes by what this one has found.
		const verdicts = await file.of(model);
		const refusal = { change: 'a test', reason: 'somebody said so' };
		await file.keep(
			model,
			verdicts.map((verdict) => ({ ...verdict, refusal })),
		);
		await run('models', 'unload', name);
		await run('models', 'load', name);
		assert.match(await run('models', 'info', name), /not rewritten for a test: somebody said so/);
	} finally {
		for (const folder of [model, join(model, 'onnx')]) chmodSync(folder, 0o755);
	}
});

test('a model that is removed or moved leaves nothing in the data folder, earlier versions nothing in ours', async () => {
	const { home, name, model, run, file } = await prepared('own', 'models');
	const left = join(model, 'onnx', '.model.prepared-g-4-0123456789abcdef.onnx');
	writeFileSync(left, 'of an earlier version');
	await run('models', 'load', name);
	assert.equal((await file.of(model)).length, 1);
	assert.equal(existsSync(left), false);
	const moved = join(home.folder, 'moved');
	await run('models', 'move', moved);
	assert.deepEqual(JSON.parse(readFileSync(file.path, 'utf8')), []);
	await run('models', 'load', name);
	assert.equal((await file.of(join(moved, name))).length, 1);
	await run('models', 'remove', name);
	assert.deepEqual(JSON.parse(readFileSync(file.path, 'utf8')), []);
});

test('where the findings cannot be kept, the model runs rewritten all the same, and it is said', async () => {
	const { name, model, run, file } = await prepared('unkept');
	mkdirSync(file.path);
	await run('models', 'add', model);
	await run('models', 'load', name);
	const info = await run('models', 'info', name);
	assert.match(
		info,
		/As it is loaded now\n {2}- What comparing the rewritten graphs has found could not be kept, so the next load compares again: .*verdicts\.json is no plain file/,
	);
	assert.doesNotMatch(info, /run one at a time: /);
});
