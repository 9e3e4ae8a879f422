/** Whether a WebM or MP4 file is one recording as long as its outermost headers say, and what else they tell. */

import { AppError } from '../protocol/index.ts';
import type { AudioSource } from './audioSource.ts';
import {
	type MovieBox,
	refuseConcatenatedMovies,
	refuseConcatenatedSegments,
} from './concatenatedRecordings.ts';

export interface ContainerShape {
	/** Of WebM and Matroska: its tracks of every kind, subtitles too; `undefined` where it does not say. */
	readonly trackCount: number | undefined;
}

/** Throws `invalid_audio` when the file ends before its last announced part does, or holds a second recording that is not read. */
export async function checkContainerLength(
	source: AudioSource,
	format: 'matroska' | 'mp4',
): Promise<ContainerShape> {
	const { end, trackCount } =
		format === 'mp4'
			? { end: await lastBoxEnd(source), trackCount: undefined }
			: await readSegment(source);
	if (format === 'matroska' && end !== undefined) await refuseConcatenatedSegments(source, end);
	if (end === undefined || end <= source.sizeBytes) return { trackCount };
	throw new AppError(
		'invalid_audio',
		`The file is cut off: its header promises ${end} bytes and ${source.sizeBytes} are there. Copy or upload it again.`,
	);
}

interface Segment extends ContainerShape {
	/** `undefined` for a live recording, which leaves its size open. */
	readonly end: number | undefined;
}

/** The first EBML segment. */
async function readSegment(source: AudioSource): Promise<Segment> {
	const unknown: Segment = { end: undefined, trackCount: undefined };
	const head = await source.read(0, 1024);
	const header = ebmlSize(head, 4);
	if (header?.value === undefined) return unknown;
	const at = header.next + header.value;
	if (!hasId(head.subarray(at), segmentId)) return unknown;
	const segment = ebmlSize(head, at + 4);
	if (segment === undefined) throw damaged();
	const end = segment.value === undefined ? undefined : segment.next + segment.value;
	const until = Math.min(end ?? source.sizeBytes, source.sizeBytes);
	let trackCount: number | undefined;
	for await (const { head: element, bodyAt, bodyEnd } of elements(source, segment.next, until)) {
		if (!hasId(element, tracksId)) continue;
		trackCount ??= 0;
		for await (const { head: entry } of elements(source, bodyAt, Math.min(bodyEnd, until)))
			if (hasId(entry, trackEntryId)) trackCount++;
	}
	return { end, trackCount };
}

const segmentId = [0x18, 0x53, 0x80, 0x67];
const tracksId = [0x16, 0x54, 0xae, 0x6b];
const trackEntryId = [0xae];

const hasId = (bytes: Uint8Array, id: readonly number[]): boolean =>
	id.every((byte, i) => bytes[i] === byte);

const damaged = () =>
	new AppError('invalid_audio', 'The WebM/Matroska file is damaged: an element has no valid size.');

interface EbmlElement {
	/** Its first bytes. */
	readonly head: Uint8Array;
	readonly bodyAt: number;
	readonly bodyEnd: number;
}

/** The elements in a row: one without a valid size would send a reader round in circles. */
async function* elements(
	source: AudioSource,
	start: number,
	end: number,
): AsyncGenerator<EbmlElement> {
	let at = start;
	for (let count = 0; count < 50_000 && at + 2 <= end; count++) {
		const head = await source.read(at, 12);
		const first = head[0] ?? 0;
		if (first < 0x10) throw damaged();
		const size = ebmlSize(head, Math.clz32(first) - 23);
		if (size === undefined) throw damaged();
		// A live recording leaves the sizes of its clusters open; what follows is inside.
		if (size.value === undefined) return;
		const bodyAt = at + size.next;
		at = bodyAt + size.value;
		yield { head, bodyAt, bodyEnd: at };
	}
}

/** A variable-length size of EBML; all ones means unknown. */
function ebmlSize(
	bytes: Uint8Array,
	at: number,
): { readonly value: number | undefined; readonly next: number } | undefined {
	const first = bytes[at];
	if (first === undefined || first === 0) return undefined;
	const length = Math.clz32(first) - 23;
	let value = first & (0xff >> length);
	let unknown = value === 0xff >> length;
	for (let i = 1; i < length; i++) {
		const byte = bytes[at + i] ?? 0;
		unknown &&= byte === 0xff;
		value = value * 256 + byte;
	}
	return { value: unknown ? undefined : value, next: at + length };
}

async function lastBoxEnd(source: AudioSource): Promise<number | undefined> {
	const movies: MovieBox[] = [];
	let at = 0;
	for (let box = 0; box < 10_000 && at + 8 <= source.sizeBytes; box++) {
		const head = await source.read(at, 16);
		const view = new DataView(head.buffer, head.byteOffset, head.byteLength);
		let size = view.getUint32(0);
		if (size === 0) return undefined;
		if (size === 1) size = head.length === 16 ? Number(view.getBigUint64(8)) : 0;
		if (size < 8) return undefined;
		const bodyAt = at + (view.getUint32(0) === 1 ? 16 : 8);
		at += size;
		if (String.fromCharCode(...head.subarray(4, 8)) === 'moov') movies.push({ bodyAt, end: at });
	}
	await refuseConcatenatedMovies(source, movies);
	return at;
}
