/** `nearglot models shortlist`: learns from a model's own translations which words it needs for which. */

import { modelFile } from '../hub/modelFile.ts';
import { defined } from '../protocol/defined.ts';
import { AppError } from '../protocol/index.ts';
import type { LoadOptions, ModelDescription } from './api.ts';
import { loadEngine } from './engine.ts';
import { describeModel } from './modelFiles/describe.ts';
import { generationSettings } from './modelFiles/generationSettings.ts';
import { chooseVariant } from './modelFiles/variants.ts';
import { readHeadWeights } from './seq2seq/headWeights.ts';
import { encodeItem } from './seq2seq/languageTokens.ts';
import { changedShare, learnLexicon, maxChanged, writeLexicon } from './seq2seq/lexicon.ts';
import { loadTextModel } from './text/textModel.ts';

export interface ShortlistOptions extends Pick<LoadOptions, 'folder' | 'threads'> {
	/** Sentences in the source language; every tenth is kept for the check. */
	readonly texts: readonly string[];
	readonly sourceLanguage?: string;
	readonly targetLanguage?: string;
	readonly onProgress?: (done: number, total: number) => void;
}

export interface ShortlistReport {
	readonly texts: number;
	/** Share of the texts kept for the check whose greedy translation the table would change. */
	readonly changed: number;
	/** False when that is more than one in a hundred: the table was not written. */
	readonly written: boolean;
}

const minTexts = 20;
const batchSize = 64;

/** @throws AppError `invalid_request`, `unsupported_model` */
export async function learnShortlist(
	options: ShortlistOptions,
	signal?: AbortSignal,
): Promise<ShortlistReport> {
	const { folder, texts, sourceLanguage, targetLanguage } = options;
	if (texts.length < minTexts) {
		throw new AppError(
			'invalid_request',
			`${texts.length} texts are too few to learn from; give at least ${minTexts}, better thousands.`,
		);
	}
	const { vocabularySize } = await modelWithHead(folder);
	const text = await loadTextModel(folder);
	const settings = await generationSettings(folder);
	const languages = {
		...defined({ sourceLanguage, targetLanguage }),
	};
	const engine = await loadEngine({
		folder,
		vocabularyShortlist: false,
		...defined({ threads: options.threads }),
	});
	try {
		const pairs: { source: readonly number[]; target: readonly number[] }[] = [];
		for (let at = 0; at < texts.length; at += batchSize) {
			const items = texts.slice(at, at + batchSize).map((line) => ({ text: line, ...languages }));
			const { outputs } = await engine.seq2seq({ items, beams: 1, priority: 'batch' }, signal);
			for (const [index, item] of items.entries()) {
				const { source } = encodeItem(text, item, settings.decoderStartTokenId ?? 0);
				pairs.push({ source, target: outputs[index]?.tokenIds ?? [] });
			}
			options.onProgress?.(pairs.length, texts.length);
		}
		const isKept = (_: unknown, index: number): boolean => index % 10 === 9;
		const learned = learnLexicon(
			pairs.filter((pair, index) => !isKept(pair, index)),
			vocabularySize,
		);
		const changed = changedShare(learned, pairs.filter(isKept), settings.eosTokenIds);
		const written = changed <= maxChanged;
		if (written) await writeLexicon(folder, { ...learned, changed });
		return { texts: texts.length, changed, written };
	} finally {
		await engine.close();
	}
}

/** @throws AppError `unsupported_model` when a table would not be used, before time is spent on it */
async function modelWithHead(folder: string): Promise<ModelDescription> {
	const description = await describeModel(folder);
	const files = chooseVariant(description.variants, description.architecture)?.files ?? {};
	for (const file of [files['decoder-merged'] ?? files.decoder, files['decoder-with-past']]) {
		if (file === undefined) continue;
		if ((await readHeadWeights(await modelFile(folder, file))) !== undefined) continue;
		throw new AppError(
			'unsupported_model',
			`A table of words would not be used with this model: the head of ${file} is no matrix that can be cut, or it is larger than 160 MB.`,
		);
	}
	return description;
}
