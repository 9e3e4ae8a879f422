/** What the decoding thread is told and what it answers. */

import type { ErrorWire } from '../protocol/index.ts';
import type { AudioInfo } from './openedAudio.ts';

export interface DecodeJob {
	readonly path: string;
	/** Longest recording in seconds. */
	readonly maximumS: number;
}

export type DecodeMessage =
	| { readonly kind: 'ready' }
	| { readonly kind: 'info'; readonly info: AudioInfo }
	| { readonly kind: 'samples'; readonly samples: Float32Array<ArrayBuffer> }
	| { readonly kind: 'end' }
	| { readonly kind: 'error'; readonly error: ErrorWire };
