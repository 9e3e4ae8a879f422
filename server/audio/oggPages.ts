/** Ogg pages and packets (RFC 3533): checksums, packets over several pages, granule positions. */

import { AppError } from '../protocol/index.ts';
import type { AudioSource } from './audioSource.ts';

export interface OggPage {
	readonly offset: number;
	readonly sizeBytes: number;
	readonly serial: number;
	readonly sequence: number;
	/** Codec-specific position of the end of the last packet that ends here; −1n when none ends here. */
	readonly granule: bigint;
	readonly continued: boolean;
	readonly first: boolean;
	readonly last: boolean;
	readonly lacing: Uint8Array;
	readonly body: Uint8Array;
}

export interface OggPacket {
	readonly bytes: Uint8Array;
	/** Position after this packet, where its page tells. */
	readonly granule: bigint | undefined;
	/** A stream begins with it. */
	readonly first: boolean;
	readonly last: boolean;
	readonly serial: number;
	/** Pages missing between it and the packet before. */
	readonly lostPages: number;
}

const maximumPageBytes = 27 + 255 + 255 * 255;
const windowBytes = 262_144;
const maximumPacketBytes = 1 << 20;

const crcTable = Uint32Array.from({ length: 256 }, (_, byte) => {
	let value = byte << 24;
	for (let bit = 0; bit < 8; bit++)
		value = value & 0x80000000 ? (value << 1) ^ 0x04c11db7 : value << 1;
	return value >>> 0;
});

/** CRC of a page whose checksum field counts as zero. */
function oggCrc(page: Uint8Array): number {
	let crc = 0;
	for (let i = 0; i < page.length; i++) {
		const byte = i >= 22 && i < 26 ? 0 : (page[i] ?? 0);
		crc = ((crc << 8) ^ (crcTable[(crc >>> 24) ^ byte] ?? 0)) >>> 0;
	}
	return crc;
}

function pageAt(window: Uint8Array, at: number, offset: number): OggPage | 'short' | undefined {
	if (at + 27 > window.length) return 'short';
	if (
		window[at] !== 0x4f ||
		window[at + 1] !== 0x67 ||
		window[at + 2] !== 0x67 ||
		window[at + 3] !== 0x53
	)
		return undefined;
	if (window[at + 4] !== 0) return undefined;
	const segments = window[at + 26] ?? 0;
	if (at + 27 + segments > window.length) return 'short';
	const lacing = window.slice(at + 27, at + 27 + segments);
	const bodyBytes = lacing.reduce((sum, value) => sum + value, 0);
	const sizeBytes = 27 + segments + bodyBytes;
	if (at + sizeBytes > window.length) return 'short';
	const view = new DataView(window.buffer, window.byteOffset + at, sizeBytes);
	if (view.getUint32(22, true) !== oggCrc(window.subarray(at, at + sizeBytes))) return undefined;
	const flags = window[at + 5] ?? 0;
	return {
		offset,
		sizeBytes,
		granule: view.getBigInt64(6, true),
		serial: view.getUint32(14, true),
		sequence: view.getUint32(18, true),
		continued: (flags & 1) !== 0,
		first: (flags & 2) !== 0,
		last: (flags & 4) !== 0,
		lacing,
		body: window.slice(at + 27 + segments, at + sizeBytes),
	};
}

/** All intact pages from `start`; damaged ones are skipped. */
export async function* oggPages(source: AudioSource, start: number): AsyncGenerator<OggPage> {
	let base = start;
	let window = await source.read(base, windowBytes);
	let at = 0;
	while (at < window.length) {
		const page = pageAt(window, at, base + at);
		if (page === 'short' && at > 0 && base + window.length < source.sizeBytes) {
			base += at;
			at = 0;
			window = await source.read(base, windowBytes);
		} else if (typeof page === 'object') {
			at += page.sizeBytes;
			yield page;
		} else {
			const next = window.indexOf(0x4f, at + 1);
			at = next === -1 ? window.length : next;
			if (at === window.length && base + at < source.sizeBytes) {
				base += at;
				at = 0;
				window = await source.read(base, windowBytes);
			}
		}
	}
}

