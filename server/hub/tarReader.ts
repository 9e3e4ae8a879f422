/**
 * The entries of a tar archive, one after another. Of a plain archive only what is asked for is read; a packed one has
 * to be unpacked as far as it is looked at.
 */

import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { AppError } from '../protocol/index.ts';
import { openPath } from '../store/openPath.ts';
import {
	isTarExtra,
	type PaxFields,
	readLongName,
	readPax,
	readTarHeader,
	type TarHeader,
	type TarKind,
	tarBlockBytes,
} from './tarHeader.ts';

export interface TarEntry {
	readonly name: string;
	readonly kind: TarKind;
	/** Bytes of its content. */
	readonly size: number;
	/** Its bytes, once; what nobody has read of them when the next entry is asked for is passed over. */
	content(): AsyncIterable<Buffer>;
}

/** Told how much of an archive was read, of how much. */
export type ArchiveListener = (readBytes: number, sizeBytes: number) => void;

/** Whether it has to be unpacked to be read. */
export const isPackedTar = (path: string): boolean => /\.(tgz|gz)$/i.test(path);

/** Of a long name, or of all fields of a pax header. */
const maxExtraBytes = 2 ** 20;
/** Headers that say more of one entry. */
const maxExtras = 16;
/** Of what lies behind the last entry of a packed archive, and is unpacked for the sum at its end. */
const maxRestBytes = 16 * 2 ** 20;
const pieceBytes = 256 * 1024;

/** Bytes in their order. */
interface TarBytes extends AsyncDisposable {
	/** At most `length` of them, and at least one; `undefined` at the end. */
	read(length: number): Promise<Buffer | undefined>;
	/** @throws Error where the archive ends before */
	skip(length: number): Promise<void>;
	/** What is left to do behind the last entry. */
	finish(): Promise<void>;
}

/**
 * @throws AppError `cancelled`, or the system's own errors; every other error means that the archive is cut off or damaged
 */
export async function* tarEntries(
	path: string,
	onRead: ArchiveListener,
	signal: AbortSignal,
): AsyncGenerator<TarEntry, void> {
	const stop = () => {
		if (signal.aborted) throw new AppError('cancelled');
	};
	stop();
	await using bytes = await (isPackedTar(path)
		? packedBytes(path, onRead, signal)
		: plainBytes(path, onRead));
	let emptyBlocks = 0;
	let extras: Extras = { count: 0 };
	for (;;) {
		const block = await wholeBlock(bytes, emptyBlocks > 0);
		stop();
		const header = block && readTarHeader(block);
		if (header === undefined) {
			emptyBlocks++;
			if (block !== undefined && emptyBlocks < 2) continue;
			await bytes.finish();
			stop();
			return;
		}
		emptyBlocks = 0;
		if (isTarExtra(header.kind)) {
			extras = await readExtra(bytes, header, extras);
			continue;
		}
		const { kind } = header;
		const size = kind === 'folder' ? 0 : (extras.pax?.size ?? header.size);
		let left = size;
		yield {
			name: extras.pax?.path ?? extras.longName ?? header.name,
			kind: kind === 'file' && extras.pax?.isSparse === true ? 'sparse file' : kind,
			size,
			content: async function* () {
				while (left > 0) {
					const piece = await bytes.read(Math.min(left, pieceBytes));
					stop();
					if (piece === undefined) throw endsEarly();
					left -= piece.length;
					yield piece;
				}
			},
		};
		stop();
		await bytes.skip(left + paddingOf(size));
		extras = { count: 0 };
	}
}

/** What was said of the next entry before its header. */
interface Extras {
	readonly count: number;
	readonly longName?: string;
	readonly pax?: PaxFields;
}

async function readExtra(
	bytes: TarBytes,
	{ kind, size }: TarHeader,
	before: Extras,
): Promise<Extras> {
	const count = before.count + 1;
	if (count > maxExtras || size > maxExtraBytes)
		throw new Error('a name or its fields are too long');
	const content = await exactly(bytes, size);
	await bytes.skip(paddingOf(size));
	if (kind === 'long name') return { ...before, count, longName: readLongName(content) };
	if (kind === 'pax') return { ...before, count, pax: readPax(content) };
	return { ...before, count };
}

const endsEarly = () => new Error('it ends too early');

/** Bytes up to the next whole block. */
const paddingOf = (size: number) => (tarBlockBytes - (size % tarBlockBytes)) % tarBlockBytes;

/** @param mayEnd then `undefined` at the end */
async function wholeBlock(bytes: TarBytes, mayEnd: boolean): Promise<Buffer | undefined> {
	const first = await bytes.read(tarBlockBytes);
	if (first === undefined) {
		if (mayEnd) return undefined;
		throw endsEarly();
	}
	if (first.length === tarBlockBytes) return first;
	return Buffer.concat([first, await exactly(bytes, tarBlockBytes - first.length)]);
}

async function exactly(bytes: TarBytes, length: number): Promise<Buffer> {
	const pieces: Buffer[] = [];
	for (let left = length; left > 0; ) {
		const piece = await bytes.read(left);
		if (piece === undefined) throw endsEarly();
		left -= piece.length;
		pieces.push(piece);
	}
	return Buffer.concat(pieces);
}

async function plainBytes(path: string, onRead: ArchiveListener): Promise<TarBytes> {
	const file = await openPath(path, 'r');
	const { size } = await file.stat();
	let at = 0;
	const advance = (length: number) => {
		at += length;
		onRead(at, size);
	};
	return {
		read: async (length) => {
			const piece = Buffer.allocUnsafe(Math.min(length, size - at));
			const { bytesRead } = await file.read(piece, 0, piece.length, at);
			if (bytesRead === 0) return undefined;
			advance(bytesRead);
			return piece.subarray(0, bytesRead);
		},
		skip: async (length) => {
			if (length > size - at) throw endsEarly();
			if (length > 0) advance(length);
		},
		finish: async () => {},
		[Symbol.asyncDispose]: () => file.close(),
	};
}

async function packedBytes(
	path: string,
	onRead: ArchiveListener,
	signal: AbortSignal,
): Promise<TarBytes> {
	const file = await openPath(path, 'r');
	const { size } = await file.stat();
	async function* counted(source: AsyncIterable<Buffer>): AsyncIterable<Buffer> {
		let read = 0;
		for await (const chunk of source) {
			read += chunk.length;
			onRead(read, size);
			yield chunk;
		}
	}
	const unpacked = createGunzip();
	const feed = pipeline(file.createReadStream(), counted, unpacked, { signal });
	// Whoever reads is told; the pipe's copy of it would be unhandled.
	feed.catch(() => undefined);
	const chunks: AsyncIterator<Buffer> = unpacked[Symbol.asyncIterator]();
	let waiting: Buffer = Buffer.alloc(0);
	const read = async (length: number): Promise<Buffer | undefined> => {
		while (waiting.length === 0) {
			const { done, value } = await chunks.next();
			if (done === true) return undefined;
			waiting = value;
		}
		const piece = waiting.subarray(0, length);
		waiting = waiting.subarray(length);
		return piece;
	};
	return {
		read,
		skip: async (length) => {
			for (let left = length; left > 0; ) {
				const piece = await read(left);
				if (piece === undefined) throw endsEarly();
				left -= piece.length;
			}
		},
		finish: async () => {
			for (let rest = 0; rest < maxRestBytes; ) {
				const piece = await read(pieceBytes);
				if (piece === undefined) return;
				rest += piece.length;
			}
		},
		[Symbol.asyncDispose]: async () => {
			unpacked.destroy();
			await feed.catch(() => undefined);
		},
	};
}
