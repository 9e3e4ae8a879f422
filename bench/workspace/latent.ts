/**
 * Vectors without a model to download: random indexing (Kanerva et al., 2000) over the chunks themselves, reflected
 * once. It stands in for an embedder where there is no network; `--model` takes a real one.
 */

import { nameParts } from '../../server/lsp/workspace/searchTerms.ts';

const dimensions = 256;

const termsOf = (text: string): string[] =>
	[...text.matchAll(/[\p{L}\p{N}]+/gu)].flatMap(([name]) =>
		nameParts(name).filter((part) => part.length > 2),
	);

/** Learns from texts; returns what makes a vector of one. */
export function learnLatent(texts: readonly string[]): (text: string) => Float32Array {
	const documents = texts.map((text) => new Set(termsOf(text)));
	const counts = new Map<string, number>();
	for (const terms of documents)
		for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + 1);
	const weight = (term: string) =>
		Math.log(documents.length / (1 + (counts.get(term) ?? documents.length)));
	const first = (term: string) => randomVector(term);
	const terms = new Map<string, Float32Array>();
	for (const document of documents) {
		const whole = sum([...document], weight, first);
		for (const term of document) {
			const vector = terms.get(term) ?? new Float32Array(dimensions);
			for (let at = 0; at < dimensions; at++) vector[at] = (vector[at] ?? 0) + (whole[at] ?? 0);
			terms.set(term, vector);
		}
	}
	const mean = new Float32Array(dimensions);
	for (const vector of terms.values()) {
		unit(vector);
		for (let at = 0; at < dimensions; at++)
			mean[at] = (mean[at] ?? 0) + (vector[at] ?? 0) / terms.size;
	}
	for (const vector of terms.values())
		for (let at = 0; at < dimensions; at++) vector[at] = (vector[at] ?? 0) - (mean[at] ?? 0);
	return (text) => sum(termsOf(text), weight, (term) => terms.get(term));
}

function sum(
	terms: readonly string[],
	weight: (term: string) => number,
	vectorOf: (term: string) => Float32Array | undefined,
): Float32Array {
	const total = new Float32Array(dimensions);
	for (const term of terms) {
		const vector = vectorOf(term);
		if (!vector) continue;
		const factor = Math.max(0, weight(term));
		for (let at = 0; at < dimensions; at++)
			total[at] = (total[at] ?? 0) + factor * (vector[at] ?? 0);
	}
	return unit(total);
}

function unit(vector: Float32Array): Float32Array {
	const length = Math.sqrt(vector.reduce((all, value) => all + value * value, 0)) || 1;
	for (let at = 0; at < dimensions; at++) vector[at] = (vector[at] ?? 0) / length;
	return vector;
}

/** Eight ones and minus ones at places that the term decides. */
function randomVector(term: string): Float32Array {
	const vector = new Float32Array(dimensions);
	let state = 2166136261;
	for (let index = 0; index < term.length; index++)
		state = Math.imul(state ^ term.charCodeAt(index), 16777619);
	for (let times = 0; times < 8; times++) {
		state = Math.imul(state ^ (state >>> 15), 2246822519) + times;
		vector[(state >>> 8) % dimensions] = state & 1 ? 1 : -1;
	}
	return vector;
}
