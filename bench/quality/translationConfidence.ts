/**
 * How well what a model thinks of its own translations tells how good they are: for each sentence of the evaluation
 * sets its mean log-probability, lengths and chrF. `npm run bench -- quality confidence` prints the least-squares fit that `qualityEstimate.ts` holds for the
 * built-in model, how it ranks sentences, and what a limit leaves out.
 */

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { loadEngine } from '../../server/engine/engine.ts';
import { qualityFeatures } from '../../server/translate/qualityEstimate.ts';
import { corpusChrf } from './corpusChrf.ts';

export interface ConfidenceOptions {
	readonly model: string;
	readonly folders: readonly string[];
	readonly sets: readonly string[];
	readonly languages: readonly string[];
	/** Sentences per set and direction; 0 = all. */
	readonly limit: number;
	readonly threads?: number;
}

interface Sentence {
	readonly set: string;
	readonly direction: string;
	readonly features: readonly number[];
	/** 0…1. */
	readonly chrf: number;
}

export interface ConfidenceResult {
	readonly sentences: number;
	readonly weights: readonly number[];
	/** Of sentences that the fit has not seen: Pearson's r, Spearman's rho, mean error. */
	readonly pearson: number;
	readonly spearman: number;
	readonly meanError: number;
	/** Tenths by estimate: mean estimate and mean chrF. */
	readonly tenths: readonly { readonly estimate: number; readonly chrf: number }[];
	/** Share below a limit, and mean chrF below and above it. */
	readonly limits: readonly {
		readonly limit: number;
		readonly share: number;
		readonly below: number;
		readonly above: number;
	}[];
}

export async function translationConfidence(options: ConfidenceOptions): Promise<ConfidenceResult> {
	const sentences = await measured(options);
	// Every second sentence is for the fit, the others for what is said of it.
	const weights = leastSquares(sentences.filter((_, index) => index % 2 === 0));
	const other = sentences
		.filter((_, index) => index % 2 === 1)
		.map(({ features, chrf }) => ({ estimate: product(weights, features), chrf }))
		.sort((a, b) => a.estimate - b.estimate);
	const [estimates, scores] = [
		other.map(({ estimate }) => estimate),
		other.map(({ chrf }) => chrf),
	];
	const tenths = Array.from({ length: 10 }, (_, tenth) => {
		const part = other.slice((tenth * other.length) / 10, ((tenth + 1) * other.length) / 10);
		return {
			estimate: mean(part.map((one) => one.estimate)),
			chrf: mean(part.map((one) => one.chrf)),
		};
	});
	const limits = [0.15, 0.2, 0.25, 0.3, 0.35, 0.4].map((limit) => {
		const below = other.filter(({ estimate }) => estimate < limit);
		const above = other.filter(({ estimate }) => estimate >= limit);
		return {
			...{ limit, share: below.length / other.length },
			...{ below: mean(below.map(({ chrf }) => chrf)), above: mean(above.map(({ chrf }) => chrf)) },
		};
	});
	return {
		...{ sentences: sentences.length, weights, tenths, limits },
		pearson: correlation(estimates, scores),
		spearman: correlation(ranks(estimates), ranks(scores)),
		meanError: mean(other.map(({ estimate, chrf }) => Math.abs(estimate - chrf))),
	};
}

/** Prints the figures as docs/translation.md has them. */
export function printConfidence(found: ConfidenceResult): void {
	const two = (value: number) => value.toFixed(2);
	console.log(`sentences ${found.sentences}, half of them for the fit; of the others:`);
	console.log(
		`r ${two(found.pearson)}, rank correlation ${two(found.spearman)}, mean error ${two(found.meanError)}`,
	);
	console.log(`weights ${found.weights.map((weight) => weight.toFixed(4)).join(', ')}`);
	console.log(`tenths, estimate  ${found.tenths.map(({ estimate }) => two(estimate)).join('  ')}`);
	console.log(`        chrF      ${found.tenths.map(({ chrf }) => two(chrf)).join('  ')}`);
	for (const { limit, share, below, above } of found.limits)
		console.log(
			`below ${two(limit)}: ${(100 * share).toFixed(0)} %, chrF ${two(below)}; above ${two(above)}`,
		);
}

