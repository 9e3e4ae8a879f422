/**
 * Word alignment from the encoder alone: pieces of source and target, each read in its own language,
 * are linked where their vectors are alike both ways (TransAlign, arXiv 2510.27337). For models whose
 * encoder reads every language; their cross-attention mostly rests on tags and end tokens (arXiv 2605.01229).
 */

import type { TextModel } from '../api.ts';
import { float16ToFloat32 } from '../runtime/float16.ts';
import type { Alignment } from './alignment.ts';
import type { EncodedBatch } from './encoderDecoder.ts';
import type { EncodedItem } from './languageTokens.ts';

/** Sharpness of the two softmaxes over centred cosines. */
const temperature = 0.1;

/** Whether the vocabulary tags source languages: `__en__`, `eng_Latn`, `en_XX`. */
export function hasSourceLanguageTags(text: TextModel): boolean {
	return ['__en__', 'eng_Latn', 'en_XX'].some((tag) => text.tokenToId(tag) !== undefined);
}

/** Pieces of a text with the encoder's vector for each. */
export interface PieceVectors {
	readonly spans: readonly (readonly [number, number])[];
	readonly vectors: readonly Float32Array[];
}

/** The vectors of an item's visible pieces (no tags, no end tokens), out of a batch. */
export function pieceVectors(
	{ hidden, positions }: EncodedBatch,
	index: number,
	{ offsets }: EncodedItem,
): PieceVectors {
	const width = hidden.dims[2] ?? 0;
	const columns = offsets.flatMap(([start, end], index) => (end > start ? [index] : []));
	return {
		spans: columns.map((column) => offsets[column] as readonly [number, number]),
		vectors: columns.map((column) => {
			const at = (index * positions + column) * width;
			return hidden.type === 'float16'
				? Float32Array.from(float16ToFloat32((hidden.data as Uint16Array).slice(at, at + width)))
				: (hidden.data as Float32Array).slice(at, at + width);
		}),
	};
}

/**
 * How much each target piece belongs to each source piece: the probability of the source piece given
 * the target piece times that of the target piece given the source piece, scaled to rows of sum 1.
 */
export function alignVectors(source: PieceVectors, target: PieceVectors): Alignment {
	const rows = target.vectors.length;
	const columns = source.vectors.length;
	const similar = cosines(centred(target.vectors), centred(source.vectors));
	const attention = new Float32Array(rows * columns);
	const powers = similar.map((row) => row.map((cosine) => Math.exp(cosine / temperature)));
	const columnSums = source.vectors.map((_, column) =>
		powers.reduce((sum, row) => sum + (row[column] as number), 0),
	);
	for (const [row, values] of powers.entries()) {
		const rowSum = values.reduce((sum, value) => sum + value, 0);
		const both = values.map((value, column) => (value * value) / (columnSums[column] as number));
		const total = both.reduce((sum, value) => sum + value, 0) / rowSum;
		for (const [column, value] of both.entries()) {
			attention[row * columns + column] = total > 0 ? value / rowSum / total : 1 / columns;
		}
	}
	return { sourceSpans: [...source.spans], targetSpans: [...target.spans], attention };
}

/** All vectors of a text share a large part that says nothing about the piece. */
function centred(vectors: readonly Float32Array[]): Float32Array[] {
	const mean = new Float64Array(vectors[0]?.length ?? 0);
	for (const vector of vectors) {
		for (let k = 0; k < mean.length; k++) {
			mean[k] = (mean[k] as number) + (vector[k] as number) / vectors.length;
		}
	}
	// A single piece has no others to differ from.
	if (vectors.length === 1) return [...vectors];
	return vectors.map((vector) => vector.map((value, k) => value - (mean[k] as number)));
}

function cosines(left: readonly Float32Array[], right: readonly Float32Array[]): number[][] {
	const norm = (vector: Float32Array): number =>
		Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0)) || 1;
	const rightNorms = right.map(norm);
	return left.map((a) => {
		const own = norm(a);
		return right.map((b, index) => {
			let sum = 0;
			for (let k = 0; k < a.length; k++) sum += (a[k] as number) * (b[k] as number);
			return sum / (own * (rightNorms[index] as number));
		});
	});
}
