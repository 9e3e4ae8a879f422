/** Embeddings against the reference of a small BERT in every precision it is published in. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { normalize, pool } from '../../server/engine/embed/pooling.ts';
import { loadEngine } from '../../server/engine/engine.ts';
import { sharedFolder } from '../support/sharedData.ts';

const folder = sharedFolder('models-tiny/bert-tjs');

function cosine(a: ArrayLike<number>, b: ArrayLike<number>): number {
	let [dot, left, right] = [0, 0, 0];
	for (let index = 0; index < a.length; index++) {
		dot += (a[index] as number) * (b[index] as number);
		left += (a[index] as number) ** 2;
		right += (b[index] as number) ** 2;
	}
	return dot / Math.sqrt(left * right);
}

describe('embeddings', () => {
	it('pools as asked', () => {
		const hidden = Float32Array.of(1, 2, 3, 4, 100, 100);
		assert.deepEqual([...pool(hidden, 0, 3, 2, 2, 'mean')], [2, 3]);
		assert.deepEqual([...pool(hidden, 0, 3, 2, 2, 'cls')], [1, 2]);
		assert.deepEqual([...pool(hidden, 0, 3, 2, 2, 'max')], [3, 4]);
		assert.deepEqual([...pool(hidden, 0, 3, 2, 2, 'last-token')], [3, 4]);
		const unit = normalize(Float32Array.of(3, 4));
		assert.ok(Math.abs((unit[0] as number) - 0.6) < 1e-6);
		assert.deepEqual([...normalize(new Float32Array(2))], [0, 0]);
	});

	const limits = [
		['fp32', 1e-4],
		['fp16', 1e-3],
		['q8', 0.02],
		['q4', 0.08],
	] as const;
	for (const [precision, tolerance] of limits) {
		it(`${precision}: equal to the reference, alone and in company`, {
			skip: folder.skip,
		}, async () => {
			const reference = JSON.parse(readFileSync(join(folder.path, 'reference.json'), 'utf8'));
			const engine = await loadEngine({ folder: folder.path, precision, threads: 1 });
			try {
				const together = await engine.embed({ inputs: reference.texts });
				const expected: number[][] = reference.embeddings;
				const ids: number[][] = reference.ids;
				assert.equal(
					together.promptTokens,
					ids.reduce((sum, list) => sum + list.length, 0),
				);
				for (const [index, vector] of together.vectors.entries()) {
					const wanted = expected[index] as number[];
					const worst = Math.max(
						...wanted.map((value, at) => Math.abs(value - (vector[at] as number))),
					);
					assert.ok(worst <= tolerance, `text ${index}: off by ${worst}`);
					const alone = await engine.embed({ inputs: [ids[index] as number[]] });
					assert.ok(cosine(alone.vectors[0] as Float32Array, vector) > 0.99999);
				}
				const short = await engine.embed({ inputs: [reference.texts[0]], dimensions: 16 });
				assert.equal(short.vectors[0]?.length, 16);
				assert.ok(
					Math.abs(
						cosine(short.vectors[0] as Float32Array, (expected[0] as number[]).slice(0, 16)) - 1,
					) < 0.05,
				);
				await assert.rejects(
					engine.embed({ inputs: ['word '.repeat(600)] }),
					(error: Error & { code?: string }) => error.code === 'context_length_exceeded',
				);
				await assert.rejects(
					engine.embed({ inputs: [''], dimensions: 65 }),
					(error: Error & { param?: string }) => error.param === 'dimensions',
				);
			} finally {
				await engine.close();
			}
		});
	}
});
