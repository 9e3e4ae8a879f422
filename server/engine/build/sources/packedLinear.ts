/**
 * Matrices of four or eight bits as GPTQ and AWQ publish them: 32-bit words of codes, the columns of the
 * product next to each other, with a scale and a zero point for every group of inputs.
 */

import { float16ToFloat32 } from '../../runtime/float16.ts';
import { packNibbles } from './nibbles.ts';
import type { BlockRows } from './tensorSource.ts';

export interface PackedLayout {
	readonly kind: 'gptq' | 'awq';
	readonly bits: 4 | 8;
	/** Outputs. */
	readonly rows: number;
	/** Inputs. */
	readonly columns: number;
	/** Inputs that share a scale. */
	readonly group: number;
	/** Added to a stored zero point. */
	readonly zeroOffset: 0 | 1;
}

/** The stored tensors of one matrix. */
export interface PackedParts {
	/** GPTQ: `[columns · bits / 32, rows]`, AWQ: `[columns, rows · bits / 32]`. */
	readonly words: Uint32Array;
	/** `[groups, rows · bits / 32]`. */
	readonly zeros: Uint32Array;
	/** float16 bits `[groups, rows]`. */
	readonly scales: Uint16Array;
	/** Of every input, where the groups are not one after the other. */
	readonly groups?: Uint32Array;
}

/** What AWQ has in the first, second … four bits of a word. */
const awqOrder = [0, 2, 4, 6, 1, 3, 5, 7];

/** Codes of the rows, `[to − from, columns]`. */
function codesOf(
	{ kind, bits, rows, columns }: PackedLayout,
	words: Uint32Array,
	from: number,
	to: number,
) {
	const codes = new Uint8Array((to - from) * columns);
	const perWord = 32 / bits;
	const mask = 2 ** bits - 1;
	if (kind === 'gptq') {
		for (let first = 0; first < columns; first += perWord) {
			const line = (first / perWord) * rows;
			for (let row = from; row < to; row++) {
				let word = words[line + row] as number;
				const at = (row - from) * columns + first;
				for (let k = 0; k < perWord; k++, word >>>= bits) codes[at + k] = word & mask;
			}
		}
		return codes;
	}
	const width = rows / perWord;
	for (let row = from; row < to; row++) {
		const shift = bits * awqOrder.indexOf(row % perWord);
		const word = Math.floor(row / perWord);
		const at = (row - from) * columns;
		for (let k = 0; k < columns; k++)
			codes[at + k] = ((words[k * width + word] as number) >>> shift) & mask;
	}
	return codes;
}

/** Scales and zero points of the rows, `[to − from, groups]`. */
function groupsOf(layout: PackedLayout, { zeros, scales }: PackedParts, from: number, to: number) {
	const { kind, bits, rows, zeroOffset } = layout;
	const groups = scales.length / rows;
	const perWord = 32 / bits;
	const mask = 2 ** bits - 1;
	const all = float16ToFloat32(scales);
	const own = new Float32Array((to - from) * groups);
	const points = new Uint8Array((to - from) * groups);
	for (let row = from; row < to; row++) {
		const inWord = row % perWord;
		const shift = bits * (kind === 'awq' ? awqOrder.indexOf(inWord) : inWord);
		for (let group = 0; group < groups; group++) {
			const at = (row - from) * groups + group;
			own[at] = all[group * rows + row] as number;
			const word = zeros[group * (rows / perWord) + Math.floor(row / perWord)] as number;
			// One more than stored, within the same bits: 0 is stored as the highest number.
			points[at] = ((word >>> shift) + zeroOffset) & mask;
		}
	}
	return { scales: own, points };
}

/** The rows as numbers, `[to − from, columns]`. */
export function packedNumbers(
	layout: PackedLayout,
	parts: PackedParts,
	from: number,
	to: number,
): Float32Array {
	const { columns, group } = layout;
	const codes = codesOf(layout, parts.words, from, to);
	const { scales, points } = groupsOf(layout, parts, from, to);
	const groups = scales.length / (to - from);
	const numbers = new Float32Array(codes.length);
	for (let row = 0; row < to - from; row++)
		for (let k = 0; k < columns; k++) {
			const at = row * groups + (parts.groups?.[k] ?? Math.floor(k / group));
			numbers[row * columns + k] =
				(scales[at] as number) * ((codes[row * columns + k] as number) - (points[at] as number));
		}
	return numbers;
}

/** The rows as blocks: a group is a block. Only where groups are one after the other. */
export function packedBlocks(
	layout: PackedLayout,
	parts: PackedParts,
	from: number,
	to: number,
): BlockRows {
	const { bits, columns, group } = layout;
	const codes = codesOf(layout, parts.words, from, to);
	const { scales, points } = groupsOf(layout, parts, from, to);
	return {
		bits,
		block: group,
		packed: bits === 8 ? codes : packNibbles(codes, columns),
		scales,
		zeroPoints: bits === 8 ? points : packNibbles(points, scales.length / (to - from)),
	};
}

/** Whether inputs are in groups one after the other. */
export function inOrder(groups: Uint32Array, group: number): boolean {
	return groups.every((own, input) => own === Math.floor(input / group));
}
