/**
 * Quantised matrices of safetensors files under the names that the unquantised ones have: `x.qweight`,
 * `x.qzeros` and `x.scales` are `x.weight`, and fp8 and int8 numbers are multiplied by their scales.
 */

import { asNumber, asString } from '../../modelFiles/json.ts';
import { bytePackedMatrices, type QuantisedMatrix } from './bytePacked.ts';
import { quoted, sourceFault, sourceLimits } from './limits.ts';
import {
	inOrder,
	type PackedLayout,
	type PackedParts,
	packedBlocks,
	packedNumbers,
} from './packedLinear.ts';
import type { QuantisationMethod } from './quantisationMethod.ts';
import type { StoredTensor } from './storedTensors.ts';
import { columnsOf, rowsOf, type SourceTensor, type TensorSource } from './tensorSource.ts';

const packedKinds = ['gptq', 'awq'] as const;
/** Rows and columns of fp8 numbers that share a scale, unless the settings say otherwise. */
const fp8Block = 128;

/** The source with quantised matrices under their plain names; the same one where nothing is quantised. */
export function withoutQuantisation(
	source: TensorSource,
	stored: ReadonlyMap<string, StoredTensor>,
	method: QuantisationMethod | undefined,
): TensorSource {
	const packed = [...stored.keys()].filter((name) => name.endsWith('.qweight'));
	const scaled = [...stored.values()].filter(
		({ name, type }) => /^(f8_|i8$)/.test(type.name) && scaleOf(stored, name) !== undefined,
	);
	refuseUnknown(stored, method, packed);
	const inWords = method === undefined ? [] : bytePackedMatrices(source, stored, method);
	if (packed.length === 0 && scaled.length === 0 && inWords.length === 0) {
		refuseIntegers(stored, source.tensors);
		return source;
	}

	const tensors = new Map(source.tensors);
	const matrices = new Map<string, QuantisedMatrix>();
	const last = new LastRead();
	for (const name of packed) {
		const base = name.slice(0, -'.qweight'.length);
		const matrix = packedMatrix(last, source, stored, base, method as QuantisationMethod);
		for (const part of ['qweight', 'qzeros', 'scales', 'g_idx']) tensors.delete(`${base}.${part}`);
		tensors.set(matrix.tensor.name, matrix.tensor);
		matrices.set(matrix.tensor.name, matrix);
	}
	for (const tensor of scaled) {
		const matrix = scaledMatrix(last, source, stored, tensor, method);
		tensors.delete(scaleOf(stored, tensor.name)?.name ?? '');
		tensors.set(tensor.name, matrix.tensor);
		matrices.set(tensor.name, matrix);
	}
	for (const { matrix, parts } of inWords) {
		for (const part of parts) tensors.delete(part);
		tensors.set(matrix.tensor.name, matrix.tensor);
		matrices.set(matrix.tensor.name, matrix);
	}
	refuseIntegers(stored, tensors, matrices);
	const rangeOf = (matrix: QuantisedMatrix, from: number, to: number): void => {
		const rows = rowsOf(matrix.tensor.shape);
		if (!(from >= 0 && from <= to && to <= rows))
			throw new RangeError(`Rows ${from} to ${to} of the ${rows} of ${matrix.tensor.name}`);
	};
	return {
		tensors,
		metadata: source.metadata,
		raw: async (name, from, to, signal) => {
			if (matrices.has(name))
				throw new RangeError(`The rows of ${name} do not lie one after the other.`);
			return source.raw(name, from, to, signal);
		},
		rows: async (name, from, to, signal) => {
			const matrix = matrices.get(name);
			if (matrix === undefined) return source.rows(name, from, to, signal);
			rangeOf(matrix, from, to);
			return matrix.rows(from, to, signal);
		},
		blocks: async (name, from, to, signal) => {
			const matrix = matrices.get(name);
			if (matrix?.blocks === undefined)
				throw new RangeError(`The tensor ${name} has no form of blocks.`);
			rangeOf(matrix, from, to);
			return matrix.blocks(from, to, signal);
		},
		[Symbol.asyncDispose]: () => {
			last.forget();
			return source[Symbol.asyncDispose]();
		},
	};
}

