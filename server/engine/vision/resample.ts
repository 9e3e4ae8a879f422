/**
 * Resizing of images of eight bits a channel, as the processors of published models do it: separable filters that
 * are widened when an image gets smaller, in fixed point, columns after rows (the algorithm of Pillow's `resize`).
 */

import type { ResampleFilter } from '../modelFiles/imageLayout.ts';
import type { ImageSize } from '../modelFiles/imagePlan.ts';

/** An image with three channels, row by row. */
export interface RgbImage extends ImageSize {
	readonly data: Uint8Array;
}

interface Filter {
	readonly support: number;
	readonly at: (x: number) => number;
}

const sinc = (x: number) => (x === 0 ? 1 : Math.sin(Math.PI * x) / (Math.PI * x));

const filters: Readonly<Record<ResampleFilter, Filter>> = {
	bilinear: { support: 1, at: (x) => Math.max(0, 1 - Math.abs(x)) },
	bicubic: {
		support: 2,
		at: (value) => {
			const x = Math.abs(value);
			if (x < 1) return (1.5 * x - 2.5) * x * x + 1;
			return x < 2 ? ((-0.5 * x + 2.5) * x - 4) * x + 2 : 0;
		},
	},
	lanczos: { support: 3, at: (x) => (Math.abs(x) < 3 ? sinc(x) * sinc(x / 3) : 0) },
};

/** Bits of the weights behind the point. */
const precision = 22;
const one = 2 ** precision;

interface Weights {
	/** First source pixel and number of them, per target pixel. */
	readonly bounds: Int32Array;
	/** `width` per target pixel. */
	readonly values: Float64Array;
	readonly width: number;
}

function weightsOf(from: number, to: number, { support: own, at }: Filter): Weights {
	const scale = from / to;
	const widened = Math.max(scale, 1);
	const support = own * widened;
	const width = Math.ceil(support) * 2 + 1;
	const bounds = new Int32Array(2 * to);
	const values = new Float64Array(width * to);
	for (let target = 0; target < to; target++) {
		const center = (target + 0.5) * scale;
		const first = Math.max(0, Math.trunc(center - support + 0.5));
		const count = Math.min(from, Math.trunc(center + support + 0.5)) - first;
		const part = values.subarray(target * width, target * width + count);
		let sum = 0;
		for (let k = 0; k < count; k++) {
			part[k] = at((k + first - center + 0.5) / widened);
			sum += part[k] as number;
		}
		for (let k = 0; k < count; k++) {
			const weight = ((part[k] as number) / (sum === 0 ? 1 : sum)) * one;
			part[k] = Math.trunc(weight < 0 ? weight - 0.5 : weight + 0.5);
		}
		bounds[2 * target] = first;
		bounds[2 * target + 1] = count;
	}
	return { bounds, values, width };
}

const eightBits = (sum: number) => Math.min(255, Math.max(0, Math.floor(sum / one)));

/** The image in another size. */
export function resample(image: RgbImage, size: ImageSize, filter: ResampleFilter): RgbImage {
	const chosen = filters[filter];
	const wide =
		image.width === size.width
			? image
			: alongRows(image, size.width, weightsOf(image.width, size.width, chosen));
	return image.height === size.height
		? wide
		: alongColumns(wide, size.height, weightsOf(image.height, size.height, chosen));
}

function alongRows({ data, width: from, height }: RgbImage, width: number, weights: Weights) {
	const target = new Uint8Array(width * height * 3);
	for (let y = 0; y < height; y++)
		for (let x = 0; x < width; x++) {
			const first = weights.bounds[2 * x] as number;
			const count = weights.bounds[2 * x + 1] as number;
			let [r, g, b] = [one / 2, one / 2, one / 2];
			for (let k = 0, at = (y * from + first) * 3; k < count; k++, at += 3) {
				const weight = weights.values[x * weights.width + k] as number;
				r += weight * (data[at] as number);
				g += weight * (data[at + 1] as number);
				b += weight * (data[at + 2] as number);
			}
			const to = (y * width + x) * 3;
			target[to] = eightBits(r);
			target[to + 1] = eightBits(g);
			target[to + 2] = eightBits(b);
		}
	return { data: target, width, height };
}

function alongColumns({ data, width }: RgbImage, height: number, weights: Weights): RgbImage {
	const line = width * 3;
	const target = new Uint8Array(line * height);
	const sums = new Float64Array(line);
	for (let y = 0; y < height; y++) {
		const first = weights.bounds[2 * y] as number;
		const count = weights.bounds[2 * y + 1] as number;
		sums.fill(one / 2);
		for (let k = 0; k < count; k++) {
			const weight = weights.values[y * weights.width + k] as number;
			for (let x = 0, at = (first + k) * line; x < line; x++, at++)
				sums[x] = (sums[x] as number) + weight * (data[at] as number);
		}
		for (let x = 0; x < line; x++) target[y * line + x] = eightBits(sums[x] as number);
	}
	return { data: target, width, height };
}
