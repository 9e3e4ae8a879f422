/**
 * Language identification: script rules first, then fastText's lid.176 restricted to the languages
 * of the interface. Code and placeholders are not looked at.
 */

import { readFile } from 'node:fs/promises';
import { getFastTextClass, getFastTextModule } from 'fasttext.wasm.js';
import { assetPath } from './asset.ts';
import { commonWordShares } from './commonWords.ts';
import { canonicalLanguage, primaryLanguage, scriptOf } from './languageCodes.ts';
import { readableWords } from './readableWords.ts';
import { countScripts, languageOfScripts } from './scriptRules.ts';

export interface DetectedLanguage {
	readonly language: string;
	/** 0…1; exactly 1 when there is no doubt, 0 when nothing could be told. */
	readonly score: number;
	readonly alternatives: readonly { readonly language: string; readonly score: number }[];
}

export type LanguageDetector = (text: string) => Promise<DetectedLanguage>;

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
		const found = fastText.ft.predict(text, 8, 0);
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

/** The detector of the product. Loads its model (18 MB) when it first needs it. */
export const detectLanguage: LanguageDetector = async (text) => {
	const words = readableWords(text);
	const counts = countScripts(words);
	if (counts.length === 0) return { language: 'en', score: 0, alternatives: [] };
	const byScript = languageOfScripts(counts, words);
	if (byScript === 'Hani')
		return { language: await chineseScript(words), score: 1, alternatives: [] };
	if (byScript !== undefined) return { language: byScript, score: 1, alternatives: [] };
	loading ??= loadModel();
	const predict = await loading;
	const script = counts[0]?.script ?? 'Latn';
	const scores = new Map<string, number>();
	for (const { language, probability } of predict(words.toLowerCase())) {
		const code = canonicalLanguage(renamed.get(language) ?? language);
		if (code === undefined || !fits(code, script)) continue;
		const own = code === 'sr-Cyrl' && script === 'Latn' ? 'sr-Latn' : code;
		scores.set(own, (scores.get(own) ?? 0) + probability);
	}
	for (const [language, share] of commonWordShares(words))
		scores.set(language, (scores.get(language) ?? 0) + 2 * share);
	const total = Math.max(
		[...scores.values()].reduce((sum, score) => sum + score, 0),
		0.35,
	);
	const ranked = [...scores]
		.map(([language, score]) => ({ language, score: calibrated(score / total, words.length) }))
		.sort((a, b) => b.score - a.score);
	const [first, ...others] = ranked;
	if (!first) return { language: 'en', score: 0, alternatives: [] };
	return { ...first, alternatives: others.filter(({ score }) => score >= 0.1).slice(0, 3) };
};

/**
 * Share of the probability among possible languages → what callers expect of a score: clean text of
 * some length is certain, and certainty is exactly 1.
 */
function calibrated(share: number, length: number): number {
	const limit = length >= 24 ? 0.62 : length >= 12 ? 0.72 : 0.85;
	if (share >= limit) return 1;
	return Math.round(Math.max(0, share) * 100) / 100;
}

const shared: ReadonlyMap<string, readonly string[]> = new Map(
	Object.entries<readonly string[]>({
		Arab: ['Arab'],
		Cyrl: ['Cyrl'],
		Deva: ['Deva'],
		Ethi: ['Ethi'],
	}),
);

function fits(code: string, script: string): boolean {
	const own = scriptOf(code);
	const wanted = shared.get(script);
	if (wanted) return wanted.includes(own) || (script === 'Cyrl' && code === 'sr-Cyrl');
	if (script === 'Latn')
		return own === 'Latn' || primaryLanguage(code) === 'sr' || code === 'az' || code === 'ku';
	return own === script;
}

let simplify: ((text: string) => string) | undefined;

/** Simplified unless characters occur that only traditional writing has. */
async function chineseScript(text: string): Promise<string> {
	if (!simplify) {
		const { Converter } = await import('opencc-js/t2cn');
		simplify = Converter({ from: 't', to: 'cn' });
	}
	const other = [...simplify(text)];
	const changed = [...text].filter((character, index) => character !== other[index]).length;
	if (/[嘅咗嚟喺哋冇啲佢唔乜]/u.test(text) && changed > 0) return 'yue';
	return changed > 0 ? 'zh-Hant' : 'zh-Hans';
}