function refuseUnknown(
	stored: ReadonlyMap<string, StoredTensor>,
	method: QuantisationMethod | undefined,
	packed: readonly string[],
): void {
	const [first] = stored.values();
	const file = first?.file.name;
	const [name] = packed;
	if (method === undefined) {
		if (name !== undefined)
			throw sourceFault(
				file,
				`has the packed tensor ${quoted(name)}, and nothing says how it is packed`,
			);
		return;
	}
	const isPacked = packedKinds.some((kind) => kind === method.name);
	const isFp8 = method.name === 'fp8' || method.name === 'compressed-tensors';
	const isMlx = method.name === 'mlx';
	const odd = [...stored.values()].find(({ name: one }) =>
		/\.(weight_g_idx|absmax|quant_map|weight_scale_2|weight_zero_point|w_q|lut)$|_(blocks|scales)$/.test(
			one,
		),
	);
	if ((!isPacked && !isFp8 && !isMlx) || odd !== undefined)
		throw sourceFault(
			file,
			`is quantised by ${quoted(method.name)}${odd ? ` (${quoted(odd.name)})` : ''}, which is not read`,
		);
	if (!isPacked && name !== undefined)
		throw sourceFault(file, `has ${quoted(name)}, which does not belong to ${method.name}`);
}

/** A matrix of whole numbers that stand for others is not read as if they stood for themselves. */
function refuseIntegers(
	stored: ReadonlyMap<string, StoredTensor>,
	tensors: ReadonlyMap<string, SourceTensor>,
	known?: ReadonlyMap<string, QuantisedMatrix>,
): void {
	for (const { name, shape, type } of tensors.values())
		if (name.endsWith('.weight') && /^[iu]\d/.test(type) && shape.length > 1 && !known?.has(name))
			throw sourceFault(
				stored.get(name)?.file.name,
				`has a tensor ${quoted(name)} of the type ${type}, and nothing says what its numbers stand for`,
			);
}

function packedMatrix(
	last: LastRead,
	source: TensorSource,
	stored: ReadonlyMap<string, StoredTensor>,
	base: string,
	{ name: kind, settings }: QuantisationMethod,
): QuantisedMatrix {
	const part = (suffix: string, type: string): StoredTensor => {
		const found = stored.get(`${base}.${suffix}`);
		if (found?.type.name !== type)
			throw fault(`lacks ${suffix} of the type ${type}, or has it otherwise`);
		return found;
	};
	const fault = (what: string) =>
		sourceFault(
			stored.get(`${base}.qweight`)?.file.name,
			`has a tensor ${quoted(base)} that ${what}`,
		);
	const words = part('qweight', 'i32');
	const zeros = part('qzeros', 'i32');
	const scales = part('scales', 'f16');
	const order = stored.get(`${base}.g_idx`);
	const bits = asNumber(settings['bits']) ?? asNumber(settings['w_bit']);
	if (kind !== 'gptq' && kind !== 'awq') throw fault(`is quantised by ${quoted(kind)}`);
	if (bits !== 4 && !(bits === 8 && kind === 'gptq'))
		throw fault(`has ${bits} bits a number, which are not read`);
	const version = asString(settings['version'])?.toLowerCase() ?? 'gemm';
	if (kind === 'awq' && version !== 'gemm')
		throw fault(`is packed for the kernel ${quoted(version)}, which is not read`);
	const perWord = 32 / bits;
	const rows = columnsOf(scales.shape);
	const columns = rowsOf(words.shape) * (kind === 'gptq' ? perWord : 1);
	const groups = rowsOf(scales.shape);
	const group = asNumber(settings['group_size']) ?? asNumber(settings['q_group_size']) ?? -1;
	const size = group > 0 ? group : columns;
	const fits =
		scales.shape.length === 2 &&
		rows % perWord === 0 &&
		columnsOf(words.shape) === (kind === 'gptq' ? rows : rows / perWord) &&
		groups === Math.ceil(columns / size) &&
		sameShape(zeros.shape, [groups, rows / perWord]) &&
		(order === undefined || (order.type.name === 'i32' && sameShape(order.shape, [columns])));
	if (!fits) throw fault('has parts that do not fit together');
	const bytes = rowsOf(words.shape) * words.type.bytes * columnsOf(words.shape);
	if (bytes > sourceLimits.maxWholeBytes)
		throw fault(`has ${bytes} bytes; at most ${sourceLimits.maxWholeBytes} are read at once`);

	const isV2 = asString(settings['checkpoint_format']) === 'gptq_v2';
	const zeroOffset = kind === 'gptq' && !isV2 ? 1 : 0;
	const layout: PackedLayout = { kind, bits, rows, columns, group: size, zeroOffset };
	const isMixed = order !== undefined && settings['desc_act'] === true;
	const isBlock =
		!isMixed &&
		size >= 16 &&
		size <= 256 &&
		Number.isInteger(Math.log2(size)) &&
		columns % size === 0;
	const name = `${base}.weight`;
	const all = last.of(async (signal): Promise<PackedParts> => {
		const read = async (tensor: StoredTensor) =>
			source.raw(tensor.name, 0, rowsOf(tensor.shape), signal);
		const ids =
			order === undefined ? undefined : new Uint32Array((await read(order)).slice().buffer);
		const isInOrder = ids === undefined || inOrder(ids, size);
		if (!isInOrder && isBlock) throw fault('has inputs in another order than its settings say');
		if (ids?.some((id) => id >= groups)) throw fault('has inputs in groups that are not there');
		return {
			words: new Uint32Array((await read(words)).slice().buffer),
			zeros: new Uint32Array((await read(zeros)).slice().buffer),
			scales: new Uint16Array((await read(scales)).slice().buffer),
			...(ids === undefined || isInOrder ? {} : { groups: ids }),
		};
	});
	const tensor = { name, shape: [rows, columns], type: `${kind}${bits}`, bytesPerRow: 0 };
	return {
		tensor: isBlock
			? { ...tensor, blocks: { bits, block: size, zeroPoints: true, residual: false } }
			: tensor,
		rows: async (from, to, signal) => packedNumbers(layout, await all(signal), from, to),
		...(isBlock
			? {
					blocks: async (from, to, signal) => packedBlocks(layout, await all(signal), from, to),
				}
			: {}),
	};
}

