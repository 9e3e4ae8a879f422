/**
 * Matrices whose rows are packed one after the other, as MLX and compressed-tensors publish them: their
 * bytes are those of MatMulNBits already.
 */

import { asNumber, asRecord, asString, type JsonRecord } from '../../modelFiles/json.ts';
import { quoted, sourceFault } from './limits.ts';
import type { QuantisationMethod } from './quantisationMethod.ts';
import type { StoredTensor } from './storedTensors.ts';
import {
	type BlockRows,
	columnsOf,
	rowsOf,
	type SourceTensor,
	type TensorSource,
} from './tensorSource.ts';
import { centred } from './zeroPoints.ts';

/** A matrix under the name that the unquantised one has. */
export interface QuantisedMatrix {
	readonly tensor: SourceTensor;
	readonly rows: (from: number, to: number, signal?: AbortSignal) => Promise<Float32Array>;
	readonly blocks?: (from: number, to: number, signal?: AbortSignal) => Promise<BlockRows>;
}

interface Found {
	readonly matrix: QuantisedMatrix;
	/** Names of the tensors that it is made of. */
	readonly parts: readonly string[];
}

export function bytePackedMatrices(
	source: TensorSource,
	stored: ReadonlyMap<string, StoredTensor>,
	method: QuantisationMethod,
): Found[] {
	const found: Found[] = [];
	for (const { name } of stored.values()) {
		if (method.name === 'mlx' && name.endsWith('.scales')) {
			const base = name.slice(0, -'.scales'.length);
			const parts = [`${base}.weight`, name, `${base}.biases`] as const;
			const own = asRecord(method.settings[base]) ?? method.settings;
			found.push(matrixOf(source, stored, base, parts, sizesOf(own, 'bits')));
		}
		if (method.name === 'compressed-tensors' && name.endsWith('.weight_packed')) {
			const base = name.slice(0, -'.weight_packed'.length);
			const parts = [name, `${base}.weight_scale`] as const;
			const one = matrixOf(source, stored, base, parts, compressedSizes(method));
			found.push({ ...one, parts: [...one.parts, `${base}.weight_shape`] });
		}
	}
	return found;
}

interface Sizes {
	/** Of a number. */
	readonly bits: number | undefined;
	/** Numbers that share a scale; `undefined` where whole rows do, or nothing says so. */
	readonly group: number | undefined;
}

function sizesOf(settings: JsonRecord, bits: string): Sizes {
	const group = asNumber(settings['group_size']) ?? -1;
	return { bits: asNumber(settings[bits]), group: group > 0 ? group : undefined };
}

/** Sizes of the weights, if all groups of layers have the same. */
function compressedSizes({ settings }: QuantisationMethod): Sizes {
	const unknown = { bits: undefined, group: undefined };
	if (asString(settings['format']) !== 'pack-quantized') return unknown;
	const [first = unknown, ...others] = Object.values(asRecord(settings['config_groups']) ?? {}).map(
		(layers) => {
			const weights = asRecord(asRecord(layers)?.['weights']);
			// Without it, zero points are stored.
			return weights?.['symmetric'] === true ? sizesOf(weights, 'num_bits') : unknown;
		},
	);
	return others.every(({ bits, group }) => bits === first.bits && group === first.group)
		? first
		: unknown;
}

function matrixOf(
	source: TensorSource,
	stored: ReadonlyMap<string, StoredTensor>,
	base: string,
	[packed, scaleName, minimaName]: readonly [string, string, string?],
	{ bits, group }: Sizes,
): Found {
	const words = stored.get(packed);
	const scales = stored.get(scaleName);
	const minima = minimaName === undefined ? undefined : stored.get(minimaName);
	const fault = (what: string) =>
		sourceFault((words ?? scales)?.file.name, `has a tensor ${quoted(base)} that ${what}`);
	if (bits !== 4 && bits !== 8)
		throw fault(`has ${bits ?? 'unknown'} bits a number, which are not read`);
	if (words === undefined || scales === undefined || (minimaName && minima === undefined))
		throw fault('lacks its packed numbers, its scales or its biases');
	const rows = rowsOf(words.shape);
	const columns = (columnsOf(words.shape) * 32) / bits;
	const groups = columnsOf(scales.shape);
	const fits =
		/^[iu]32$/.test(words.type.name) &&
		words.shape.length === 2 &&
		rowsOf(scales.shape) === rows &&
		Number.isInteger(columns / groups) &&
		(group === undefined || group === columns / groups) &&
		(minima === undefined || (rowsOf(minima.shape) === rows && columnsOf(minima.shape) === groups));
	if (!fits) throw fault('has parts that do not fit together');
	const block = columns / groups;
	const middle = minima === undefined ? 2 ** (bits - 1) : 0;
	const factors = async (from: number, to: number, signal?: AbortSignal) => ({
		bytes: await source.raw(packed, from, to, signal),
		scales: await source.rows(scaleName, from, to, signal),
		biases: minima && (await source.rows(minima.name, from, to, signal)),
	});
	const isBlock = block >= 16 && block <= 256 && Number.isInteger(Math.log2(block));
	const residual = minima !== undefined;
	return {
		parts: [packed, scaleName, ...(minimaName === undefined ? [] : [minimaName])],
		matrix: {
			tensor: {
				name: `${base}.weight`,
				shape: [rows, columns],
				type: `${minima === undefined ? 'packed' : 'mlx'}${bits}`,
				bytesPerRow: 0,
				...(isBlock ? { blocks: { bits, block, zeroPoints: residual, residual } } : {}),
			},
			rows: async (from, to, signal) => {
				const { bytes, scales: own, biases } = await factors(from, to, signal);
				const numbers = new Float32Array((to - from) * columns);
				for (let k = 0; k < numbers.length; k++) {
					const byte = bytes[bits === 8 ? k : k >> 1] as number;
					const code = bits === 8 ? byte : k % 2 === 0 ? byte & 15 : byte >> 4;
					const at = Math.floor(k / block);
					numbers[k] = (own[at] as number) * (code - middle) + (biases?.[at] ?? 0);
				}
				return numbers;
			},
			...(isBlock
				? {
						blocks: async (from, to, signal) => {
							const { bytes, scales: own, biases } = await factors(from, to, signal);
							const plain: BlockRows = { bits, block, packed: bytes, scales: own };
							if (biases === undefined) return plain;
							return {
								...plain,
								...centred(
									bits,
									own,
									biases.map((bias) => -bias),
									to - from,
								),
							};
						},
					}
				: {}),
		},
	};
}
