/** Graphs that earlier versions kept beside models are removed, and nothing else is. */

import assert from 'node:assert/strict';
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { removePreparedFiles } from '../../server/daemon/preparedFiles.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

const base = temporaryFolder('leftovers');

function write(...parts: string[]): string {
	const path = join(base, ...parts);
	mkdirSync(dirname(path), { recursive: true });
	writeFileSync(path, '');
	return path;
}

const key = '0123456789abcdef';
const uuid = '01234567-89ab-4cde-8f01-23456789abcd';

test('prepared graphs of earlier versions go, and nothing else does', async () => {
	const ours = [
		`.model.prepared-g-4-${key}.onnx`,
		`.model_q4.prepared-gr8-3-${key}.onnx`,
		`.decoder_model_merged_quantized.prepared-asr-4-${key}.verdict`,
		`.model.prepared-g-4-${key}.verdict-${uuid}.tmp`,
		`.${uuid}.tmp`,
	].flatMap((name) => [
		write('models', 'publisher', 'name', 'v1', 'onnx', name),
		write('models', 'genai', name),
	]);
	const kept = [
		'model.onnx',
		'.model.onnx',
		`model.prepared-g-4-${key}.onnx`,
		`.model.prepared-g-4-${key}.onnx_data`,
		'.model.prepared-g-4-xyz.onnx',
		'.prepared-notes.txt',
	].map((name) => write('models', 'publisher', 'name', 'v1', 'onnx', name));
	const elsewhere = write('elsewhere', 'onnx', `.model.prepared-g-4-${key}.onnx`);
	if (process.platform !== 'win32') {
		symlinkSync(join(base, 'elsewhere'), join(base, 'models', 'linked'));
		symlinkSync(elsewhere, join(base, 'models', `.model.prepared-r-4-${key}.onnx`));
	}
	mkdirSync(join(base, 'models', `.folder.prepared-g-4-${key}.onnx`));
	const removed = await removePreparedFiles([join(base, 'models'), join(base, 'absent')]);
	assert.deepEqual(removed.sort(), ours.sort());
	for (const path of ours) assert.equal(existsSync(path), false, path);
	for (const path of [...kept, elsewhere]) assert.ok(existsSync(path), path);
	assert.deepEqual(await removePreparedFiles([join(base, 'models')]), []);
});
