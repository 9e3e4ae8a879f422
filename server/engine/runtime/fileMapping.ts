/** Maps files into memory through the C library, where there is one that offers it. */

import type { Pointer } from './capi.ts';
import { loadKoffi } from './nativePackages.ts';

interface MemoryCalls {
	readonly map: (
		address: null,
		length: number,
		protection: number,
		flags: number,
		file: number,
		offset: number,
	) => Pointer;
	readonly unmap: (address: Pointer, length: number) => number;
}

const read = 1;
const privately = 2;
const failed = 0xffff_ffff_ffff_ffffn;

let calls: MemoryCalls | undefined;

/** Looks the two functions up; call once before {@link mapFile}. Without them nothing is mapped. */
export async function prepareMapping(): Promise<void> {
	if (calls !== undefined || process.platform === 'win32') return;
	try {
		const koffi = loadKoffi();
		// The process itself: whichever C library it was linked with.
		const library = koffi.load(null);
		(globalThis as { __nearglotProcess?: unknown }).__nearglotProcess = library;
		calls = {
			map: library.func(
				'void* mmap(void* address, size_t length, int protection, int flags, int file, int64_t offset)',
			) as unknown as MemoryCalls['map'],
			unmap: library.func(
				'int munmap(void* address, size_t length)',
			) as unknown as MemoryCalls['unmap'],
		};
	} catch {
		calls = undefined;
	}
}

/** Maps an open file read-only; `undefined` where that is not possible. */
export function mapFile(
	file: number,
	sizeBytes: number,
): { readonly address: Pointer; readonly unmap: () => void } | undefined {
	if (calls === undefined || sizeBytes === 0) return undefined;
	const { map, unmap } = calls;
	const address = map(null, sizeBytes, read, privately, file, 0);
	if (!address || BigInt.asUintN(64, address) === failed) return undefined;
	return { address, unmap: () => void unmap(address, sizeBytes) };
}
