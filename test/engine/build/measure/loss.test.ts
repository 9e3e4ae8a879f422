import assert from 'node:assert/strict';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { lossText } from '../../../../server/cli/lossText.ts';
import { divergenceOf } from '../../../../server/engine/build/measure/loss.ts';
import { WeightErrors } from '../../../../server/engine/build/measure/weightErrors.ts';
import { dequantise } from '../../../../server/engine/build/quantise/dequantise.ts';
import { quantiseBlocks } from '../../../../server/engine/build/quantise/quantiseBlocks.ts';
import { readBuiltLoss } from '../../../../server/engine/modelFiles/builtLoss.ts';
import { Random } from '../../../fixtures/graphBuilder.ts';
import { temporaryFolder } from '../../../support/temporaryFolder.ts';

describe('what was lost', () => {
	const base = temporaryFolder();
	const said = (origin: unknown) => {
		const folder = mkdtempSync(join(base, 'model-'));
		writeFileSync(join(folder, 'nearglot-origin.json'), JSON.stringify(origin));
		return readBuiltLoss(folder);
	};

	it('is the divergence of probabilities, whatever is added to all logits', () => {
		const p = Float32Array.of(Math.log(0.5), Math.log(0.25), Math.log(0.25));
		const q = Float32Array.of(Math.log(0.25), Math.log(0.5), Math.log(0.25)).map((x) => x + 7);
		assert.ok(Math.abs(divergenceOf(p, q) - 0.25 * Math.log(2)) < 1e-6);
		assert.ok(divergenceOf(p, p) < 1e-7);
		const far = Float32Array.of(0, -1e4, -1e4);
		assert.ok(divergenceOf(far, far) === 0, 'what is never said adds nothing');
	});

	it('is told of each tensor, and of all', () => {
		const random = new Random(1);
		const [rows, columns] = [24, 64];
		const numbers = Float32Array.from({ length: rows * columns }, () => random.normal());
		for (const bits of [4, 8] as const)
			for (const zeroPoints of [true, false]) {
				const form = { bits, block: 32, zeroPoints, residual: false };
				const made = quantiseBlocks(numbers, rows, columns, form);
				const found = dequantise(made, rows, columns);
				const error = Math.hypot(...found.map((x, k) => x - (numbers[k] as number)));
				const expected = error / Math.hypot(...numbers);
				const errors = new WeightErrors();
				errors.add('a', numbers, made, rows);
				// One row of eight is looked at.
				assert.ok(Math.abs(errors.total - expected) < expected / 4, `${bits} ${zeroPoints}`);
				errors.add('b', numbers, { ...made, scales: made.scales.map((x) => x * 2) }, rows);
				assert.equal(errors.worst?.weight, 'b');
				assert.deepEqual(new WeightErrors(errors.entries()).total, errors.total);
			}
		assert.equal(new WeightErrors().worst, undefined);
		assert.equal(new WeightErrors().total, 0);
	});

	it('is said in a sentence', () => {
		const worstWeight = { name: 'layer.weight_Q4', error: 0.123 };
		assert.equal(
			lossText({
				measured: 'answers',
				positions: 96,
				divergence: 0.01234,
				sameToken: 0.9479,
				weightError: 0.0871,
				worstWeight,
			}),
			'95 % of 96 next tokens the same as unquantised, divergence 0.012 (KL); weights changed by 8.7 %, most 12 % in layer.weight_Q4',
		);
		assert.equal(
			lossText({ measured: 'weights', why: 'it is large', weightError: 0.005 }),
			'weights changed by 0.50 %; answers were not compared: it is large',
		);
		assert.match(lossText({ measured: 'nothing' }), /^nothing/);
	});

	it('is read from a folder that anybody may have written', async () => {
		const loss = {
			measured: 'answers',
			positions: 96,
			divergence: 0.5,
			sameToken: 1,
			weightError: 0.1,
		};
		assert.deepEqual(await said({ loss }), loss);
		assert.deepEqual(await said({ loss: { measured: 'nothing', more: 1 } }), {
			measured: 'nothing',
		});
		for (const other of [
			{},
			[],
			{ loss: 'much' },
			{ loss: { ...loss, divergence: 'x' } },
			{ loss: { ...loss, measured: '__proto__', weightError: null } },
			{ loss: { measured: 'weights', weightError: 1 } },
		])
			assert.equal(await said(other), undefined, JSON.stringify(other));
		const long = await said({
			loss: { measured: 'weights', why: 'x'.repeat(9999), weightError: 1 },
		});
		assert.ok(long?.measured === 'weights' && long.why.length <= 200);
		assert.equal(await readBuiltLoss(join(base, 'nowhere')), undefined);
	});
});