async function measured(options: ConfidenceOptions): Promise<Sentence[]> {
	const { model, threads } = options;
	const engine = await loadEngine({ folder: model, ...(threads === undefined ? {} : { threads }) });
	const found: Sentence[] = [];
	try {
		for (const set of options.sets)
			for (const language of options.languages) {
				const rows = await pairsOf(options.folders, `${set}.en-${language}.tsv`);
				const pairs = options.limit > 0 ? rows.slice(0, options.limit) : rows;
				for (const reverse of [false, true]) {
					const [source, target] = reverse ? [language, 'en'] : ['en', language];
					for (let at = 0; at < pairs.length; at += 32) {
						const part = pairs.slice(at, at + 32).map(([a, b]) => (reverse ? [b, a] : [a, b]));
						const { outputs } = await engine.seq2seq({
							items: part.map(([text = '']) => ({
								...{ text, sourceLanguage: source, targetLanguage: target },
							})),
							priority: 'batch',
						});
						part.forEach(([text = '', reference = ''], index) => {
							const output = outputs[index];
							if (output === undefined) return;
							const { text: made, score } = output;
							const features = qualityFeatures(text, made, score, { source, target });
							const chrf = corpusChrf([made], [reference]) / 100;
							found.push({ set, direction: `${source}-${target}`, features, chrf });
						});
					}
				}
			}
	} finally {
		await engine.close();
	}
	return found;
}

async function pairsOf(folders: readonly string[], name: string): Promise<[string, string][]> {
	for (const folder of folders) {
		const text = await readFile(join(folder, name), 'utf8').catch(() => undefined);
		if (text === undefined) continue;
		return text
			.split('\n')
			.filter((line) => line.includes('\t'))
			.map((line) => line.split('\t').slice(-2) as [string, string]);
	}
	return [];
}

/** Weights of the features, by Gaussian elimination of the normal equations. */
function leastSquares(rows: readonly Sentence[]): number[] {
	const size = rows[0]?.features.length ?? 0;
	const matrix = Array.from({ length: size }, () => new Array<number>(size + 1).fill(0));
	for (const { features, chrf } of rows)
		for (let i = 0; i < size; i++) {
			const row = matrix[i] as number[];
			for (let j = 0; j < size; j++)
				row[j] = (row[j] ?? 0) + (features[i] ?? 0) * (features[j] ?? 0);
			row[size] = (row[size] ?? 0) + (features[i] ?? 0) * chrf;
		}
	for (let i = 0; i < size; i++) {
		const pivot = matrix[i] as number[];
		for (let other = 0; other < size; other++) {
			if (other === i) continue;
			const row = matrix[other] as number[];
			const factor = (row[i] ?? 0) / (pivot[i] || 1e-9);
			for (let j = i; j <= size; j++) row[j] = (row[j] ?? 0) - factor * (pivot[j] ?? 0);
		}
	}
	return matrix.map((row, i) => (row[size] ?? 0) / (row[i] || 1e-9));
}

const product = (a: readonly number[], b: readonly number[]): number =>
	a.reduce((sum, value, index) => sum + value * (b[index] ?? 0), 0);

const mean = (values: readonly number[]): number =>
	values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;

function correlation(a: readonly number[], b: readonly number[]): number {
	const [meanA, meanB] = [mean(a), mean(b)];
	let [both, ownA, ownB] = [0, 0, 0];
	a.forEach((value, index) => {
		const [x, y] = [value - meanA, (b[index] ?? 0) - meanB];
		both += x * y;
		ownA += x * x;
		ownB += y * y;
	});
	return both / Math.sqrt(ownA * ownB || 1);
}

function ranks(values: readonly number[]): number[] {
	const order = values.map((value, index) => ({ value, index })).sort((a, b) => a.value - b.value);
	const found = new Array<number>(values.length).fill(0);
	for (const [rank, { index }] of order.entries()) found[index] = rank;
	return found;
}
