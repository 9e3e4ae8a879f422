/** Paths that hubs list: which are taken, left out, or refused with the whole list. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { usablePaths } from '../../server/hub/names.ts';

test('pictures and pages that some disks cannot have are left out, and nothing else is', () => {
	const usable = usablePaths([
		'config.json',
		'README.md',
		'readme.md',
		'samples/what?.png',
		'aux.py',
		'notes.',
		'onnx/model.onnx',
		`${'a'.repeat(300)}.md`,
	]);
	assert.deepEqual([...usable], ['config.json', 'onnx/model.onnx']);
});

test('a list with a path that leaves its folder, or with a file of a model that cannot be kept, is refused', () => {
	for (const [path, why] of [
		['../../evil.png', 'leaves its folder'],
		['/etc/evil.png', 'is absolute'],
		['a/../../evil.md', 'leaves its folder'],
		['..\\evil.md', 'file systems forbid'],
		['onnx/model?.onnx', 'file systems forbid'],
		['aux.json', 'reserved name'],
		['Config.json', '"config.json" and "Config.json", which are one file'],
		['CONFIG.JSON', 'one file'],
		['LICENSE.', 'ends with a dot'],
	] as const)
		assert.throws(() => usablePaths(['config.json', path]), {
			code: 'download_failed',
			message: new RegExp(why),
		});
});
