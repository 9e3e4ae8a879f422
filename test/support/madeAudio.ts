/** Makes recordings for tests: a speech-like signal, wave files by hand. */

import { readFileSync } from 'node:fs';

/** A voice-like signal: a gliding buzz under a syllable envelope, with a little noise. Seeded. */
export function speechLike(seconds: number, rateHz: number, shift = 0): Float32Array {
	const samples = new Float32Array(Math.round(seconds * rateHz));
	let noise = 12345;
	let phase = 0;
	for (let i = 0; i < samples.length; i++) {
		const t = i / rateHz + shift;
		noise = (Math.imul(noise, 1_103_515_245) + 12_345) >>> 0;
		phase += (2 * Math.PI * (140 + 40 * Math.sin(2 * Math.PI * 0.7 * t))) / rateHz;
		const syllable = Math.max(0, Math.sin(2 * Math.PI * 2.3 * t)) ** 0.5;
		const buzz =
			Math.sin(phase) +
			0.6 * Math.sin(3 * phase) +
			0.4 * Math.sin(7 * phase) +
			0.2 * Math.sin(15 * phase);
		samples[i] = syllable * (0.22 * buzz + 0.01 * (noise / 2 ** 31 - 1));
	}
	return samples;
}

export interface WavOptions {
	readonly rateHz: number;
	readonly channels?: number;
	readonly bits?: 8 | 16 | 24 | 32 | 64;
	readonly encoding?: 'pcm' | 'float' | 'mu-law' | 'a-law';
	readonly extensible?: boolean;
	readonly tag?: 'RIFF' | 'RF64';
	/** Value of the data chunk's length field; default: the truth. */
	readonly announcedBytes?: number;
}

/** A wave file of one signal in every channel. */
export function wavFile(signal: Float32Array, options: WavOptions): Uint8Array {
	const { rateHz, channels = 1, bits = 16, encoding = 'pcm', extensible = false } = options;
	const rf64 = options.tag === 'RF64';
	const sampleBytes = bits / 8;
	const data = Buffer.alloc(signal.length * channels * sampleBytes);
	let at = 0;
	for (const value of signal) {
		for (let c = 0; c < channels; c++, at += sampleBytes)
			writeSample(data, at, value, bits, encoding);
	}
	const tag = { pcm: 1, float: 3, 'a-law': 6, 'mu-law': 7 }[encoding];
	const fmt = Buffer.alloc(8 + (extensible ? 40 : 16));
	fmt.write('fmt ', 0);
	fmt.writeUInt32LE(fmt.length - 8, 4);
	fmt.writeUInt16LE(extensible ? 0xfffe : tag, 8);
	fmt.writeUInt16LE(channels, 10);
	fmt.writeUInt32LE(rateHz, 12);
	fmt.writeUInt32LE(rateHz * channels * sampleBytes, 16);
	fmt.writeUInt16LE(channels * sampleBytes, 20);
	fmt.writeUInt16LE(bits, 22);
	if (extensible) {
		fmt.writeUInt16LE(22, 24);
		fmt.writeUInt16LE(bits, 26);
		fmt.writeUInt16LE(tag, 32);
	}
	const ds64 = Buffer.alloc(rf64 ? 36 : 0);
	if (rf64) {
		ds64.write('ds64', 0);
		ds64.writeUInt32LE(28, 4);
		ds64.writeBigUInt64LE(BigInt(data.length), 16);
	}
	const dataHead = Buffer.alloc(8);
	dataHead.write('data', 0);
	dataHead.writeUInt32LE(options.announcedBytes ?? (rf64 ? 0xffffffff : data.length), 4);
	const riff = Buffer.alloc(12);
	riff.write(rf64 ? 'RF64' : 'RIFF', 0);
	riff.writeUInt32LE(rf64 ? 0xffffffff : 36 + data.length, 4);
	riff.write('WAVE', 8);
	return Buffer.concat([riff, ds64, fmt, dataHead, data]);
}

function writeSample(
	data: Buffer,
	at: number,
	value: number,
	bits: number,
	encoding: NonNullable<WavOptions['encoding']>,
): void {
	if (encoding === 'mu-law') data[at] = muLawCode(value);
	else if (encoding === 'a-law') data[at] = aLawCode(value);
	else if (encoding === 'float')
		bits === 64 ? data.writeDoubleLE(value, at) : data.writeFloatLE(value, at);
	else if (bits === 8) data[at] = Math.round(value * 127) + 128;
	else data.writeIntLE(Math.round(value * (2 ** (bits - 1) - 1)), at, bits / 8);
}

function muLawCode(value: number): number {
	const magnitude = Math.min(32_635, Math.round(Math.abs(value) * 32_768)) + 132;
	const exponent = Math.floor(Math.log2(magnitude)) - 7;
	const mantissa = (magnitude >> (exponent + 3)) & 15;
	return ~((value < 0 ? 0x80 : 0) | (exponent << 4) | mantissa) & 0xff;
}

function aLawCode(value: number): number {
	const magnitude = Math.min(32_767, Math.round(Math.abs(value) * 32_768));
	const exponent = magnitude < 256 ? 0 : Math.floor(Math.log2(magnitude)) - 7;
	const mantissa = (magnitude >> (exponent === 0 ? 4 : exponent + 3)) & 15;
	return ((value < 0 ? 0 : 0x80) | (exponent << 4) | mantissa) ^ 0x55;
}

/** Pearson correlation over the common length. */
export function correlation(a: Float32Array, b: Float32Array): number {
	const n = Math.min(a.length, b.length);
	let ab = 0;
	let aa = 0;
	let bb = 0;
	for (let i = 0; i < n; i++) {
		const x = a[i] ?? 0;
		const y = b[i] ?? 0;
		ab += x * y;
		aa += x * x;
		bb += y * y;
	}
	return ab / Math.sqrt(aa * bb || 1);
}

/** Samples of a 16-bit mono wave file with the plain 44-byte header. */
export function wavSamples(path: string): Float32Array {
	const bytes = readFileSync(path);
	return Float32Array.from(
		{ length: (bytes.length - 44) >> 1 },
		(_, i) => bytes.readInt16LE(44 + 2 * i) / 32_768,
	);
}
