/** From a decoded image to what a vision encoder is fed. Pure. */

import type { ImageLayout, PatchLayout } from '../modelFiles/imageLayout.ts';
import type { ImagePlan } from '../modelFiles/imagePlan.ts';
import { type RgbImage, resample } from './resample.ts';

/** Values from about −2 to 2: squares `[3, side, side]` one behind the other, or patches. */
export interface PixelTensor {
	readonly data: Float32Array<ArrayBuffer>;
	/** Squares, or patches along both sides. */
	readonly frames: number;
	readonly grid?: { readonly rows: number; readonly columns: number };
}

/** What is see-through lies on white. */
export function withoutAlpha(rgba: Uint8ClampedArray | Uint8Array, pixels: number): Uint8Array {
	const rgb = new Uint8Array(pixels * 3);
	for (let pixel = 0; pixel < pixels; pixel++) {
		const alpha = rgba[pixel * 4 + 3] as number;
		for (let channel = 0; channel < 3; channel++) {
			const value = rgba[pixel * 4 + channel] as number;
			rgb[pixel * 3 + channel] =
				alpha === 255 ? value : Math.round((value * alpha + 255 * (255 - alpha)) / 255);
		}
	}
	return rgb;
}

export function pixelTensor(image: RgbImage, plan: ImagePlan, layout: ImageLayout): PixelTensor {
	const sized = plan.sizes.reduce<RgbImage>(
		(from, size) => resample(from, size, layout.filter),
		image,
	);
	const norm = normalizer(layout);
	if (layout.kind === 'patches') return patchesOf(sized, layout, norm);
	const { side } = layout;
	const frames = plan.rows * plan.columns + 1;
	const data = new Float32Array(frames * 3 * side * side);
	const write = (frame: number, from: RgbImage, left: number, top: number) => {
		for (let channel = 0; channel < 3; channel++)
			for (let y = 0; y < side; y++) {
				const to = ((frame * 3 + channel) * side + y) * side;
				const at = ((top + y) * from.width + left) * 3 + channel;
				for (let x = 0; x < side; x++)
					data[to + x] = norm(channel, from.data[at + 3 * x] as number);
			}
	};
	for (let row = 0; row < plan.rows; row++)
		for (let column = 0; column < plan.columns; column++)
			write(row * plan.columns + column, sized, column * side, row * side);
	write(frames - 1, resample(sized, { width: side, height: side }, layout.filter), 0, 0);
	return { data, frames };
}

function normalizer({ mean, std }: ImageLayout): (channel: number, value: number) => number {
	const table = [0, 1, 2].map((channel) =>
		Float32Array.from(
			{ length: 256 },
			(_, value) => (value / 255 - (mean[channel] as number)) / (std[channel] as number),
		),
	);
	return (channel, value) => table[channel]?.[value] as number;
}

/** Patches in the order of the vectors they become, each channel by channel and picture by picture. */
function patchesOf(
	image: RgbImage,
	{ patch, merge, temporal }: PatchLayout,
	norm: (channel: number, value: number) => number,
): PixelTensor {
	const [rows, columns] = [image.height / patch, image.width / patch];
	const data = new Float32Array(rows * columns * 3 * temporal * patch * patch);
	let to = 0;
	for (let blockRow = 0; blockRow < rows; blockRow += merge)
		for (let blockColumn = 0; blockColumn < columns; blockColumn += merge)
			for (let inner = 0; inner < merge * merge; inner++) {
				const top = (blockRow + Math.floor(inner / merge)) * patch;
				const left = (blockColumn + (inner % merge)) * patch;
				for (let channel = 0; channel < 3; channel++)
					for (let picture = 0; picture < temporal; picture++)
						for (let y = 0; y < patch; y++)
							for (let x = 0; x < patch; x++) {
								const at = ((top + y) * image.width + left + x) * 3 + channel;
								data[to++] = norm(channel, image.data[at] as number);
							}
			}
	return { data, frames: 1, grid: { rows, columns } };
}
