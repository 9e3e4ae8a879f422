/** Files mapped into memory by Windows' calls, which are given: what is opened on the way is closed again. */

import type { Pointer } from './capi.ts';

export interface FileMapping {
	readonly address: Pointer;
	readonly unmap: () => void;
}

/** Maps an open file of a size read-only; `undefined` where the system does not. */
export type FileMapper = (file: number, sizeBytes: number) => FileMapping | undefined;

/** Those of `kernel32.dll`, and libuv's that tells what Windows calls an open file. A handle of 0 is none. */
export interface WindowsCalls {
	readonly handleOf: (file: number) => Pointer;
	readonly createMapping: (
		file: Pointer,
		security: null,
		protection: number,
		sizeHigh: number,
		sizeLow: number,
		name: null,
	) => Pointer;
	readonly viewOf: (
		mapping: Pointer,
		access: number,
		offsetHigh: number,
		offsetLow: number,
		length: number,
	) => Pointer;
	readonly unmapView: (address: Pointer) => number;
	readonly close: (handle: Pointer) => number;
}

const readOnlyPages = 2;
const readView = 4;
const failed = 0xffff_ffff_ffff_ffffn;

/**
 * Maps with Windows' calls. A view keeps its file: until it is unmapped the file can be neither removed nor written,
 * so a model's files are free again when its process has ended.
 */
export function windowsMapper(calls: WindowsCalls): FileMapper {
	return (file, sizeBytes) => {
		const handle = calls.handleOf(file);
		if (!isPlace(handle)) return undefined;
		const mapping = calls.createMapping(handle, null, readOnlyPages, 0, 0, null);
		if (!isPlace(mapping)) return undefined;
		const address = calls.viewOf(mapping, readView, 0, 0, sizeBytes);
		// The view holds what it needs of the mapping.
		calls.close(mapping);
		if (!isPlace(address)) return undefined;
		return { address, unmap: () => void calls.unmapView(address) };
	};
}

/** Whether a call has given an address or a handle: not 0, and not -1, which stands for an error. */
export const isPlace = (value: Pointer): boolean =>
	Boolean(value) && BigInt.asUintN(64, value) !== failed;
