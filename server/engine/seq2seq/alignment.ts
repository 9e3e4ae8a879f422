/** Word alignment from cross-attention: which heads, which step, and which pieces of text. */

import type { TextModel } from '../api.ts';
import { readJsonFile } from '../modelFiles/json.ts';
import type { Tensor } from '../runtime/runtime.ts';
import type { ReadAttention } from './search.ts';

/** Heads to read. */
export interface AlignmentHeads {
	/** `[layer, head]`; empty = all heads of `layers`. */
	readonly heads: readonly (readonly [layer: number, head: number])[];
	readonly layers: readonly number[];
	/**
	 * Trained alignment heads look at the source of the token being made; untrained attention looks
	 * at the source of the token just fed, so its sequences belong one step earlier (arXiv 2004.14837).
	 */
	readonly shifted: boolean;
}

/** Where word alignment comes from: cross-attention heads, or the encoder read twice. */
export type AlignmentSource = AlignmentHeads | 'encoder';

/** `alignment_heads` of a folder's generation_config.json: `[layer, head]` pairs; often none. */
export async function alignmentHeads(folder: string): Promise<(readonly [number, number])[]> {
	const config = await readJsonFile(folder, 'generation_config.json');
	const heads: unknown = config?.['alignment_heads'];
	if (!Array.isArray(heads)) return [];
	return heads.flatMap((pair: unknown) =>
		Array.isArray(pair) && Number.isInteger(pair[0]) && Number.isInteger(pair[1])
			? [[Number(pair[0]), Number(pair[1])] as const]
			: [],
	);
}

/**
 * Chooses heads: those the model names (`alignment_heads`), else the encoder where it reads every
 * language, else the lower half of the layers.
 */
export function chooseAlignment(
	named: readonly (readonly [number, number])[],
	layers: readonly number[],
	anyLanguage: boolean,
): AlignmentSource | undefined {
	const known = named.filter(([layer]) => layers.includes(layer));
	if (known.length > 0) return { heads: known, layers: [], shifted: false };
	if (anyLanguage) return 'encoder';
	if (layers.length === 0) return undefined;
	return { heads: [], layers: layers.slice(0, Math.ceil(layers.length / 2)), shifted: true };
}

/** Mean over the chosen heads of the attention of the last token fed to a sequence. */
export function attentionReader({ heads, layers }: AlignmentHeads): ReadAttention {
	return (attentions, sequence) => {
		const vectors: Float32Array[] = [];
		const read = (tensor: Tensor | undefined, head: number): void => {
			if (tensor === undefined) return;
			const [, headCount = 0, tokens = 0, positions = 0] = tensor.dims;
			const at = ((sequence * headCount + head) * tokens + tokens - 1) * positions;
			vectors.push((tensor.data as Float32Array).subarray(at, at + positions));
		};
		for (const [layer, head] of heads) read(attentions.get(layer), head);
		for (const layer of layers) {
			const tensor = attentions.get(layer);
			for (let head = 0; head < (tensor?.dims[1] ?? 0); head++) read(tensor, head);
		}
		const mean = new Float32Array(vectors[0]?.length ?? 0);
		for (const values of vectors) {
			for (let k = 0; k < mean.length; k++)
				mean[k] = (mean[k] as number) + (values[k] as number) / vectors.length;
		}
		return mean;
	};
}

/** Pieces and weights of an alignment, in the form of the engine's interface. */
export interface Alignment {
	readonly sourceSpans: (readonly [number, number])[];
	readonly targetSpans: (readonly [number, number])[];
	readonly attention: Float32Array;
}

/**
 * Builds the matrix of visible target pieces × visible source pieces; sequences sum to 1.
 * `steps[k]` is the attention of the step that made target token k.
 */
export function buildAlignment(
	steps: readonly Float32Array[],
	shifted: boolean,
	sourceOffsets: readonly (readonly [number, number])[],
	targetSpans: readonly (readonly [number, number])[],
): Alignment {
	const columns = sourceOffsets.flatMap(([start, end], index) => (end > start ? [index] : []));
	const visible = targetSpans.flatMap(([start, end], index) => (end > start ? [index] : []));
	const attention = new Float32Array(visible.length * columns.length);
	for (const [sequence, token] of visible.entries()) {
		const values = (shifted ? steps[token + 1] : undefined) ?? steps[token];
		let sum = 0;
		for (const column of columns) sum += values?.[column] ?? 0;
		for (const [k, column] of columns.entries()) {
			attention[sequence * columns.length + k] =
				sum > 0 ? (values?.[column] ?? 0) / sum : 1 / columns.length;
		}
	}
	return {
		sourceSpans: columns.map((index) => sourceOffsets[index] as readonly [number, number]),
		targetSpans: visible.map((index) => targetSpans[index] as readonly [number, number]),
		attention,
	};
}

/** UTF-16 span of every token in the decoded text, from the lengths of its beginnings. */
export function targetSpans(
	text: TextModel,
	tokenIds: readonly number[],
	length: number,
): (readonly [number, number])[] {
	let before = 0;
	return tokenIds.map((_, index) => {
		const end = Math.min(length, text.decode(tokenIds.slice(0, index + 1)).length);
		const span = [Math.min(before, end), end] as const;
		before = end;
		return span;
	});
}
