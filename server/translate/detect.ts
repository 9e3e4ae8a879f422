/**
 * Language identification: script rules first, then fastText's lid.176 restricted to the languages
 * of the interface. Code and placeholders are not looked at.
 */

import { readFile } from 'node:fs/promises';
import { getFastTextClass, getFastTextModule } from 'fasttext.wasm.js';
import { assetPath } from './asset.ts';
import { commonWordShares, isShared } from './commonWords.ts';
import type { LanguageDetector } from './detectedLanguage.ts';
import { hanLanguage } from './hanLanguage.ts';
import { canonicalLanguage, primaryLanguage, scriptOf } from './languageCodes.ts';
import { hasLetters, lettersOf } from './languageLetters.ts';
import { readableWords } from './readableWords.ts';
import { countScripts, languageOfScripts } from './scriptRules.ts';

type Predict = (text: string) => { language: string; probability: number }[];

let loading: Promise<Predict> | undefined;

async function loadModel(): Promise<Predict> {
	const model = assetPath(
		'data/translate/lid.176.ftz',
		'fasttext.wasm.js/dist/models/language-identification/assets/lid.176.ftz',
	);
	const wasm = assetPath(
		'data/translate/fastText.node.wasm',
		'fasttext.wasm.js/dist/core/fastText.node.wasm',
	);
	const FastText = await getFastTextClass({
		getFastTextModule: () => getFastTextModule({ wasmPath: wasm }),
	});
	const fastText = new FastText();
	fastText.fs.writeFile('lid.ftz', new Uint8Array(await readFile(model)));
	fastText.ft.loadModel('lid.ftz');
	return (text) => {
		const found = fastText.ft.predict(text, 40, 0);
		const rows: { language: string; probability: number }[] = [];
		for (let index = 0; index < found.size(); index++) {
			const [probability, label] = found.get(index);
			rows.push({
				language: String(label).replace('__label__', ''),
				probability: Number(probability),
			});
		}
		return rows;
	};
}

/** Codes of the model that mean another code here. */
const renamed: ReadonlyMap<string, string> = new Map(
	Object.entries<string>({
		no: 'nb',
		nn: 'nb',
		sh: 'hr',
		als: 'de',
		arz: 'ar',
		azb: 'az',
		ckb: 'ku',
		pnb: 'pa',
		yue: 'yue',
		wuu: 'zh-Hans',
	}),
);

/** Languages programs are mostly translated into; of a few letters, those of the others are hardly in them. */
const frequent = new Set(
	(
		'en de fr es it pt nl sv da nb fi et lv lt pl cs sk hu ro hr sl tr ca id vi ru uk bg sr-Cyrl el he ar fa hi mr th ja ' +
		'ko zh-Hans zh-Hant bn ta te kn ml gu pa ur'
	).split(' '),
);
/** Those that are close to one of them, and less often meant. */
const close = new Set('ms bs sr-Latn mk gl eu af is sq az kk ne fil be'.split(' '));

/** Letters from which on a text says enough by itself. */
const enoughLetters = 40;

/** How much a guess of the model counts where a text is short: `letters` of it. */
function weightOf(language: string, letters: number, likely: ReadonlySet<string>): number {
	if (letters >= enoughLetters) return 1;
	const usual = frequent.has(language) ? 1 : close.has(language) ? 0.45 : 0.15;
	const weight = likely.size === 0 || likely.has(language) ? usual : usual / 20;
	const rest = letters / enoughLetters;
	return weight + (1 - weight) * rest * rest;
}

/**
 * The detector of the product. Loads its model (18 MB) when it first needs it.
 *
 * @param likely Canonical codes of languages that a short text is rather in: its neighbours', or those that
 *   models here read.
 */
export const detectLanguage: LanguageDetector = async (text, likely = []) => {
	const words = readableWords(text);
	const counts = countScripts(words);
	if (counts.length === 0) return { language: 'en', score: 0, alternatives: [] };
	const byScript = languageOfScripts(counts, words);
	if (byScript === 'Hani') return hanLanguage(words, likely);
	if (byScript !== undefined) return { language: byScript, score: 1, alternatives: [] };
	loading ??= loadModel();
	const predict = await loading;
	const script = counts[0]?.script ?? 'Latn';
	const expected = new Set(likely);
	const letters = lettersOf(words);
	const judged = (language: string): number =>
		weightOf(language, words.length, expected) * (hasLetters(language, letters) ? 1 : 0.1);
	const scores = new Map<string, number>();
	for (const { language, probability } of predict(words.toLowerCase())) {
		const code = canonicalLanguage(renamed.get(language) ?? language);
		if (code === undefined || !fits(code, script)) continue;
		const own = code === 'sr-Cyrl' && script === 'Latn' ? 'sr-Latn' : code;
		scores.set(own, (scores.get(own) ?? 0) + probability * judged(own));
	}
	const shares = commonWordShares(words);
	for (const [language, share] of shares)
		if (fits(language, script))
			scores.set(language, (scores.get(language) ?? 0) + 2 * share * judged(language));
	// What the model has no idea of is in a likely language, if in any.
	if (words.length < enoughLetters)
		for (const language of likely)
			if (fits(language, script))
				scores.set(language, (scores.get(language) ?? 0) + 0.05 * judged(language));
	const total = Math.max(
		[...scores.values()].reduce((sum, score) => sum + score, 0),
		0.35,
	);
	const ranked = [...scores]
		.map(([language, score]) => ({ language, share: score / total }))
		.sort((a, b) => b.share - a.share);
	const [first, second] = ranked;
	if (!first) return { language: 'en', score: 0, alternatives: [] };
	// One little word is in many languages, two are not.
	const little = shares.get(first.language) ?? 0;
	const hasLittle =
		words.length >= minCertain && little >= 0.4 && little * words.split(/\s+/).length > 1;
	const isLong = words.length >= enoughLetters || hasLittle;
	const mayBeTwin = close.has(first.language) && words.length < enoughLetters;
	const isClear =
		!mayBeTwin &&
		((isLong && first.share >= clearShare) ||
			(words.length >= clearLetters && first.share >= clearShareOfShort));
	const most = isShared(words, first.language) ? 0.5 : 1;
	return {
		language: first.language,
		score: Math.min(most, calibrated(first.share, second?.share ?? 0, isClear)),
		alternatives: ranked
			.slice(1)
			.filter(({ share }) => share >= 0.1)
			.slice(0, 3)
			.map(({ language, share }) => ({ language, score: rounded(share) })),
	};
};

/**
 * Share of the probability among possible languages → what callers expect of a score: clean text of
 * some length is certain, and certainty is exactly 1. A few letters, or two languages that remain, are not.
 */
function calibrated(share: number, second: number, isClear: boolean): number {
	if (isClear && second < 0.2) return 1;
	return Math.min(0.95, rounded(share));
}

/** Letters and spaces from which on one language alone may remain, and those with several of its little words. */
const clearLetters = 24;
const minCertain = 12;
/** Share of the probability that a language then needs: what is short and half foreign has less. */
const clearShare = 0.62;
const clearShareOfShort = 0.8;

const rounded = (share: number): number => Math.round(Math.max(0, share) * 100) / 100;

function fits(code: string, script: string): boolean {
	const own = scriptOf(code);
	if (script === 'Cyrl') return own === 'Cyrl' || code === 'sr-Cyrl';
	if (script === 'Latn')
		return own === 'Latn' || primaryLanguage(code) === 'sr' || code === 'az' || code === 'ku';
	return own === script;
}
