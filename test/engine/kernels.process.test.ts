/** What runs is what is written: the compiled kernels are those of their source. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
// @ts-expect-error: the scripts are plain JavaScript
import { compiledKernels } from '../../scripts/kernels.mjs';

test('logitsWasm.ts is compiled from logits.wat: run node scripts/kernels.mjs after a change', async () => {
	const file = new URL('../../server/engine/sample/logitsWasm.ts', import.meta.url);
	assert.equal(readFileSync(file, 'utf8'), await compiledKernels());
});
