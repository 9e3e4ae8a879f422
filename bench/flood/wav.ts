/** Long recordings of next to nothing: decoding them costs what it costs, hearing them hardly anything. */

const rateHz = 8000;

/** A WAV of 8-bit samples with a few clicks, whose place its number decides. */
export function writeWav(seconds: number, number: number): Uint8Array<ArrayBuffer> {
	const samples = Math.round(seconds * rateHz);
	const bytes = new Uint8Array(44 + samples).fill(128, 44);
	const view = new DataView(bytes.buffer);
	const text = (at: number, value: string) => bytes.set(new TextEncoder().encode(value), at);
	text(0, 'RIFF');
	view.setUint32(4, 36 + samples, true);
	text(8, 'WAVEfmt ');
	view.setUint32(16, 16, true);
	view.setUint16(20, 1, true);
	view.setUint16(22, 1, true);
	view.setUint32(24, rateHz, true);
	view.setUint32(28, rateHz, true);
	view.setUint16(32, 1, true);
	view.setUint16(34, 8, true);
	text(36, 'data');
	view.setUint32(40, samples, true);
	for (let at = 44 + (number % rateHz); at < bytes.length; at += 60 * rateHz) bytes[at] = 160;
	return bytes;
}