/**
 * Packets of the first stream that `begins` knows by its first page, and of those chained after its end
 * (radio recordings); streams that run beside it are passed over.
 *
 * @param check gets the first pages of streams that follow where `begins` knows none of them; may throw.
 */
export async function* oggPackets(
	source: AudioSource,
	start: number,
	begins: (body: Uint8Array) => boolean,
	check: (unknown: readonly Uint8Array[]) => void = () => {},
): AsyncGenerator<OggPacket> {
	let serial: number | undefined;
	let parts: Uint8Array[] = [];
	let partBytes = 0;
	let expected = 0;
	let lostPages = 0;
	/** The next one that begins is ours. */
	let ended = true;
	let amongFirst = true;
	let begun = false;
	/** First pages behind ours; a stream that only begins late has pages of ours after them. */
	let unknown: Uint8Array[] = [];
	for await (const page of oggPages(source, start)) {
		// Where streams begin after sound, the ones before have ended, whether they say so or not.
		const group = page.first && !amongFirst;
		if (group) {
			check(unknown);
			unknown = [];
		}
		ended ||= group;
		amongFirst = page.first;
		const first = page.first && ended && begins(page.body);
		if (begun && page.first && ended && !first) {
			unknown.push(page.body);
			// Recorders number their streams alike.
			if (page.serial === serial) serial = undefined;
		} else if (first || page.serial === serial) unknown = [];
		if (first) {
			begun = true;
			ended = false;
			serial = page.serial;
			expected = page.sequence;
			lostPages = 0;
			parts = [];
		}
		if (page.serial !== serial) continue;
		ended = page.last;
		// A lost page breaks the packet that ran over it; one that comes twice loses none.
		const missing = (page.sequence - expected) | 0;
		lostPages += Math.max(0, missing);
		const broken = missing !== 0 || (page.continued && parts.length === 0);
		if (broken || !page.continued) parts = [];
		let skip = broken && page.continued;
		expected = (page.sequence + 1) >>> 0;
		let at = 0;
		const finalPacket = page.lacing.findLastIndex((value) => value < 255);
		for (const [index, value] of page.lacing.entries()) {
			if (!skip) {
				if (parts.length === 0) partBytes = 0;
				partBytes += value;
				if (partBytes > maximumPacketBytes)
					throw new AppError('invalid_audio', 'The Ogg file holds a packet of more than 1 MB.');
				parts.push(page.body.subarray(at, at + value));
			}
			at += value;
			if (value === 255) continue;
			if (!skip) {
				yield {
					bytes: join(parts, partBytes),
					granule: index === finalPacket && page.granule >= 0n ? page.granule : undefined,
					first: first && at === value,
					last: page.last && index === finalPacket,
					serial,
					lostPages,
				};
				lostPages = 0;
			}
			parts = [];
			skip = false;
		}
	}
	check(unknown);
}

function join(parts: readonly Uint8Array[], length: number): Uint8Array {
	if (parts.length === 1 && parts[0]) return parts[0];
	const whole = new Uint8Array(length);
	let at = 0;
	for (const part of parts) {
		whole.set(part, at);
		at += part.length;
	}
	return whole;
}

/**
 * The last granule of the stream, found from the end of the file. Throws `invalid_audio` when the
 * file ends in the middle of a page: the copy or upload was cut off.
 */
export async function lastGranule(
	source: AudioSource,
	serial: number,
): Promise<bigint | undefined> {
	const from = Math.max(0, source.sizeBytes - 2 * maximumPageBytes);
	let granule: bigint | undefined;
	let end = 0;
	for await (const page of oggPages(source, from)) {
		end = page.offset + page.sizeBytes;
		if (page.serial === serial && page.granule >= 0n) granule = page.granule;
	}
	const rest = await source.read(end, Math.min(source.sizeBytes - end, 4));
	if (
		end > 0 &&
		rest.length > 0 &&
		String.fromCharCode(...rest).startsWith('OggS'.slice(0, rest.length))
	)
		throw new AppError(
			'invalid_audio',
			'The Ogg file ends in the middle of a page: it is cut off. Copy or upload it again.',
		);
	return granule;
}
