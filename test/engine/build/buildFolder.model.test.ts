/** Which of several faults of weights is told. */

import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { buildFolder } from '../../../server/engine/build/buildFolder.ts';
import { AppError } from '../../../server/protocol/index.ts';
import { ggufBytes } from '../../fixtures/weightFiles.ts';
import { temporaryFolder } from '../../support/temporaryFolder.ts';

test('of a GGUF file without a tokenizer, an unknown architecture is told first', async () => {
	const folder = temporaryFolder('faults');
	const attempt = async (architecture: string) => {
		const path = join(folder, `${architecture}.gguf`);
		const weight = { name: 'g', shape: [1, 2], type: 0, bytes: new Uint8Array(8) };
		const metadata = { 'general.architecture': { type: 'text' as const, value: architecture } };
		writeFileSync(path, ggufBytes({ metadata, tensors: [weight] }));
		mkdirSync(join(folder, 'models'), { recursive: true });
		const target = join(folder, 'models', architecture);
		const error = await buildFolder(
			{ source: { kind: 'path', path }, target, origin: { source: 'test' } },
			{ onPlan: async () => {}, onProgress: () => {} },
		).catch((reason: unknown) => reason);
		assert.ok(error instanceof AppError && error.code === 'unsupported_model', String(error));
		return error.message;
	};
	assert.match(await attempt('mamba'), /mamba/);
	assert.doesNotMatch(await attempt('mamba'), /tokenizer/);
});
