/**
 * Rewrite: weights of dynamic int8 as unsigned bytes, 128 more with zero points of 128 more, so that the sums are the
 * same. ONNX Runtime does so itself where sums of signed bytes would be cut off (`verify/signedSums.ts`), but byte by byte
 * for each session, and the packed forms of what it made are not shared between sessions.
 */

import { openModelPath } from '../../hub/modelData/readModelFile.ts';
import { pushAll } from '../../protocol/lists.ts';
import type { SharedWeight } from '../runtime/runtime.ts';
import type { OnnxGraph, OnnxNode, OnnxTensor } from './onnxModel.ts';
import { externalTensor, readTensorHeader, scalarTensor, tensorFromHeader } from './tensorProto.ts';

const uint8 = 2;
const int8 = 3;
/** Between a signed and an unsigned byte. */
const shift = 128;
const middle = 'nearglot/unsigned_zero';
/** Sums of two products with weights up to this fit into 16 bits. */
const largestUncut = 64;
const matrixRank = 2;

/** Operators with weights in int8 → positions of these and of their zero points. */
const products: ReadonlyMap<string, readonly [weight: number, zero: number]> = new Map([
	['MatMulInteger', [1, 3]],
	['DynamicQuantizeMatMul', [1, 3]],
	['MatMulIntegerToFloat', [1, 5]],
]);

const beyondFiles = 2 ** 52;

const unsignedName = (name: string): string => `${name}/unsigned`;

/** Inputs of a product that are to be made unsigned; `undefined` for other nodes. */
function signedInputs(
	node: OnnxNode,
	weights: ReadonlyMap<string, OnnxTensor>,
): { readonly at: readonly number[]; readonly zero: number } | undefined {
	const places = products.get(node.op);
	if (places === undefined) return undefined;
	const [weight, zero] = places;
	const at = [weight, ...((node.inputs[zero] ?? '') === '' ? [] : [zero])];
	const tensors = at.map((index) => weights.get(node.inputs[index] ?? ''));
	const headers = tensors.map((tensor) => tensor && readTensorHeader(tensor.bytes));
	const isSigned = headers.every(
		(header) =>
			header?.dataType === int8 && (header.external !== undefined || header.raw !== undefined),
	);
	return isSigned && headers[0]?.dims.length === matrixRank ? { at, zero } : undefined;
}

const byName = ({ initializers }: OnnxGraph): ReadonlyMap<string, OnnxTensor> =>
	new Map(initializers.map((tensor) => [tensor.name, tensor]));

/**
 * Reads the weights in files that {@link useUnsignedWeights} wants, made unsigned. Left out are products whose sums
 * cannot be cut off, as ONNX Runtime leaves them.
 * @param graph read without its weights
 * @param weights where its weights are, zero points among them
 */
export async function readUnsigned(
	graph: OnnxGraph,
	weights: readonly SharedWeight[],
): Promise<SharedWeight[]> {
	const tensors = byName(graph);
	const places = new Map(weights.map((weight) => [weight.name, weight]));
	const made = new Map<string, SharedWeight | undefined>();
	for (const node of graph.nodes) {
		const [name = '', zero] = (signedInputs(node, tensors)?.at ?? []).map((at) => node.inputs[at]);
		const place = places.get(name);
		if (place === undefined) continue;
		if (!made.has(name)) made.set(name, await readWeight(place, largestUncut));
		if (made.get(name) === undefined || zero === undefined || made.has(zero)) continue;
		const zeroPlace = places.get(zero);
		if (zeroPlace !== undefined) made.set(zero, await readWeight(zeroPlace, -1));
	}
	return [...made.values()].filter((one) => one !== undefined);
}

/** `undefined` when no weight is beyond `most`. */
async function readWeight(place: SharedWeight, most: number): Promise<SharedWeight | undefined> {
	const { name, file, offset, length } = place;
	const bytes = new Uint8Array(length);
	const { handle } = await openModelPath(file);
	try {
		for (let filled = 0; filled < length; ) {
			const { bytesRead } = await handle.read(bytes, filled, length - filled, offset + filled);
			if (bytesRead === 0) throw new Error(`${name} reaches beyond its file`);
			filled += bytesRead;
		}
	} finally {
		await handle.close();
	}
	const isBeyond = most < 0 || new Int8Array(bytes.buffer).some((value) => Math.abs(value) > most);
	if (!isBeyond) return undefined;
	flip(bytes);
	return { ...place, name: unsignedName(name), typeCode: uint8, bytes };
}

/** Adds 128 to each byte, without carry: the highest bit of each. */
function flip(bytes: Uint8Array): void {
	const words = new Uint32Array(bytes.buffer, 0, bytes.length >> 2);
	for (let at = 0; at < words.length; at++) words[at] = (words[at] as number) ^ 0x80808080;
	for (let at = words.length << 2; at < bytes.length; at++)
		bytes[at] = (bytes[at] as number) ^ shift;
}

/**
 * Has the products of the graph read unsigned weights, which are handed to the session by these names.
 * Returns why nothing was changed, or `undefined` when something was.
 * @param names of {@link readUnsigned}
 */
export function useUnsignedWeights(
	graph: OnnxGraph,
	names: ReadonlySet<string>,
): string | undefined {
	const tensors = byName(graph);
	const added = new Map<string, OnnxTensor>();
	let isChanged = false;
	for (const node of graph.nodes) {
		const found = signedInputs(node, tensors);
		if (found === undefined) continue;
		const { at, zero } = found;
		const made = at.map((index) => unsignedTensor(tensors.get(node.inputs[index] ?? ''), names));
		const hasWeight = names.has(unsignedName(node.inputs[at[0] as number] as string));
		if (!hasWeight || made.includes(undefined)) continue;
		isChanged = true;
		for (const [index, tensor] of made.entries()) {
			if (tensor === undefined) continue;
			added.set(tensor.name, tensor);
			node.inputs[at[index] as number] = tensor.name;
		}
		if (at.length > 1) continue;
		while (node.inputs.length < zero) node.inputs.push('');
		node.inputs[zero] = middle;
		added.set(middle, scalarTensor(middle, 'uint8', shift));
	}
	if (!isChanged) return 'no product has signed weights';
	pushAll(graph.initializers, added.values());
	return undefined;
}

/** What stands for it in the graph; `undefined` when it would have to be given and is not. */
function unsignedTensor(
	tensor: OnnxTensor | undefined,
	names: ReadonlySet<string>,
): OnnxTensor | undefined {
	if (tensor === undefined) return undefined;
	const header = readTensorHeader(tensor.bytes);
	const name = unsignedName(header.name);
	const { dims, raw, external } = header;
	const own = { name, dims, dataType: uint8 };
	if (raw !== undefined) {
		const bytes = Uint8Array.from(raw);
		flip(bytes);
		return tensorFromHeader({ ...own, raw: bytes });
	}
	if (external === undefined || !names.has(name)) return undefined;
	// Beyond the end of its file: a session that is not given the weights must fail, not take the signed ones.
	return externalTensor(own, { ...external, offset: beyondFiles });
}
