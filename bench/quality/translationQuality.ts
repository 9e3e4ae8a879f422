/**
 * Translation quality of a model folder through the product's own engine: BLEU, chrF, share of accepted
 * translations, placeholders kept and speed, per set and direction. Sets are `NAME.en-XX.tsv` files, the last two columns are
 * the English and the other text.
 */

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { EngineModel } from '../../server/engine/api.ts';
import { loadEngine } from '../../server/engine/engine.ts';
import { plainBlock } from '../../server/translate/plainBlock.ts';
import { translateBlocks } from '../../server/translate/translateBlocks.ts';
import { acceptedShare } from './accepted.ts';
import { corpusBleu } from './corpusBleu.ts';
import { corpusChrf } from './corpusChrf.ts';

export interface QualityOptions {
	/** Model folder in the hub layout. */
	readonly model: string;
	/** Folders that hold the sets; a set is taken from the first folder that has it. */
	readonly folders: readonly string[];
	readonly sets: readonly string[];
	readonly languages: readonly string[];
	/** Sentences per set; 0 = all. */
	readonly limit: number;
	/** Straight to the engine, without the product's masking of code and placeholders. */
	readonly raw: boolean;
	readonly threads?: number;
}

export interface QualityRow {
	readonly set: string;
	readonly direction: string;
	readonly sentences: number;
	readonly bleu: number;
	readonly chrf: number;
	/** Share of the sources whose translation is exactly one that the set gives; means something for labels only. */
	readonly accepted: number;
	/** Share of the sentences with placeholders whose placeholders all came through; undefined without any. */
	readonly placeholdersKept: number | undefined;
	readonly wordsPerSecond: number;
	readonly samples: readonly {
		readonly source: string;
		readonly output: string;
		readonly reference: string;
	}[];
}

const placeholder =
	/%(?:\d+\$)?[sdif]\b|\{[^{}\s]*\}|`[^`]+`|https?:\/\/[^\s<>"')\]]+|\b[A-Z]{2,8}\d{3,5}\b/g;

function placeholders(text: string): string {
	return [...text.matchAll(placeholder)]
		.map(([match]) => match)
		.sort()
		.join('\n');
}

async function readPairs(path: string): Promise<[string, string][] | undefined> {
	let text: string;
	try {
		text = await readFile(path, 'utf8');
	} catch {
		return undefined;
	}
	return text
		.split('\n')
		.filter((line) => line.includes('\t'))
		.map((line) => line.split('\t').slice(-2) as [string, string]);
}

/** Translates texts in order; batches of 32 keep the engine busy without holding everything. */
async function translateAll(
	engine: EngineModel,
	texts: readonly string[],
	source: string,
	target: string,
	raw: boolean,
): Promise<string[]> {
	const straight = async (sentences: readonly string[]) => {
		const { outputs } = await engine.seq2seq({
			items: sentences.map((text) => ({ text, sourceLanguage: source, targetLanguage: target })),
			beams: 1,
			priority: 'batch',
		});
		return outputs.map(({ text }) => ({ text }));
	};
	const results: string[] = [];
	for (let start = 0; start < texts.length; start += 32) {
		const part = texts.slice(start, start + 32);
		if (raw) {
			for (const { text } of await straight(part)) results.push(text);
			continue;
		}
		const documents = await Promise.all(
			part.map((text) =>
				translateBlocks([plainBlock(text)], straight, {
					source,
					target,
					links: false,
					maxSentence: 400,
				}),
			),
		);
		for (const { text } of documents) results.push(text);
	}
	return results;
}

/** Scores every set in both directions of every language; calls back after each. */
export async function translationQuality(
	options: QualityOptions,
	onRow: (row: QualityRow) => void,
): Promise<QualityRow[]> {
	const engine = await loadEngine({
		folder: options.model,
		...(options.threads === undefined ? {} : { threads: options.threads }),
	});
	const rows: QualityRow[] = [];
	try {
		for (const set of options.sets) {
			for (const language of options.languages) {
				let pairs: [string, string][] | undefined;
				for (const folder of options.folders)
					pairs ??= await readPairs(join(folder, `${set}.en-${language}.tsv`));
				if (!pairs) continue;
				if (options.limit > 0) pairs = pairs.slice(0, options.limit);
				for (const reverse of [false, true]) {
					const sources = pairs.map((pair) => pair[reverse ? 1 : 0]);
					const references = pairs.map((pair) => pair[reverse ? 0 : 1]);
					const [from, to] = reverse ? [language, 'en'] : ['en', language];
					const began = performance.now();
					const outputs = await translateAll(engine, sources, from, to, options.raw);
					const seconds = (performance.now() - began) / 1000;
					const holding = sources
						.map(placeholders)
						.map((wanted, index) => ({ wanted, index }))
						.filter(({ wanted }) => wanted !== '');
					const kept = holding.filter(
						({ wanted, index }) => placeholders(outputs[index] ?? '') === wanted,
					);
					const row: QualityRow = {
						set,
						direction: `${from}-${to}`,
						sentences: pairs.length,
						bleu: corpusBleu(outputs, references),
						chrf: corpusChrf(outputs, references),
						accepted: acceptedShare(sources, outputs, references),
						placeholdersKept: holding.length === 0 ? undefined : kept.length / holding.length,
						wordsPerSecond:
							sources.reduce((sum, text) => sum + text.split(/\s+/).length, 0) / seconds,
						samples: sources.slice(0, 20).map((text, index) => ({
							source: text,
							output: outputs[index] ?? '',
							reference: references[index] ?? '',
						})),
					};
					rows.push(row);
					onRow(row);
				}
			}
		}
	} finally {
		await engine.close();
	}
	return rows;
}
