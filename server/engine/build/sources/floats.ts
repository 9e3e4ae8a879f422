/** Plain number types of published weights, as float32. */

import { castHalves } from './castHalves.ts';

/** One type: bytes per number, and how to read `count` numbers. */
interface PlainType {
	readonly bytes: number;
	readonly read: (bytes: Uint8Array, count: number) => Float32Array;
}

/** The bytes, at an address that any typed array may begin at. */
function aligned(bytes: Uint8Array): ArrayBufferLike {
	if (bytes.byteOffset % 8 === 0 && bytes.byteLength === bytes.buffer.byteLength)
		return bytes.buffer;
	return Uint8Array.from(bytes).buffer;
}

/** All 256 numbers of a type of one byte. */
const byTable = (number: (bits: number) => number): PlainType => {
	const table = Float32Array.from({ length: 256 }, (_, bits) => number(bits));
	return {
		bytes: 1,
		read: (bytes, count) => {
			const into = new Float32Array(count);
			for (let index = 0; index < count; index++)
				into[index] = table[bytes[index] as number] as number;
			return into;
		},
	};
};

/** Numbers of 8 bits with an exponent, as "FP8 Formats for Deep Learning" (arXiv 2209.05433) has them. */
function float8(
	exponentBits: number,
	bias: number,
	isSpecial: (magnitude: number) => number | undefined,
) {
	const fractionBits = 7 - exponentBits;
	return (bits: number): number => {
		const magnitude = bits & 0x7f;
		const exponent = magnitude >> fractionBits;
		const fraction = (magnitude & ((1 << fractionBits) - 1)) / (1 << fractionBits);
		const size =
			isSpecial(magnitude) ??
			(exponent === 0 ? fraction * 2 ** (1 - bias) : (1 + fraction) * 2 ** (exponent - bias));
		return bits & 0x80 ? -size : size;
	};
}

/** By name, as {@link SourceTensor.type} has it. Whole numbers beyond 2^24 are rounded. */
export const plainTypes: ReadonlyMap<string, PlainType> = new Map(
	Object.entries<PlainType>({
		f64: { bytes: 8, read: (bytes) => Float32Array.from(new Float64Array(aligned(bytes))) },
		f32: { bytes: 4, read: (bytes) => new Float32Array(aligned(bytes)) },
		f16: {
			bytes: 2,
			read: (bytes, count) => castHalves('f16', bytes, count),
		},
		bf16: {
			bytes: 2,
			read: (bytes, count) => castHalves('bf16', bytes, count),
		},
		f8_e4m3: byTable(float8(4, 7, (magnitude) => (magnitude === 0x7f ? Number.NaN : undefined))),
		f8_e5m2: byTable(
			float8(5, 15, (magnitude) =>
				magnitude < 0x7c ? undefined : magnitude === 0x7c ? Number.POSITIVE_INFINITY : Number.NaN,
			),
		),
		// A power of two (OCP Microscaling Formats 1.0, section 5.4.1).
		f8_e8m0: byTable((bits) => (bits === 255 ? Number.NaN : 2 ** (bits - 127))),
		bool: byTable((bits) => (bits === 0 ? 0 : 1)),
		u8: byTable((bits) => bits),
		i8: byTable((bits) => (bits << 24) >> 24),
		u16: { bytes: 2, read: (bytes) => Float32Array.from(new Uint16Array(aligned(bytes))) },
		i16: { bytes: 2, read: (bytes) => Float32Array.from(new Int16Array(aligned(bytes))) },
		u32: { bytes: 4, read: (bytes) => Float32Array.from(new Uint32Array(aligned(bytes))) },
		i32: { bytes: 4, read: (bytes) => Float32Array.from(new Int32Array(aligned(bytes))) },
		u64: {
			bytes: 8,
			read: (bytes) => Float32Array.from(new BigUint64Array(aligned(bytes)), Number),
		},
		i64: {
			bytes: 8,
			read: (bytes) => Float32Array.from(new BigInt64Array(aligned(bytes)), Number),
		},
	}),
);
