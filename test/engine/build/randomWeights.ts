/** The weights of the models of test/fixtures/torch*.py, drawn from the same random numbers. */

import { Random } from '../../fixtures/graphBuilder.ts';
import type { NamedNumbers } from './memorySource.ts';

export interface Drawn {
	readonly seed: number;
	readonly tensors: readonly (readonly [name: string, shape: readonly number[]])[];
}

export function randomWeights({ tensors, seed }: Drawn): Map<string, NamedNumbers> {
	const random = new Random(seed);
	return new Map(
		tensors.map(([name, shape]): [string, NamedNumbers] => {
			const isNorm = name.includes('norm') && name.endsWith('weight');
			const numbers = new Float32Array(shape.reduce((a, b) => a * b, 1));
			for (let k = 0; k < numbers.length; k++)
				numbers[k] = isNorm ? random.normal() * 0.2 + 1 : random.normal() * 0.3;
			return [name, { shape, numbers }];
		}),
	);
}
