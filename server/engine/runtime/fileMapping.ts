/** Maps files into memory through the C library, or through Windows' own calls. */

import type { Pointer } from './capi.ts';
import { loadKoffi } from './nativePackages.ts';
import {
	type FileMapper,
	type FileMapping,
	isPlace,
	type WindowsCalls,
	windowsMapper,
} from './windowsMapping.ts';

interface PosixCalls {
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

let mapper: FileMapper | undefined;

/** Looks the functions up; call once before {@link mapFile}. Without them nothing is mapped. */
export async function prepareMapping(): Promise<void> {
	if (mapper !== undefined) return;
	try {
		mapper = process.platform === 'win32' ? windowsMapper(windowsCalls()) : posixMapper();
	} catch {
		mapper = undefined;
	}
}

/** Maps an open file read-only, which may be closed then; `undefined` where that is not possible. */
export function mapFile(file: number, sizeBytes: number): FileMapping | undefined {
	return sizeBytes === 0 ? undefined : mapper?.(file, sizeBytes);
}

/** The process itself as a library: whichever C library it was linked with, and on Windows what it exports. */
function ownProcess() {
	const library = loadKoffi().load(null);
	(globalThis as { __nearglotProcess?: unknown }).__nearglotProcess = library;
	return library;
}

function posixMapper(): FileMapper {
	const library = ownProcess();
	const calls: PosixCalls = {
		map: library.func(
			'void* mmap(void* address, size_t length, int protection, int flags, int file, int64_t offset)',
		) as unknown as PosixCalls['map'],
		unmap: library.func(
			'int munmap(void* address, size_t length)',
		) as unknown as PosixCalls['unmap'],
	};
	return (file, sizeBytes) => {
		const address = calls.map(null, sizeBytes, read, privately, file, 0);
		if (!isPlace(address)) return undefined;
		return { address, unmap: () => void calls.unmap(address, sizeBytes) };
	};
}

function windowsCalls(): WindowsCalls {
	const node = ownProcess();
	const system = loadKoffi().load('kernel32.dll');
	return {
		handleOf: node.func('void* uv_get_osfhandle(int file)') as unknown as WindowsCalls['handleOf'],
		createMapping: system.func(
			'void* __stdcall CreateFileMappingW(void* file, void* security, uint32_t protection, uint32_t high, uint32_t low, void* name)',
		) as unknown as WindowsCalls['createMapping'],
		viewOf: system.func(
			'void* __stdcall MapViewOfFile(void* mapping, uint32_t access, uint32_t high, uint32_t low, size_t length)',
		) as unknown as WindowsCalls['viewOf'],
		unmapView: system.func(
			'int __stdcall UnmapViewOfFile(void* address)',
		) as unknown as WindowsCalls['unmapView'],
		close: system.func(
			'int __stdcall CloseHandle(void* handle)',
		) as unknown as WindowsCalls['close'],
	};
}
