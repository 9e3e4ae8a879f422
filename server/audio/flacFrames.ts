/** Splits a native FLAC stream into its frames (RFC 9639, section 9), which the decoder takes one by one. */

/** No frame is longer: 65,535 samples of 8 channels and 32 bits, stored as they are. */
const maximumFrameBytes = 2_200_000;
/** Longest frame header: 4 bytes, a number of 7, block size and rate of 2 each, a checksum. */
const maximumHeaderBytes = 16;

const crc8Table = Uint8Array.from({ length: 256 }, (_, byte) => {
	let value = byte;
	for (let bit = 0; bit < 8; bit++) value = value & 0x80 ? (value << 1) ^ 0x07 : value << 1;
	return value;
});

const crc16Table = Uint16Array.from({ length: 256 }, (_, byte) => {
	let value = byte << 8;
	for (let bit = 0; bit < 8; bit++) value = value & 0x8000 ? (value << 1) ^ 0x8005 : value << 1;
	return value;
});

/** CRC-16 of a frame; over a whole frame with the checksum at its end it is 0. */
function crc16(bytes: Uint8Array, from: number, to: number, start = 0): number {
	let crc = start;
	for (let i = from; i < to; i++)
		crc = ((crc << 8) ^ (crc16Table[(crc >>> 8) ^ (bytes[i] ?? 0)] ?? 0)) & 0xffff;
	return crc;
}

interface FrameHeader {
	readonly sizeBytes: number;
	/** Of the frame, or of its first sample where block sizes vary. */
	readonly number: number;
	readonly variable: boolean;
	/** What the next frame's number must be. */
	readonly next: number;
}

/** The header at a place, or `undefined` when there is none or its CRC-8 is wrong. */
function frameHeader(bytes: Uint8Array, at: number): FrameHeader | undefined {
	const [, strategy = 0, codes = 0, shape = 0, first = 0] = bytes.subarray(at, at + 5);
	const size = codes >> 4;
	const rate = codes & 15;
	if (bytes[at] !== 0xff || (strategy & 0xfe) !== 0xf8 || size === 0 || rate === 15)
		return undefined;
	if (shape >> 4 > 10 || ((shape >> 1) & 7) === 3 || (shape & 1) !== 0) return undefined;
	const more = first < 0x80 ? 0 : Math.clz32(~(first << 24)) - 1;
	if (more < 0 || more > 6 || (first & 0xc0) === 0x80) return undefined;
	let number = more === 0 ? first : first & ((1 << (6 - more)) - 1);
	let end = at + 5;
	for (; end < at + 5 + more; end++) {
		const byte = bytes[end] ?? 0;
		if ((byte & 0xc0) !== 0x80) return undefined;
		number = number * 64 + (byte & 0x3f);
	}
	let samples = size === 1 ? 192 : size < 6 ? 144 << size : size < 8 ? 0 : 1 << size;
	if (size === 6) samples = (bytes[end++] ?? 0) + 1;
	if (size === 7) samples = ((bytes[end++] ?? 0) << 8) + (bytes[end++] ?? 0) + 1;
	end += rate < 12 ? 0 : rate === 12 ? 1 : 2;
	let crc = 0;
	for (let i = at; i < end; i++) crc = crc8Table[crc ^ (bytes[i] ?? 0)] ?? 0;
	if (end >= bytes.length || crc !== bytes[end]) return undefined;
	const variable = (strategy & 1) !== 0;
	return { sizeBytes: end + 1 - at, number, variable, next: number + (variable ? samples : 1) };
}

/** @param late whether headers in between may have been lost. */
function follows(before: FrameHeader, header: FrameHeader, late: boolean): boolean {
	const ahead = header.number - before.next;
	const lost = late ? 64 * (before.next - before.number) : 0;
	return header.variable === before.variable && ahead >= 0 && ahead <= lost;
}

/** Takes the bytes after the metadata piece by piece; gives whole frames with a right checksum. */
export class FlacSplitter {
	#bytes = new Uint8Array(0);
	/** Of the frame that begins at 0; `undefined` while one is looked for. */
	#frame: FrameHeader | undefined;
	/** Bytes of this frame in which the next one was looked for. */
	#looked = 0;
	/** Of the bytes before `#looked`. */
	#crc = 0;
	/** Bytes of the largest whole frame so far. */
	#largest = 0;
	/** Frames or stretches that had to be left out. */
	damaged = 0;

	/** @param last whether nothing follows. Frames are views, valid until the next call. */
	push(piece: Uint8Array, last = false): Uint8Array[] {
		const bytes = new Uint8Array(this.#bytes.length + piece.length);
		bytes.set(this.#bytes);
		bytes.set(piece, this.#bytes.length);
		const found: Uint8Array[] = [];
		const end = last ? bytes.length : bytes.length - maximumHeaderBytes;
		let start = 0;
		for (let at = Math.max(this.#looked, this.#frame?.sizeBytes ?? 0); ; at++) {
			at = bytes.indexOf(0xff, at);
			if (at === -1 || at >= end) break;
			const header = frameHeader(bytes, at);
			if (header === undefined || !this.#begins(bytes, start, at, header, found)) continue;
			start = at;
			at += header.sizeBytes - 1;
		}
		if (last) {
			this.#finish(bytes, start, found);
			return found;
		}
		this.#keep(bytes, start, Math.max(0, end));
		return found;
	}

	/** Whether a frame begins at `at`; the one before is whole then, or damaged. */
	#begins(
		bytes: Uint8Array,
		start: number,
		at: number,
		header: FrameHeader,
		found: Uint8Array[],
	): boolean {
		const before = this.#frame;
		if (before !== undefined) {
			this.#crc = crc16(bytes, start + this.#looked, at, this.#crc);
			this.#looked = at - start;
			// Audio may look like a header: then neither the checksum nor the number fits.
			const whole = this.#crc === 0;
			if (!whole && !follows(before, header, at - start > this.#largest)) return false;
			if (whole) {
				found.push(bytes.subarray(start, at));
				this.#largest = Math.max(this.#largest, at - start);
			} else this.damaged++;
		}
		this.#frame = header;
		this.#looked = 0;
		this.#crc = 0;
		return true;
	}

	/** @param end no frame begins between `start` and here, unless one is being read. */
	#keep(bytes: Uint8Array, start: number, end: number): void {
		this.#bytes = bytes.slice(this.#frame === undefined ? end : start);
		if (this.#bytes.length <= maximumFrameBytes) return;
		// Its end was lost.
		this.damaged++;
		this.#frame = undefined;
		this.#bytes = this.#bytes.slice(-maximumHeaderBytes);
		this.#looked = 0;
	}

	/** The last frame ends where the checksum fits: tags and padding may follow. */
	#finish(bytes: Uint8Array, start: number, found: Uint8Array[]): void {
		this.#bytes = new Uint8Array(0);
		if (this.#frame === undefined) return;
		let crc = this.#crc;
		let whole = 0;
		let fits = -1;
		for (let at = start + this.#looked; at < bytes.length; at++) {
			crc = crc16(bytes, at, at + 1, crc);
			if (crc !== 0) fits = -1;
			else if (fits === -1) fits = at;
			// Zeros after the checksum change nothing; it may itself be two of them.
			const tail = fits !== -1 && at - fits <= 2;
			if (tail && at + 1 - start > this.#frame.sizeBytes + 2) whole = at + 1;
		}
		if (whole > 0) found.push(bytes.subarray(start, whole));
		else this.damaged++;
	}
}
