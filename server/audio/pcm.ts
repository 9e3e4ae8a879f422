/** Samples that are not compressed, or only by G.711, out of their bytes. */

export type PcmEncoding = 'unsigned' | 'signed' | 'float' | 'mu-law' | 'a-law';

export interface PcmShape {
	readonly channels: number;
	readonly sampleBytes: number;
	/** Bytes of all channels of one moment. */
	readonly frameBytes: number;
}

/** The mean of the channels of every whole frame. */
export function mixFrames(bytes: Uint8Array, read: SampleReader, shape: PcmShape): Float32Array {
	const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
	const samples = new Float32Array(Math.floor(bytes.length / shape.frameBytes));
	const scale = 1 / shape.channels;
	let at = 0;
	for (let i = 0; i < samples.length; i++) {
		let sum = 0;
		for (let c = 0; c < shape.channels; c++, at += shape.sampleBytes) sum += read(view, at);
		samples[i] = sum * scale;
	}
	return samples;
}

export type SampleReader = (view: DataView, at: number) => number;

/** Reads one sample of an encoding as −1…1. */
export function pcmReader(encoding: PcmEncoding, bytes: number, little = true): SampleReader {
	if (encoding === 'unsigned') return (view, at) => (view.getUint8(at) - 128) / 128;
	if (encoding === 'mu-law') return (view, at) => muLaw[view.getUint8(at)] ?? 0;
	if (encoding === 'a-law') return (view, at) => aLaw[view.getUint8(at)] ?? 0;
	if (encoding === 'float') {
		// A broken recorder's NaN or infinity would poison every sample after it in the resampler.
		const finite = (value: number) => (Math.abs(value) <= 1e6 ? value : 0);
		return bytes === 8
			? (view, at) => finite(view.getFloat64(at, little))
			: (view, at) => finite(view.getFloat32(at, little));
	}
	if (bytes === 1) return (view, at) => view.getInt8(at) / 128;
	if (bytes === 2) return (view, at) => view.getInt16(at, little) / 32_768;
	if (bytes === 3) {
		const [low, high] = little ? [0, 2] : [1, 0];
		return (view, at) =>
			(view.getUint16(at + low, little) + view.getInt8(at + high) * 65_536) / 8_388_608;
	}
	return (view, at) => view.getInt32(at, little) / 2_147_483_648;
}

/** G.711: code → −1…1. */
const muLaw = Float32Array.from({ length: 256 }, (_, code) => {
	const bits = ~code & 0xff;
	const magnitude = (((bits & 15) << 3) + 132) << ((bits >> 4) & 7);
	return (bits & 0x80 ? 132 - magnitude : magnitude - 132) / 32_768;
});

const aLaw = Float32Array.from({ length: 256 }, (_, code) => {
	const bits = code ^ 0x55;
	const exponent = (bits >> 4) & 7;
	const base = ((bits & 15) << 4) + 8;
	const magnitude = exponent === 0 ? base : (base + 256) << (exponent - 1);
	return (bits & 0x80 ? magnitude : -magnitude) / 32_768;
});
