/** An import compares what it will write with the room there is, before it begins. */

import assert from 'node:assert/strict';
import { mkdir, readdir, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { AppError } from '../../server/protocol/index.ts';
import { importModelFiles } from '../../server/services/importModel.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

test('a folder that does not fit is refused with what it needs and what is free, and nothing is written', {
	skip: process.platform === 'win32' && 'a long file without content takes its whole room there',
}, async () => {
	const folder = temporaryFolder('import');
	const source = join(folder, 'large');
	const models = join(folder, 'models');
	await mkdir(join(source, 'onnx'), { recursive: true });
	await mkdir(models);
	await writeFile(join(source, 'config.json'), '{}');
	await writeFile(join(source, 'onnx/model.onnx'), '');
	// It has that length, and takes no room.
	await truncate(join(source, 'onnx/model.onnx'), 8e12);
	const error = await importModelFiles(
		models,
		source,
		undefined,
		async () => {},
		new AbortController().signal,
	).then(
		() => undefined,
		(reason: unknown) => reason,
	);
	assert.ok(error instanceof AppError);
	assert.equal(error.code, 'disk_full');
	assert.match(error.message, /^large needs 8,000,001 MB and .*models has [\d,]+ MB free\./);
	assert.deepEqual(
		(await readdir(models, { recursive: true })).filter((name) => name.includes('model.onnx')),
		[],
	);
});
