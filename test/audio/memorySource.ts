/** Recordings of tests. */

import type { AudioSource } from '../../server/audio/audioSource.ts';

/** A recording that is in memory already. */
export function memorySource(bytes: Uint8Array): AudioSource {
	return {
		sizeBytes: bytes.length,
		read: async (offset, length) => bytes.slice(offset, offset + Math.max(0, length)),
		[Symbol.asyncDispose]: async () => {},
	};
}
