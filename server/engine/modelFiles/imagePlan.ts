/** What becomes of an image of a size: pixels, squares or patches, vectors, and the text that stands for them. Pure. */

import type { ImageDetail } from '../../protocol/index.ts';
import type { ImageLayout, PatchLayout, SquareLayout, TiledLayout } from './imageLayout.ts';

export interface ImageSize {
	readonly width: number;
	readonly height: number;
}

export interface ImagePlan {
	/** Sizes it is brought to, one after the other, before it is cut. */
	readonly sizes: readonly ImageSize[];
	/** Squares along both sides, before the one of the whole; 0 where it is not cut. */
	readonly rows: number;
	readonly columns: number;
	/** Vectors of the whole image. */
	readonly vectors: number;
	/** Vectors along both sides, where their positions have two dimensions. */
	readonly grid?: { readonly rows: number; readonly columns: number };
	/** What the text has in the place of the template's mark. */
	readonly text: string;
}

export function planImage(layout: ImageLayout, size: ImageSize, detail: ImageDetail): ImagePlan {
	if (layout.kind === 'tiles') return tilesOf(layout, size, detail);
	if (layout.kind === 'square') return squareOf(layout);
	return patchesOf(layout, size, detail);
}

const around = '<fake_token_around_image>';
const whole = '<global-img>';

function tilesOf(layout: TiledLayout, size: ImageSize, detail: ImageDetail): ImagePlan {
	const { side, vectors, token } = layout;
	const first = longestSide(size, layout.longestEdge);
	const vectorsText = token.repeat(vectors);
	const last = `${around}${whole}${vectorsText}${around}`;
	if (!layout.splits || detail === 'low') {
		const sizes = [first, { width: side, height: side }];
		return { sizes, rows: 0, columns: 0, vectors, text: last };
	}
	const cut = wholeSquares(first, side);
	const [rows, columns] = [cut.height / side, cut.width / side];
	if (rows === 1 && columns === 1)
		return { sizes: [first, cut], rows: 0, columns: 0, vectors, text: last };
	const lines = Array.from({ length: rows }, (_, row) =>
		Array.from(
			{ length: columns },
			(__, column) => `${around}<row_${row + 1}_col_${column + 1}>${vectorsText}`,
		).join(''),
	);
	return {
		sizes: [first, cut],
		rows,
		columns,
		vectors: (rows * columns + 1) * vectors,
		text: `${lines.map((line) => `${line}\n`).join('')}\n${last}`,
	};
}

/** The longer side becomes `longest`, the other an even number. */
function longestSide({ width, height }: ImageSize, longest: number): ImageSize {
	const even = (value: number) => Math.max(1, value + (value % 2));
	const aspect = width / height;
	return width >= height
		? { width: longest, height: even(Math.trunc(longest / aspect)) }
		: { width: even(Math.trunc(longest * aspect)), height: longest };
}

/** Both sides become multiples of a square's. */
function wholeSquares({ width, height }: ImageSize, side: number): ImageSize {
	const up = (value: number) => Math.max(1, Math.ceil(value / side)) * side;
	const aspect = width / height;
	if (width >= height) {
		const wide = up(width);
		return { width: wide, height: up(Math.trunc(wide / aspect)) };
	}
	const high = up(height);
	return { width: up(Math.trunc(high * aspect)), height: high };
}

function squareOf({ side, vectors, token, before, after }: SquareLayout): ImagePlan {
	const sizes = [{ width: side, height: side }];
	const text = `${before}${token.repeat(vectors)}${after}`;
	return { sizes, rows: 0, columns: 0, vectors, text };
}

/** Vectors of an image that is looked at briefly. */
const lowVectors = 64;

function patchesOf(layout: PatchLayout, size: ImageSize, detail: ImageDetail): ImagePlan {
	const factor = layout.patch * layout.merge;
	const low = lowVectors * factor * factor;
	const maxPixels = detail === 'low' ? Math.min(low, layout.maxPixels) : layout.maxPixels;
	const minPixels = Math.min(layout.minPixels, maxPixels);
	const cut = smartSize(size, factor, minPixels, maxPixels);
	const grid = { rows: cut.height / factor, columns: cut.width / factor };
	const vectors = grid.rows * grid.columns;
	return { sizes: [cut], rows: 0, columns: 0, vectors, grid, text: layout.token.repeat(vectors) };
}

/** Sides that are multiples of `factor`, with about the image's shape, between two numbers of pixels. */
function smartSize({ width, height }: ImageSize, factor: number, min: number, max: number) {
	const near = (value: number) => Math.max(factor, roundHalfEven(value / factor) * factor);
	const found = { width: near(width), height: near(height) };
	const scaled = (beta: number, round: (value: number) => number) => ({
		width: Math.max(factor, round((width * beta) / factor) * factor),
		height: Math.max(factor, round((height * beta) / factor) * factor),
	});
	if (found.width * found.height > max)
		return scaled(1 / Math.sqrt((height * width) / max), Math.floor);
	if (found.width * found.height < min) return scaled(Math.sqrt(min / (height * width)), Math.ceil);
	return found;
}

/** As Python rounds. */
function roundHalfEven(value: number): number {
	const down = Math.floor(value);
	if (value - down !== 0.5) return Math.round(value);
	return down % 2 === 0 ? down : down + 1;
}

/** Images of more unequal sides are refused by the reference, too. */
export const maxAspect = 200;
