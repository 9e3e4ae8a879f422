/** Exports of one model in the shapes that are published answer alike, rewritten or not. */

import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { type DecoderOptions, writeDecoderModel } from '../fixtures/decoderModel.ts';
import { type ExportShape, reshapeExport } from '../fixtures/exportShapes.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { answers, assertSame } from './sameAnswers.ts';

const folder = temporaryFolder();

/** A graph and the shape it is published in; attention that is spelled out as exporters do is fused. */
const cases: readonly (readonly [DecoderOptions['attention'] | 'fusable', ExportShape])[] = [
	['gqa', 'int32'],
	['gqa', 'keep'],
	['gqa', 'pastNames'],
	['plain', 'int32'],
	['plain', 'half'],
	['fusable', 'halfInside'],
	['plain', 'noPositions'],
	['plain', 'keep'],
	['plain', 'pastNames'],
];

for (const plainRuntime of [false, true])
	for (const [attention, shape] of cases)
		for (const block of [undefined, 32]) {
			// Matrices of 4 bits take their inputs in 8: there the rounding of half numbers becomes other tokens.
			const isHalf = shape.startsWith('half');
			if (block !== undefined && (plainRuntime || isHalf)) continue;
			const runtime = plainRuntime ? 'session.run' : 'the C API';
			const name = `${attention}-${shape}-${block ?? 'fp32'}-${plainRuntime}`;
			test(`an export of the shape ${name} answers as the usual one: ${runtime}`, async () => {
				const options: DecoderOptions = {
					attention: attention === 'fusable' ? 'plain' : attention,
					...(attention === 'fusable' ? { queryScale: 1 } : {}),
					...(block === undefined ? {} : { block }),
				};
				const usual = writeDecoderModel(join(folder, `usual-${name}`), options);
				const other = writeDecoderModel(join(folder, name), options);
				const onnx = join(other, 'onnx');
				for (const file of readdirSync(onnx).filter((each) => each.endsWith('.onnx')))
					reshapeExport(join(onnx, file), shape);
				const expected = await answers(usual, plainRuntime);
				const found = await answers(other, plainRuntime);
				assertSame(found, expected, isHalf ? 0.02 : 1e-3);
				assert.deepEqual(found.notices, expected.notices);
			});
		}
