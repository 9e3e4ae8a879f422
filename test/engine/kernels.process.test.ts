/** What runs is what is written: the compiled kernels are those of their source. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
// @ts-expect-error: the scripts are plain JavaScript
import { compiledKernel, kernels, moduleOf } from '../../scripts/kernels.mjs';

for (const path of Object.keys(kernels))
	test(`${path} is what was compiled: run node scripts/kernels.mjs after a change`, async () => {
		assert.equal(readFileSync(moduleOf(path), 'utf8'), await compiledKernel(path));
	});
