/** Whether a WebM or MP4 file is as long as its outermost headers say. */

import { AppError } from '../protocol/index.ts';
import type { AudioSource } from './audioSource.ts';

/** Throws `invalid_audio` when the file ends before its last announced part does. */
export async function checkContainerLength(
	source: AudioSource,
	format: 'matroska' | 'mp4',
): Promise<void> {
	const end = format === 'mp4' ? await lastBoxEnd(source) : await segmentEnd(source);
	if (end === undefined || end <= source.sizeBytes) return;
	throw new AppError(
		'invalid_audio',
		`The file is cut off: its header promises ${end} bytes and ${source.sizeBytes} are there. Copy or upload it again.`,
	);
}

/** End of the first EBML segment; `undefined` for a live recording, which leaves its size open. */
async function segmentEnd(source: AudioSource): Promise<number | undefined> {
	const head = await source.read(0, 1024);
	const header = ebmlSize(head, 4);
	if (header?.value === undefined) return undefined;
	const at = header.next + header.value;
	const id = [0x18, 0x53, 0x80, 0x67];
	if (!id.every((byte, i) => head[at + i] === byte)) return undefined;
	const segment = ebmlSize(head, at + 4);
	if (segment === undefined) throw damaged();
	const end = segment.value === undefined ? undefined : segment.next + segment.value;
	await checkElements(source, segment.next, Math.min(end ?? source.sizeBytes, source.sizeBytes));
	return end;
}

const damaged = () =>
	new AppError('invalid_audio', 'The WebM/Matroska file is damaged: an element has no valid size.');

/** Walks the elements of the segment: one without a valid size would send a reader round in circles. */
async function checkElements(source: AudioSource, start: number, end: number): Promise<void> {
	let at = start;
	for (let count = 0; count < 50_000 && at + 2 <= end; count++) {
		const head = await source.read(at, 12);
		const first = head[0] ?? 0;
		if (first < 0x10) throw damaged();
		const size = ebmlSize(head, Math.clz32(first) - 23);
		if (size === undefined) throw damaged();
		// A live recording leaves the sizes of its clusters open; what follows is inside.
		if (size.value === undefined) return;
		at += size.next + size.value;
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
	let at = 0;
	for (let box = 0; box < 10_000 && at + 8 <= source.sizeBytes; box++) {
		const head = await source.read(at, 16);
		const view = new DataView(head.buffer, head.byteOffset, head.byteLength);
		let size = view.getUint32(0);
		if (size === 0) return undefined;
		if (size === 1) size = head.length === 16 ? Number(view.getBigUint64(8)) : 0;
		if (size < 8) return undefined;
		at += size;
	}
	return at;
}
