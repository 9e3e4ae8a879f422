/** Which languages a translation model translates, and how it wants to be told: from its files. */

import { readModelJson } from '../hub/modelData/readModelFile.ts';
import { canonicalLanguage } from './languageCodes.ts';

/** How a model is told the languages. */
export interface ModelLanguages {
	readonly family: 'marian' | 'm2m100' | 'nllb' | 'other';
	/** Canonical source language → the model's own code. */
	readonly sources: ReadonlyMap<string, string>;
	/** Canonical target language → the model's own code. */
	readonly targets: ReadonlyMap<string, string>;
	/** Whether the model must be told the languages (`>>de<<`, `__de__`, `deu_Latn`). */
	readonly tagged: { readonly source: boolean; readonly target: boolean };
	/** Tokens of source text the model can read. */
	readonly contextLength: number;
	/** Made for one direction only. */
	readonly bilingual: boolean;
	/** `en-de` …: the only pairs it was trained on, where its config.json says so (`language_pairs`). */
	readonly pairs?: ReadonlySet<string>;
}

type Json = Readonly<Record<string, unknown>>;

async function readJsonFile(folder: string, name: string): Promise<Json> {
	try {
		return (await readModelJson(folder, name)) ?? {};
	} catch {
		return {};
	}
}

const text = (value: unknown): string | undefined =>
	typeof value === 'string' ? value : undefined;

/** ISO 639-3 codes that hub models use and that differ from the two-letter ones. */
const threeLetter: ReadonlyMap<string, string> = new Map(
	Object.entries({
		eng: 'en',
		deu: 'de',
		fra: 'fr',
		spa: 'es',
		ita: 'it',
		por: 'pt',
		nld: 'nl',
		rus: 'ru',
		ukr: 'uk',
		pol: 'pl',
		ces: 'cs',
		slk: 'sk',
		slv: 'sl',
		hrv: 'hr',
		bul: 'bg',
		mkd: 'mk',
		ron: 'ro',
		hun: 'hu',
		fin: 'fi',
		est: 'et',
		lav: 'lv',
		lit: 'lt',
		swe: 'sv',
		dan: 'da',
		nob: 'nb',
		nno: 'nb',
		isl: 'is',
		gle: 'ga',
		cym: 'cy',
		eus: 'eu',
		cat: 'ca',
		glg: 'gl',
		ell: 'el',
		tur: 'tr',
		ara: 'ar',
		heb: 'he',
		pes: 'fa',
		fas: 'fa',
		hin: 'hi',
		ben: 'bn',
		urd: 'ur',
		tam: 'ta',
		tel: 'te',
		kan: 'kn',
		mal: 'ml',
		mar: 'mr',
		guj: 'gu',
		pan: 'pa',
		tha: 'th',
		vie: 'vi',
		ind: 'id',
		zsm: 'ms',
		msa: 'ms',
		tgl: 'fil',
		jpn: 'ja',
		kor: 'ko',
		zho: 'zh-Hans',
		cmn: 'zh-Hans',
		cmn_Hans: 'zh-Hans',
		cmn_Hant: 'zh-Hant',
		jap: 'ja',
		hye: 'hy',
		kat: 'ka',
		aze: 'az',
		azj: 'az',
		kaz: 'kk',
		kir: 'ky',
		uzb: 'uz',
		uzn: 'uz',
		tat: 'tt',
		afr: 'af',
		swa: 'sw',
		swh: 'sw',
		sqi: 'sq',
		als: 'sq',
		bel: 'be',
		mlt: 'mt',
		epo: 'eo',
		amh: 'am',
		som: 'so',
		zul: 'zu',
		xho: 'xh',
		yor: 'yo',
		ibo: 'ig',
		hau: 'ha',
		srp: 'sr-Cyrl',
		bos: 'bs',
		npi: 'ne',
		nep: 'ne',
		sin: 'si',
		khm: 'km',
		lao: 'lo',
		mya: 'my',
		khk: 'mn-Cyrl',
		mon: 'mn-Cyrl',
		pbt: 'ps',
		ory: 'or',
		asm: 'as',
		snd: 'sd',
		tgk: 'tg',
		tuk: 'tk',
		uig: 'ug',
		bod: 'bo',
		ckb: 'ku',
		kmr: 'kmr',
		plt: 'mg',
		mri: 'mi',
		smo: 'sm',
		fij: 'fj',
		hat: 'ht',
		kin: 'rw',
		run: 'run',
		sna: 'sn',
		sot: 'st',
		tsn: 'tn',
		nso: 'nso',
		lug: 'lg',
		lin: 'ln',
		nya: 'nya',
		tir: 'ti',
		fao: 'fo',
		yue: 'yue',
		bak: 'ba',
		mai: 'mai',
		bho: 'bho',
	}),
);

