/** Random access to the bytes of a recording: a file on disk or bytes in memory, read piece by piece. */

import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { AppError, systemReason } from '../protocol/index.ts';

/** A recording that is read piece by piece; nothing here ever holds the whole of it. */
export interface AudioSource extends AsyncDisposable {
	readonly sizeBytes: number;
	/** Where the file lies, for programs that read it themselves. */
	readonly path?: string;
	/** Up to `length` bytes from `offset`; fewer only at the end. The bytes belong to the caller. */
	read(offset: number, length: number): Promise<Uint8Array>;
}

/** Opens a file. Throws `not_found` when it is absent and `invalid_audio` when it is no regular file. */
export async function fileSource(path: string): Promise<AudioSource> {
	// A pipe that nobody writes to would keep whoever opens it waiting for ever.
	const flags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);
	const handle = await open(path, flags).catch((error: unknown) => {
		const reason = systemReason(error) ?? String(error);
		throw new AppError('not_found', `The file cannot be opened: ${reason}.`, { cause: error });
	});
	const stat = await handle.stat();
	if (!stat.isFile()) {
		await handle.close();
		throw new AppError('invalid_audio', 'This is a folder or a device, not a recording.');
	}
	return {
		sizeBytes: stat.size,
		path,
		async read(offset, length) {
			const buffer = new Uint8Array(Math.max(0, Math.min(length, stat.size - offset)));
			let filled = 0;
			while (filled < buffer.length) {
				const { bytesRead } = await handle.read(
					buffer,
					filled,
					buffer.length - filled,
					offset + filled,
				);
				if (bytesRead === 0) break;
				filled += bytesRead;
			}
			return filled === buffer.length ? buffer : buffer.subarray(0, filled);
		},
		[Symbol.asyncDispose]: () => handle.close(),
	};
}

/** The bytes from `offset` to `end` (default: the last one) in pieces of at most `pieceBytes`. */
export async function* pieces(
	source: AudioSource,
	offset: number,
	end = source.sizeBytes,
	pieceBytes = 65_536,
): AsyncGenerator<Uint8Array> {
	for (let at = offset; at < end; ) {
		const piece = await source.read(at, Math.min(pieceBytes, end - at));
		if (piece.length === 0) return;
		at += piece.length;
		yield piece;
	}
}
