/** Reads embeddings, scores and completions that another engine sends. Nothing in them is trusted. */

import { isRecord } from '../../protocol/errorBody.ts';

type JsonFields = Readonly<Record<string, unknown>>;

/** @returns one vector per input, in their order; `undefined` where one is missing, doubled or of another width */
export function vectorsOf({ data }: JsonFields, inputs: number): Float32Array[] | undefined {
	if (!Array.isArray(data) || data.length !== inputs) return undefined;
	const vectors: (Float32Array | undefined)[] = Array.from({ length: inputs }, () => undefined);
	for (const [place, each] of data.entries()) {
		if (!isRecord(each)) return undefined;
		const index = Number(each['index'] ?? place);
		const vector = vectorOf(each['embedding']);
		if (!(index in vectors) || vectors[index] !== undefined || vector === undefined)
			return undefined;
		vectors[index] = vector;
	}
	const found = vectors.filter((vector) => vector !== undefined);
	return found.every(({ length }) => length === found[0]?.length) ? found : undefined;
}

function vectorOf(value: unknown): Float32Array | undefined {
	if (!Array.isArray(value) || value.length === 0) return undefined;
	return value.every((each) => typeof each === 'number') ? Float32Array.from(value) : undefined;
}

export interface UpstreamRank {
	readonly index: number;
	readonly score: number;
}

/** @returns best first; `undefined` where a place is no document's or named twice */
export function ranksOf(answer: JsonFields, documents: number): UpstreamRank[] | undefined {
	const listed = answer['results'] ?? answer['data'];
	if (!Array.isArray(listed)) return undefined;
	const ranks = listed.flatMap((each: unknown) => {
		if (!isRecord(each)) return [];
		const [index, score] = [each['index'], each['relevance_score'] ?? each['score']];
		if (!Number.isInteger(index) || typeof score !== 'number') return [];
		return Number(index) >= 0 && Number(index) < documents ? [{ index: Number(index), score }] : [];
	});
	const places = new Set(ranks.map(({ index }) => index));
	if (ranks.length !== listed.length || places.size !== ranks.length) return undefined;
	return ranks.sort((left, right) => right.score - left.score || left.index - right.index);
}

/** A piece of one choice of a plain completion. */
export interface UpstreamText {
	readonly index: number;
	readonly text: string;
	readonly reason?: 'stop' | 'length';
}

/** The pieces of an object, those of choices that were not asked for left out. */
export function textPiecesOf({ choices: listed }: JsonFields, choices: number): UpstreamText[] {
	if (!Array.isArray(listed)) return [];
	return listed.flatMap((each: unknown) => {
		if (!isRecord(each)) return [];
		const index = Number(each['index'] ?? 0);
		if (!Number.isInteger(index) || index < 0 || index >= choices) return [];
		const { text, finish_reason: reason } = each;
		return [
			{
				index,
				text: typeof text === 'string' ? text : '',
				...(typeof reason === 'string' && reason !== ''
					? { reason: reason === 'length' ? ('length' as const) : ('stop' as const) }
					: {}),
			},
		];
	});
}
