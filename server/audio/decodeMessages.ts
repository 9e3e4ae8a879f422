/** What the decoding thread is told and what it answers. */

import type { ErrorWire } from '../protocol/index.ts';
import type { AudioInfo } from './openedAudio.ts';

export interface DecodeJob {
	readonly path: string;
	/** Longest recording in seconds. */
	readonly maximumS: number;
	/** File that takes the samples, as 32-bit floats. */
	readonly target: string;
	/** Places in that file for a piece each, used in turn; a piece that was read frees its place. */
	readonly places: number;
}

export type DecodeMessage =
	| { readonly kind: 'info'; readonly info: AudioInfo }
	/** The next place of the file has so many samples. */
	| { readonly kind: 'samples'; readonly count: number }
	/** All places are taken. */
	| { readonly kind: 'ahead' }
	| { readonly kind: 'end' }
	| { readonly kind: 'error'; readonly error: ErrorWire };

/** Samples of a piece: about a second. */
export const pieceSamples = 16_384;
export const pieceBytes = pieceSamples * Float32Array.BYTES_PER_ELEMENT;
