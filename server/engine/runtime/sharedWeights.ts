/**
 * Weights that several sessions of one model use together: the files are mapped into memory once,
 * and the packed copies that kernels make are kept in one container.
 */

import { closeSync } from 'node:fs';
import { openModelPathSync } from '../../hub/modelData/readModelFile.ts';
import type { CApi, Pointer } from './capi.ts';
import { mapFile } from './fileMapping.ts';
import type { WeightSharing } from './runtime.ts';

interface Group {
	readonly values: ReadonlyMap<string, Pointer>;
	readonly container: Pointer;
	readonly mappings: readonly { readonly unmap: () => void }[];
	/** Refers to the bytes that are not mapped. */
	readonly weights: WeightSharing['weights'];
	users: number;
}

const groups = new Map<string, Group>();

/** One session's part in a group. */
export interface SharedWeights {
	readonly values: ReadonlyMap<string, Pointer>;
	readonly container: Pointer;
	/** Call when the session is closed; the last one frees everything. */
	readonly release: () => void;
}

/** Joins the group of this key, made now when it is the first; `undefined` where mapping is impossible and all is mapped. */
export function shareWeights(
	api: CApi,
	memory: Pointer,
	{ key, weights }: WeightSharing,
): SharedWeights | undefined {
	let group = groups.get(key);
	if (group === undefined) {
		group = createGroup(api, memory, weights);
		if (group === undefined) return undefined;
		groups.set(key, group);
	}
	group.users++;
	const joined = group;
	let released = false;
	return {
		values: joined.values,
		container: joined.container,
		release: () => {
			if (released) return;
			released = true;
			if (--joined.users > 0) return;
			groups.delete(key);
			api.release('ReleasePrepackedWeightsContainer', joined.container);
			for (const value of joined.values.values()) api.release('ReleaseValue', value);
			for (const mapping of joined.mappings) mapping.unmap();
		},
	};
}

function createGroup(
	api: CApi,
	memory: Pointer,
	weights: WeightSharing['weights'],
): Group | undefined {
	const mappings = mapFiles(weights);
	const values = new Map<string, Pointer>();
	for (const { name, typeCode, dims, file, offset, length, bytes } of weights) {
		const mapping = mappings?.get(file);
		// A weight that would reach beyond its file is left to ONNX Runtime, which says so.
		const isMapped = mapping !== undefined && offset >= 0 && offset + length <= mapping.sizeBytes;
		if (bytes === undefined && !isMapped) continue;
		const value = api.get(
			'CreateTensorWithDataAsOrtValue',
			memory,
			bytes ?? (mapping as Mapping).address + BigInt(offset),
			length,
			BigInt64Array.from(dims, BigInt),
			dims.length,
			typeCode,
		);
		values.set(name, value);
	}
	if (mappings === undefined && values.size === 0) return undefined;
	return {
		values,
		container: api.get('CreatePrepackedWeightsContainer'),
		mappings: [...(mappings?.values() ?? [])],
		weights,
		users: 0,
	};
}

interface Mapping {
	readonly address: Pointer;
	readonly sizeBytes: number;
	readonly unmap: () => void;
}

/** `undefined` where mapping is impossible. */
function mapFiles(weights: WeightSharing['weights']): Map<string, Mapping> | undefined {
	const mappings = new Map<string, Mapping>();
	for (const { file } of weights) {
		if (mappings.has(file)) continue;
		const { handle, size: sizeBytes } = openModelPathSync(file);
		try {
			const mapping = mapFile(handle, sizeBytes);
			if (mapping === undefined) {
				for (const { unmap } of mappings.values()) unmap();
				return undefined;
			}
			mappings.set(file, { ...mapping, sizeBytes });
		} finally {
			closeSync(handle);
		}
	}
	return mappings;
}
