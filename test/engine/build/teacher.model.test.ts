/** Teachers of Marian, which are transformers all through, say what plain PyTorch says: test/fixtures/torchMarian.py. */

import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { buildFolder } from '../../../server/engine/build/buildFolder.ts';
import { describeModel } from '../../../server/engine/modelFiles/describe.ts';
import { roughlyUsableMemory } from '../../../server/net/roughMemory.ts';
import { wordOf, wordPieces } from '../../fixtures/student.ts';
import { bytesOf, marianBytes, npzBytes } from '../../fixtures/weightFiles.ts';
import { studentAnswers } from '../../support/studentModels.ts';
import { temporaryFolder } from '../../support/temporaryFolder.ts';
import { type Drawn, randomWeights } from './randomWeights.ts';

const vocabulary = 64;
const maxLength = 6;
const made: Drawn & {
	readonly lines: readonly (readonly number[])[];
	readonly answers: readonly (readonly number[])[];
} = JSON.parse(readFileSync(new URL('../../fixtures/torchMarian.json', import.meta.url), 'utf8'));

const settings = new TextEncoder().encode(
	[
		'type: transformer',
		'dim-emb: 32',
		'enc-depth: 2',
		'dec-depth: 2',
		'transformer-heads: 4',
		'transformer-dim-ffn: 48',
		'transformer-ffn-activation: swish',
		'transformer-decoder-autoreg: self-attention',
		'transformer-postprocess: dan',
		'transformer-preprocess: ""',
		'tied-embeddings: false\n\0',
	].join('\n'),
);

const drawn = [...randomWeights(made)].map(([name, { shape, numbers }]) => {
	const isStrong = /(_Wo|_Wv|_Wq|Wemb)$/.test(name);
	const isNorm = name.endsWith('_ln_scale');
	const values = numbers.map((value) => (isStrong ? value * 4 : isNorm ? value + 1 : value));
	return { name, shape, bytes: bytesOf(values) };
});

const npz = npzBytes({
	...Object.fromEntries(
		drawn.map(({ name, shape, bytes }) => [name, { descr: '<f4', shape, bytes }]),
	),
	'special:model.yml': { descr: '|i1', shape: [settings.length], bytes: settings },
});
const binary = marianBytes([
	...drawn.map((item) => ({ ...item, type: 0x0404 })),
	{ name: 'special:model.yml', type: 0x0101, shape: [settings.length], bytes: settings },
]);
const pieces = wordPieces(vocabulary);
/** Ids as OPUS-MT publishes them: pieces in quotes where they need some. */
const ids = Array.from({ length: vocabulary }, (_, id) =>
	id < 2 ? `"${['</s>', '<unk>'][id]}": ${id}` : `\u2581${wordOf(id)}: ${id}`,
).join('\n');

/** Lines that a pattern with blanks in two places would read for hours. */
const blanks = `\n${' '.repeat(200_000)}x\na${' '.repeat(200_000)}`;

const cases: Readonly<Record<string, Readonly<Record<string, string | Uint8Array>>>> = {
	'.npz and one vocabulary': { 'model.npz': npz, 'vocab.spm': pieces },
	'.bin of float32': { 'model.ende.bin': binary, 'vocab.ende.spm': pieces },
	"the names of a decoder's settings, with ids": {
		'opus.model1.npz.best-perplexity.npz': npz,
		'opus.vocab.yml': ids + blanks,
		'source.spm': pieces,
		'target.spm': pieces,
		'decoder.yml':
			'models:\n  - opus.model1.npz.best-perplexity.npz\nvocabs:\n  - opus.vocab.yml\n  - opus.vocab.yml\nbeam-size: 6\n',
	},
};

for (const [name, files] of Object.entries(cases))
	test(`a teacher by ${name}`, async () => {
		const folder = temporaryFolder('teacher');
		const path = join(folder, 'files');
		mkdirSync(path);
		for (const [file, content] of Object.entries(files)) writeFileSync(join(path, file), content);
		const target = join(folder, 'model');
		await buildFolder(
			{
				source: { kind: 'path', path },
				target,
				origin: { source: 'test' },
				languages: ['en', 'de'],
				keep: true,
			},
			{
				onPlan: async () => {},
				onProgress: () => {},
				usableBytes: async () => roughlyUsableMemory(),
			},
		);
		const { task, problems } = await describeModel(target);
		assert.deepEqual([task, problems], ['translation', []]);
		assert.deepEqual(await studentAnswers(target, made.lines, maxLength), made.answers);
	});
