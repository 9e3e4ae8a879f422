/**
 * Word alignment: from the model's attention over pieces to links between words. Mutual best
 * matches first, then what is left joins its best partner; identical numbers, names and placeholders
 * are matched by what they are.
 */

import type { Span } from './sentences.ts';

/** A link between word `source` and word `target` (indices into the two lists of spans). */
export interface Link {
	readonly source: number;
	readonly target: number;
}

/** What the engine reports of one output, see `Seq2SeqOutput`. */
export interface Attention {
	readonly sourceSpans: readonly Span[];
	readonly targetSpans: readonly Span[];
	/** [target piece][source piece], row-major. */
	readonly weights: Float32Array;
}

/** How much attention each target word pays to each source word: [target][source]. */
function wordWeights(
	attention: Attention,
	sourceWords: readonly Span[],
	targetWords: readonly Span[],
): number[][] {
	const columns = attention.sourceSpans.length;
	const sourceOf = attention.sourceSpans.map((span) => owners(span, sourceWords));
	const rows = targetWords.map(() => sourceWords.map(() => 0));
	const counts = targetWords.map(() => 0);
	attention.targetSpans.forEach((span, piece) => {
		for (const word of owners(span, targetWords)) {
			const row = rows[word];
			if (!row) continue;
			counts[word] = (counts[word] ?? 0) + 1;
			for (let column = 0; column < columns; column++) {
				const weight = attention.weights[piece * columns + column] ?? 0;
				for (const source of sourceOf[column] ?? []) row[source] = (row[source] ?? 0) + weight;
			}
		}
	});
	return rows.map((row, word) => {
		const pieces = Math.max(1, counts[word] ?? 1);
		// Language tags and end tokens own no word and may drink most of the attention: what is left
		// for words counts as a whole, as long as it is more than noise.
		const onWords = row.reduce((sum, weight) => sum + weight, 0) / pieces;
		const scale = pieces * Math.max(onWords, 0.05);
		return row.map((weight) => weight / scale);
	});
}

function owners([start, end]: Span, words: readonly Span[]): number[] {
	const found: number[] = [];
	words.forEach(([from, to], index) => {
		if (from < end && start < to) found.push(index);
	});
	return found;
}

/** Whether a word is matched by identity: numbers, placeholders, punctuation, names in both texts. */
function identityKey(word: string): string | undefined {
	if (/^[\p{P}\p{S}]+$/u.test(word)) {
		const same: ReadonlyMap<string, string> = new Map(
			Object.entries<string>({ '。': '.', '！': '!', '？': '?', '，': ',', '、': ',' }),
		);
		return `p${same.get(word) ?? word.replace(/[“”„«»‘’'"]/gu, '"')}`;
	}
	if (/\p{N}|\{/u.test(word)) return `n${word}`;
	if (word.length >= 3) return `w${word}`;
	return undefined;
}

/**
 * Links of a sentence pair.
 *
 * @param attention Without it only identical words are linked.
 */
export function alignWords(
	source: string,
	target: string,
	sourceWords: readonly Span[],
	targetWords: readonly Span[],
	attention?: Attention,
): Link[] {
	const links = new Set<string>();
	const usedSource = new Set<number>();
	const usedTarget = new Set<number>();
	const link = (s: number, t: number): void => {
		links.add(`${s}:${t}`);
		usedSource.add(s);
		usedTarget.add(t);
	};

	const keys = (text: string, words: readonly Span[]): Map<string, number[]> => {
		const map = new Map<string, number[]>();
		words.forEach(([start, end], index) => {
			const key = identityKey(text.slice(start, end));
			if (key === undefined) return;
			const list = map.get(key);
			if (list) list.push(index);
			else map.set(key, [index]);
		});
		return map;
	};
	const targetKeys = keys(target, targetWords);
	for (const [key, sources] of keys(source, sourceWords)) {
		const targets = targetKeys.get(key) ?? [];
		// Only a clear correspondence is forced: as many on this side as on that.
		if (targets.length !== sources.length) continue;
		sources.forEach((s, index) => {
			const t = targets[index];
			if (t !== undefined) link(s, t);
		});
	}

	if (attention) {
		const weights = wordWeights(attention, sourceWords, targetWords);
		const isMark = (text: string, span: Span | undefined): boolean =>
			span !== undefined && /^[\p{P}\p{S}]+$/u.test(text.slice(span[0], span[1]));
		const free = (s: number): boolean => !isMark(source, sourceWords[s]);
		const bestSource = weights.map((row) => best(row, free));
		const bestTarget = sourceWords.map((_, s) =>
			best(
				weights.map((row) => row[s] ?? 0),
				(t) => !isMark(target, targetWords[t]),
			),
		);
		targetWords.forEach((span, t) => {
			const s = bestSource[t] ?? -1;
			if (usedTarget.has(t) || s < 0 || isMark(target, span)) return;
			if (bestTarget[s] === t && (weights[t]?.[s] ?? 0) > 0.1) link(s, t);
		});
		// Grow: a word without a partner joins its best one when the model is fairly sure.
		targetWords.forEach((span, t) => {
			const s = bestSource[t] ?? -1;
			if (usedTarget.has(t) || s < 0 || isMark(target, span)) return;
			if ((weights[t]?.[s] ?? 0) >= 0.3) link(s, t);
		});
		sourceWords.forEach((_, s) => {
			const t = bestTarget[s] ?? -1;
			if (usedSource.has(s) || t < 0 || !free(s)) return;
			if ((weights[t]?.[s] ?? 0) >= 0.3) link(s, t);
		});
	}
	return [...links]
		.map((key) => {
			const [s, t] = key.split(':');
			return { source: Number(s), target: Number(t) };
		})
		.sort((a, b) => a.source - b.source || a.target - b.target);
}

function best(weights: readonly number[], allowed: (index: number) => boolean): number {
	let found = -1;
	weights.forEach((weight, index) => {
		if (allowed(index) && weight > 0 && (found < 0 || weight > (weights[found] ?? 0)))
			found = index;
	});
	return found;
}