/** NLLB's `zho_Hans`, a hub's `eng`, `pt_BR` → canonical code. */
export function fromModelCode(code: string): string | undefined {
	const [language = '', script] = code.split('_');
	if (language === 'yue') return 'yue';
	if (script === 'Hans' || script === 'Hant') return `zh-${script}`;
	if (language === 'srp' || language === 'sr') return script === 'Latn' ? 'sr-Latn' : 'sr-Cyrl';
	return threeLetter.get(code) ?? threeLetter.get(language) ?? canonicalLanguage(language);
}

function codeMap(codes: readonly string[]): Map<string, string> {
	const map = new Map<string, string>();
	for (const code of codes) {
		const language = fromModelCode(code);
		if (language !== undefined && !map.has(language)) map.set(language, code);
	}
	return map;
}

/** Content of the special tokens of a folder that match a pattern with one group. */
async function tokensLike(folder: string, pattern: RegExp): Promise<string[]> {
	const found = new Set<string>();
	const collect = (token: unknown): void => {
		const code = pattern.exec(text(token) ?? '')?.[1];
		if (code !== undefined) found.add(code);
	};
	for (const token of Object.keys(await readJsonFile(folder, 'vocab.json'))) collect(token);
	const special = (await readJsonFile(folder, 'special_tokens_map.json'))[
		'additional_special_tokens'
	];
	if (Array.isArray(special)) for (const token of special) collect(token);
	const config = await readJsonFile(folder, 'tokenizer_config.json');
	const more = config['additional_special_tokens'];
	if (Array.isArray(more)) for (const token of more) collect(token);
	if (found.size > 0) return [...found];
	const added = (await readJsonFile(folder, 'tokenizer.json'))['added_tokens'];
	if (Array.isArray(added)) for (const token of added) collect((token as Json)['content']);
	return [...found];
}

/**
 * Languages of a model folder. Bilingual Marian models say theirs in tokenizer_config.json or in
 * their name (`opus-mt-en-de`); multilingual ones by their `>>xx<<`, `__xx__` or `xxx_Xxxx` tokens.
 */
export async function readModelLanguages(folder: string, name: string): Promise<ModelLanguages> {
	const config = await readJsonFile(folder, 'config.json');
	const tokenizer = await readJsonFile(folder, 'tokenizer_config.json');
	const type = text(config['model_type']) ?? '';
	const tokenizerClass = text(tokenizer['tokenizer_class']) ?? '';
	const contextLength = Number(config['max_position_embeddings'] ?? 512) || 512;
	const untagged = { source: false, target: false };

	if (type === 'm2m_100' || type === 'm2m100') {
		const nllb = /nllb/i.test(tokenizerClass) || /nllb/i.test(name);
		const codes = await tokensLike(
			folder,
			nllb ? /^([a-z]{3}_[A-Z][a-z]{3})$/ : /^__([a-z]{2,3})__$/,
		);
		const map = codeMap(codes);
		return {
			family: nllb ? 'nllb' : 'm2m100',
			contextLength,
			sources: map,
			targets: map,
			tagged: { source: true, target: true },
			bilingual: false,
		};
	}
	const named = /(?:^|[-_/])([a-z]{2,3}(?:_[A-Z]\w+)?)-([a-z]{2,3}(?:_[A-Z]\w+)?)(?:[-_.:]|$)/.exec(
		name.replace(/^.*(?:opus-mt|opus|marian|translate)(?:-tc)?(?:-big|-base|-tiny)?-/, '-'),
	);
	const sourceCode = text(tokenizer['source_lang']) ?? named?.[1] ?? '';
	const targetCode = text(tokenizer['target_lang']) ?? named?.[2] ?? '';
	const tags = await tokensLike(folder, /^>>([A-Za-z_-]+)<<$/);
	const tagged = codeMap(tags);
	const source = fromModelCode(sourceCode);
	const target = fromModelCode(targetCode);
	if (tagged.size > 0) {
		// "mul" and group names ("roa", "ine") stand for every language the tokens name.
		const sources =
			source === undefined ? new Map([['en', 'en'], ...tagged]) : new Map([[source, sourceCode]]);
		const targets = new Map([...tagged].filter(([code]) => code !== source));
		const pairs = config['language_pairs'];
		return {
			family: 'marian',
			contextLength,
			sources,
			targets,
			tagged: { source: false, target: true },
			bilingual: false,
			...(Array.isArray(pairs) ? { pairs: new Set(pairs.map(String)) } : {}),
		};
	}
	const known = source !== undefined && target !== undefined;
	return {
		contextLength,
		tagged: untagged,
		family: type === 'marian' ? 'marian' : 'other',
		sources: known ? new Map([[source, sourceCode]]) : new Map(),
		targets: known ? new Map([[target, targetCode]]) : new Map(),
		bilingual: true,
	};
}

/** Whether a model translates a pair. */
export function translates(model: ModelLanguages, source: string, target: string): boolean {
	return (
		source !== target &&
		model.sources.has(source) &&
		model.targets.has(target) &&
		(model.pairs === undefined || model.pairs.has(`${source}-${target}`))
	);
}