function scaleOf(
	stored: ReadonlyMap<string, StoredTensor>,
	name: string,
): StoredTensor | undefined {
	return stored.get(`${name}_scale`) ?? stored.get(`${name}_scale_inv`);
}

/** Numbers of 8 bits with one scale, one per row, or one per square. Each is a factor, whatever its name says. */
function scaledMatrix(
	last: LastRead,
	source: TensorSource,
	stored: ReadonlyMap<string, StoredTensor>,
	{ name, shape, type, file }: StoredTensor,
	method: QuantisationMethod | undefined,
): QuantisedMatrix {
	const scale = scaleOf(stored, name) as StoredTensor;
	const rows = rowsOf(shape);
	const columns = columnsOf(shape);
	const sizes = method?.settings['weight_block_size'];
	const [high = fp8Block, wide = fp8Block] = Array.isArray(sizes)
		? sizes.map((size) => asNumber(size) ?? 0)
		: [];
	const across = columnsOf(scale.shape);
	const down = rowsOf(scale.shape);
	const isSquares =
		high > 0 && wide > 0 && down === Math.ceil(rows / high) && across === Math.ceil(columns / wide);
	const isSingle = down * across === 1;
	const isRows = (down === rows && across === 1) || (down === 1 && across === rows);
	if (!isSingle && !isRows && !isSquares)
		throw sourceFault(
			file.name,
			`has a tensor ${quoted(name)} of ${rows} rows with ${down} × ${across} scales`,
		);
	const scales = last.of((signal) => source.rows(scale.name, 0, down, signal));
	return {
		tensor: { name, shape, type: type.name, bytesPerRow: 0 },
		rows: async (from, to, signal) => {
			const factors = await scales(signal);
			const numbers = await source.rows(name, from, to, signal);
			for (let row = from; row < to; row++) {
				const first = isSingle ? 0 : isRows ? row : Math.floor(row / high) * across;
				for (let k = 0; k < columns; k++) {
					const at = isSingle || isRows ? first : first + Math.floor(k / wide);
					const index = (row - from) * columns + k;
					numbers[index] = (numbers[index] as number) * (factors[at] as number);
				}
			}
			return numbers;
		},
	};
}

const sameShape = (a: readonly number[], b: readonly number[]): boolean =>
	a.length === b.length && a.every((size, index) => size === b[index]);

/** Keeps what was read last: the bands of a matrix are asked for one after the other. */
class LastRead {
	#of: object | undefined;
	#parts: Promise<unknown> | undefined;

	/** Reads once while nothing else is read in between. */
	of<Parts>(
		read: (signal?: AbortSignal) => Promise<Parts>,
	): (signal?: AbortSignal) => Promise<Parts> {
		return (signal) => {
			if (this.#of !== read) {
				const parts = read(signal);
				this.#of = read;
				this.#parts = parts;
				parts.catch(() => {
					if (this.#of === read) this.forget();
				});
			}
			return this.#parts as Promise<Parts>;
		};
	}

	forget(): void {
		this.#of = undefined;
		this.#parts = undefined;
	}
}
