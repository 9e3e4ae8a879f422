/** How far quantised weights are from the numbers they were made of, each tensor for itself. */

import { dequantise } from '../quantise/dequantise.ts';
import type { BlockRows } from '../sources/tensorSource.ts';

/** Sums of squares of one tensor. */
export interface WeightError {
	readonly weight: string;
	readonly difference: number;
	readonly size: number;
}

/** One row of so many is compared: all of them would take as long as the quantising. */
const everyRow = 8;

export class WeightErrors {
	readonly #sums = new Map<string, { difference: number; size: number }>();

	constructor(entries: readonly WeightError[] = []) {
		for (const { weight, difference, size } of entries)
			this.#sums.set(weight, { difference, size });
	}

	/** @param numbers whole rows, @param made their form in blocks */
	add(weight: string, numbers: Float32Array, made: BlockRows, rows: number): void {
		const columns = numbers.length / rows;
		const sums = this.#sums.get(weight) ?? { difference: 0, size: 0 };
		for (let row = 0; row < rows; row += everyRow) {
			const found = dequantise(rowOf(made, row, rows), 1, columns);
			for (let k = 0; k < columns; k++) {
				const number = numbers[row * columns + k] as number;
				sums.difference += ((found[k] as number) - number) ** 2;
				sums.size += number ** 2;
			}
		}
		this.#sums.set(weight, sums);
	}

	entries(): WeightError[] {
		return [...this.#sums].map(([weight, sums]) => ({ weight, ...sums }));
	}

	/** Of all tensors together; root mean square, relative to the numbers. */
	get total(): number {
		let difference = 0;
		let size = 0;
		for (const sums of this.#sums.values()) {
			difference += sums.difference;
			size += sums.size;
		}
		return relative(difference, size);
	}

	/** The tensor that has changed most. */
	get worst(): { readonly weight: string; readonly error: number } | undefined {
		let worst: { weight: string; error: number } | undefined;
		for (const [weight, { difference, size }] of this.#sums) {
			const error = relative(difference, size);
			if (worst === undefined || error > worst.error) worst = { weight, error };
		}
		return worst;
	}
}

const relative = (difference: number, size: number): number =>
	size === 0 ? 0 : Math.sqrt(difference / size);

/** One of several rows. */
function rowOf(made: BlockRows, row: number, rows: number): BlockRows {
	const part = <T extends Uint8Array | Float32Array>(values: T): T => {
		const width = values.length / rows;
		return values.subarray(row * width, (row + 1) * width) as T;
	};
	const { zeroPoints, residual } = made;
	return {
		...made,
		packed: part(made.packed),
		scales: part(made.scales),
		...(zeroPoints === undefined ? {} : { zeroPoints: part(zeroPoints) }),
		...(residual === undefined ? {} : { residual: part(residual) }),
	};
}
