/** float16 ⇄ float32 by table: the 65,536 values are few, and no typed array of halves is everywhere. */

let table: Float32Array | undefined;

function halves(): Float32Array {
	if (table !== undefined) return table;
	table = new Float32Array(65_536);
	for (let bits = 0; bits < 65_536; bits++) {
		const sign = bits & 0x8000 ? -1 : 1;
		const exponent = (bits >> 10) & 31;
		const fraction = bits & 1023;
		if (exponent === 31) table[bits] = fraction === 0 ? sign * Infinity : Number.NaN;
		else if (exponent === 0) table[bits] = sign * fraction * 2 ** -24;
		else table[bits] = sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
	}
	return table;
}

/** Expands float16 bits into `into` (same length) and returns it. */
export function float16ToFloat32(
	bits: Uint16Array,
	into: Float32Array<ArrayBufferLike> = new Float32Array(bits.length),
): Float32Array<ArrayBufferLike> {
	const values = halves();
	for (let index = 0; index < bits.length; index++) {
		into[index] = values[bits[index] as number] as number;
	}
	return into;
}

/** The number of float16 bits. */
export function fromFloat16(bits: number): number {
	return halves()[bits] as number;
}

const floatView = new Float32Array(1);
const intView = new Uint32Array(floatView.buffer);

/** Bits of the nearest float16 (ties to even; beyond the range: infinity). */
export function toFloat16(value: number): number {
	floatView[0] = value;
	const bits = intView[0] as number;
	const sign = (bits >>> 16) & 0x8000;
	const exponent = (bits >>> 23) & 255;
	const fraction = bits & 0x7fffff;
	if (exponent === 255) return sign | 0x7c00 | (fraction === 0 ? 0 : 0x200);
	const shifted = exponent - 127 + 15;
	if (shifted >= 31) return sign | 0x7c00;
	if (shifted <= 0) {
		if (shifted < -10) return sign;
		const full = fraction | 0x800000;
		const drop = 14 - shifted;
		return sign | roundEven(full, drop);
	}
	// A carry out of the fraction correctly bumps the exponent.
	return sign | ((shifted << 10) + roundEven(fraction, 13));
}

function roundEven(value: number, drop: number): number {
	const kept = value >>> drop;
	const rest = value & ((1 << drop) - 1);
	const half = 1 << (drop - 1);
	return rest > half || (rest === half && (kept & 1) === 1) ? kept + 1 : kept;
}
