/** Headers of MPEG audio frames (ISO/IEC 11172-3, 13818-3 and the unofficial 2.5). */

export interface MpegFrame {
	readonly sampleRateHz: number;
	readonly samplesPerFrame: number;
	readonly sizeBytes: number;
	readonly bitrateKbps: number;
	readonly channels: number;
	/** Bytes between the header and the main data in Layer III; where a Xing tag sits. */
	readonly sideBytes: number;
}

const bitrates: readonly (readonly number[])[] = [
	[0, 32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448],
	[0, 32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384],
	[0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
	[0, 32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256],
	[0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
];
const rates = [44_100, 48_000, 32_000];

/** Reads the header at `at`; `undefined` when there is none or it has reserved values. */
export function mpegFrame(bytes: Uint8Array, at: number): MpegFrame | undefined {
	const [b0, b1, b2, b3] = [bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]];
	if (b0 !== 0xff || b1 === undefined || b2 === undefined || b3 === undefined) return undefined;
	if ((b1 & 0xe0) !== 0xe0) return undefined;
	const version = (b1 >> 3) & 3;
	const layer = 4 - ((b1 >> 1) & 3);
	const rate = rates[(b2 >> 2) & 3];
	const index = b2 >> 4;
	if (version === 1 || layer === 4 || rate === undefined || index === 0 || index === 15)
		return undefined;
	const low = version !== 3;
	const row = low ? (layer === 1 ? 3 : 4) : layer - 1;
	const bitrateKbps = bitrates[row]?.[index];
	if (bitrateKbps === undefined) return undefined;
	const sampleRateHz = version === 3 ? rate : version === 2 ? rate / 2 : rate / 4;
	const padding = (b2 >> 1) & 1;
	const samplesPerFrame = layer === 1 ? 384 : layer === 3 && low ? 576 : 1152;
	const sizeBytes =
		layer === 1
			? (Math.floor((12_000 * bitrateKbps) / sampleRateHz) + padding) * 4
			: Math.floor(((samplesPerFrame / 8) * 1000 * bitrateKbps) / sampleRateHz) + padding;
	const channels = b3 >> 6 === 3 ? 1 : 2;
	const sideBytes = layer !== 3 ? 0 : low ? (channels === 1 ? 9 : 17) : channels === 1 ? 17 : 32;
	return { sampleRateHz, samplesPerFrame, sizeBytes, bitrateKbps, channels, sideBytes };
}

/**
 * Offset of the first frame that three more of the same stream follow. Random bytes have a sync word
 * every 2 kB, so one header proves nothing. `wholeFile` accepts fewer frames at the very end.
 */
export function findMpegFrame(bytes: Uint8Array, wholeFile: boolean): number | undefined {
	for (let at = 0; at + 4 <= bytes.length; at++) {
		if (bytes[at] !== 0xff) continue;
		const first = mpegFrame(bytes, at);
		if (first === undefined) continue;
		let next = at + first.sizeBytes;
		let chain = 1;
		while (chain < 4) {
			const frame = mpegFrame(bytes, next);
			if (frame === undefined || frame.sampleRateHz !== first.sampleRateHz) break;
			next += frame.sizeBytes;
			chain++;
		}
		if (chain === 4 || (wholeFile && chain >= 2 && next >= bytes.length)) return at;
	}
	return undefined;
}

/** Frames and bytes a Xing, Info or VBRI tag in the first frame announces. */
export function announcedLength(
	bytes: Uint8Array,
	at: number,
): { readonly frames?: number; readonly bytes?: number } {
	const frame = mpegFrame(bytes, at);
	if (frame === undefined) return {};
	const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
	const text = (from: number) => String.fromCharCode(...bytes.subarray(from, from + 4));
	const word = (from: number) => (from + 4 <= bytes.length ? view.getUint32(from) : undefined);
	const tag = at + 4 + frame.sideBytes;
	if (text(tag) === 'Xing' || text(tag) === 'Info') {
		const flags = word(tag + 4) ?? 0;
		const frames = flags & 1 ? word(tag + 8) : undefined;
		const size = flags & 2 ? word(tag + 8 + (flags & 1 ? 4 : 0)) : undefined;
		return { ...(frames ? { frames } : {}), ...(size ? { bytes: size } : {}) };
	}
	if (text(at + 36) === 'VBRI') {
		const frames = word(at + 50);
		const size = word(at + 46);
		return { ...(frames ? { frames } : {}), ...(size ? { bytes: size } : {}) };
	}
	return {};
}
