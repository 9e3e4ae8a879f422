/** Pixels as they were seen, of pixels as a camera wrote them. Pure. */

import type { RgbImage } from './resample.ts';

/**
 * The image turned and mirrored as Exif's `Orientation` says.
 * @param orientation 1 to 8; 1 leaves it as it is
 */
export function applyOrientation(image: RgbImage, orientation: number): RgbImage {
	if (orientation <= 1) return image;
	const { width, height, data } = image;
	// Which ends of the file's rows and columns come first when it is seen.
	const isTurned = orientation >= 5;
	const fromRight = [2, 3, 7, 8].includes(orientation);
	const fromBottom = [3, 4, 6, 7].includes(orientation);
	const seen = isTurned ? { width: height, height: width } : { width, height };
	const out = new (data.constructor as new (length: number) => typeof data)(data.length);
	let to = 0;
	for (let y = 0; y < seen.height; y++)
		for (let x = 0; x < seen.width; x++) {
			const [across, down] = isTurned ? [y, x] : [x, y];
			const column = fromRight ? width - 1 - across : across;
			const row = fromBottom ? height - 1 - down : down;
			const from = 3 * (row * width + column);
			out[to++] = data[from] ?? 0;
			out[to++] = data[from + 1] ?? 0;
			out[to++] = data[from + 2] ?? 0;
		}
	return { ...seen, data: out };
}
