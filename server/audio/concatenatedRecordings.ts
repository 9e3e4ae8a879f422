/**
 * Recordings written one behind the other into one file. Some containers are read on; of others the rest would
 * go unheard without a word, as it does in players.
 */

import { AppError } from '../protocol/index.ts';
import type { AudioSource } from './audioSource.ts';

function concatenatedRecordings(): AppError {
	return new AppError(
		'invalid_audio',
		'The file holds more than one recording, one behind the other, and only the first could be heard. Send each by itself, or join them with a program that writes one recording of them (ffmpeg and its concat filter).',
	);
}

const maxChunks = 1000;

/**
 * Throws `invalid_audio` when another wave file follows behind the samples of the first one.
 * @param end of the samples
 */
export async function refuseConcatenatedWav(source: AudioSource, end: number): Promise<void> {
	let at = end;
	for (let chunk = 0; chunk < maxChunks && at + 12 <= source.sizeBytes; chunk++) {
		// Chunks begin at even places; not every writer fills them up.
		const padding = at & 1;
		const bytes = await source.read(at, 12 + padding);
		if (isWave(bytes) || isWave(bytes.subarray(padding))) throw concatenatedRecordings();
		const size = new DataView(bytes.buffer, bytes.byteOffset + padding + 4).getUint32(0, true);
		at += padding + 8 + size;
	}
}

function isWave(bytes: Uint8Array): boolean {
	const text = String.fromCharCode(...bytes.subarray(0, 12));
	return /^(?:RIFF|RF64|BW64)/.test(text) && text.slice(8) === 'WAVE';
}

/** Throws `invalid_audio` when another WebM or Matroska file begins where the first one ends. */
export async function refuseConcatenatedSegments(source: AudioSource, end: number): Promise<void> {
	const [a, b, c, d] = await source.read(end, 4);
	if (a === 0x1a && b === 0x45 && c === 0xdf && d === 0xa3) throw concatenatedRecordings();
}

/** A box `moov` of an MP4 file: what is in a recording. */
export interface MovieBox {
	/** Where its own boxes begin and end. */
	readonly bodyAt: number;
	readonly end: number;
}

/** Throws `invalid_audio` for several, unless all are of recordings in fragments, which are read on. */
export async function refuseConcatenatedMovies(
	source: AudioSource,
	movies: readonly MovieBox[],
): Promise<void> {
	if (movies.length < 2) return;
	for (const movie of movies)
		if (!(await isFragmented(source, movie))) throw concatenatedRecordings();
}

async function isFragmented(source: AudioSource, { bodyAt, end }: MovieBox): Promise<boolean> {
	let at = bodyAt;
	for (let box = 0; box < maxChunks && at + 8 <= end; box++) {
		const head = await source.read(at, 8);
		if (String.fromCharCode(...head.subarray(4)) === 'mvex') return true;
		const size = new DataView(head.buffer, head.byteOffset).getUint32(0);
		if (size < 8) return false;
		at += size;
	}
	return false;
}
