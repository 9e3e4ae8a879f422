/** Reading what strangers wrote takes time in proportion to its length. The whole: `npm run bench -- hostile`. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { audioCases } from './audio.ts';
import { bodyCases } from './bodies.ts';
import { documentCases, missingCases } from './documents.ts';
import { growthOf, maxGrowth } from './growth.ts';
import { textCases } from './requests.ts';
import { scriptCases } from './scripts.ts';
import { some } from './some.ts';

const options = { from: 4000, to: 8000, minMs: 30 };

test('what grows with the square of its input is told from what grows with it', async () => {
	const make = (n: number) => 'a'.repeat(n);
	const spin = (turns: number) => {
		let sum = 0;
		for (let turn = 0; turn < turns; turn++) sum += Math.sqrt(turn);
		return sum;
	};
	const linear = { name: 'linear', make, run: (text: string) => spin(text.length * 2000) };
	const square = {
		name: 'square',
		make,
		run: (text: string) => spin(text.length * text.length * 0.4),
	};
	const longer = { ...options, to: 64_000 };
	const [good, bad] = [await growthOf(linear, longer), await growthOf(square, longer)];
	assert.ok(good && good.ratio <= maxGrowth, JSON.stringify(good));
	assert.ok(bad && bad.ratio > maxGrowth, JSON.stringify(bad));
});

for (const [name, cases] of [
	['documents', some(documentCases, 60)],
	['message files', some(missingCases, 8)],
	['texts', some(textCases, 12)],
	['recordings', some(audioCases, 8)],
	['scripts', some(scriptCases, 40)],
	['bodies', bodyCases],
] as const)
	test(`${name}: twice the input takes about twice the time`, async () => {
		const faults: string[] = [];
		for (const one of cases) {
			const growth = await growthOf(one, options);
			if (growth && growth.ratio > maxGrowth)
				faults.push(`${one.name}: ${growth.smallMs} ms → ${growth.largeMs} ms at ${growth.n}`);
		}
		assert.deepEqual(faults, []);
	});
