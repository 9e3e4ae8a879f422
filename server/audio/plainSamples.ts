/** 16-bit mono samples out of a byte stream that is raw, or has a Sun (`.snd`) or WAV header before them. */

/** Headers of recording programs are shorter than this. */
const maxHeader = 4096;

/** Yields samples as they come; raw streams are little-endian. */
export async function* plainSamples(stream: AsyncIterable<Uint8Array>): AsyncGenerator<Int16Array> {
	let rest = new Uint8Array(0);
	let form: { readonly offset: number; readonly bigEndian: boolean } | undefined;
	for await (const chunk of stream) {
		let bytes = joined(rest, chunk);
		if (form === undefined) {
			form = headerOf(bytes);
			if (form === undefined) {
				rest = bytes;
				continue;
			}
			bytes = bytes.subarray(form.offset);
		}
		const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
		const little = !form.bigEndian;
		const samples = Int16Array.from({ length: bytes.length >> 1 }, (_, i) =>
			view.getInt16(2 * i, little),
		);
		rest = bytes.slice(2 * samples.length);
		if (samples.length > 0) yield samples;
	}
}

function joined(left: Uint8Array, right: Uint8Array): Uint8Array<ArrayBuffer> {
	const whole = new Uint8Array(left.length + right.length);
	whole.set(left);
	whole.set(right, left.length);
	return whole;
}

/** Where the samples begin; `undefined` while too little has come to tell. */
function headerOf(bytes: Uint8Array): { offset: number; bigEndian: boolean } | undefined {
	if (bytes.length < 4) return undefined;
	const tag = String.fromCharCode(...bytes.subarray(0, 4));
	if (tag === '.snd') {
		if (bytes.length < 8) return undefined;
		const offset = new DataView(bytes.buffer, bytes.byteOffset).getUint32(4);
		return offset > maxHeader
			? { offset: 0, bigEndian: false }
			: bytes.length < offset
				? undefined
				: { offset, bigEndian: true };
	}
	if (tag === 'RIFF') {
		const text = String.fromCharCode(...bytes.subarray(0, maxHeader));
		const data = text.indexOf('data');
		if (data === -1 || bytes.length < data + 8)
			return bytes.length > maxHeader ? { offset: 0, bigEndian: false } : undefined;
		return { offset: data + 8, bigEndian: false };
	}
	return { offset: 0, bigEndian: false };
}
