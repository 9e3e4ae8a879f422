/** The converter behind each pair of scripts of a language. Big tables are loaded when first used. */

import { cutText } from '../cutText.ts';
import type { Convert } from './convert.ts';
import { colloquialIndic, indicFromLatin } from './indic.ts';
import { chineseFromPinyin } from './pinyinInput.ts';
import { createTransforms, type TransformTable } from './rules.ts';
import {
	arabicFromLatin,
	cyrillicFromLatin,
	hebrewFromLatin,
	latinFromSemitic,
	latinFromTurkicCyrillic,
} from './scriptTables.ts';
import { latinFromThai } from './thai.ts';

let transforms: Promise<(name: string) => Convert> | undefined;

/** A transform of CLDR by its name, e.g. `Russian-Latin/BGN`. */
export async function cldrTransform(name: string): Promise<Convert> {
	transforms ??= import('./data/transforms.json', { with: { type: 'json' } }).then(
		({ default: table }) => createTransforms(table as unknown as TransformTable),
	);
	return (await transforms)(name);
}

const stripMarks: Convert = (text) =>
	text
		.normalize('NFD')
		.replace(/[\u0300-\u036F\u02B0-\u02FF·]/gu, '')
		.normalize('NFC');

/** Language → transform to Latin letters, and whether diacritics are dropped as people type it. */
const toLatin: ReadonlyMap<string, readonly [name: string, plain: boolean]> = new Map(
	Object.entries<readonly [name: string, plain: boolean]>({
		ru: ['Russian-Latin/BGN', true],
		uk: ['Ukrainian-Latin/BGN', true],
		be: ['Belarusian-Latin/BGN', true],
		bg: ['Bulgarian-Latin/BGN', true],
		kk: ['Kazakh-Latin/BGN', true],
		ky: ['Kirghiz-Latin/BGN', true],
		mk: ['Macedonian-Latin/BGN', true],
		'mn-Cyrl': ['Mongolian-Latin/BGN', true],
		'sr-Cyrl': ['Serbian-Latin/BGN', false],
		el: ['Greek-Latin/UNGEGN', true],
		ko: ['Hangul-Latin', false],
		si: ['si-si_Latn', true],
	}),
);

const indicScripts: ReadonlyMap<string, string> = new Map(
	Object.entries<string>({
		as: 'Bengali',
		bn: 'Bengali',
		gu: 'Gujarati',
		hi: 'Devanagari',
		kn: 'Kannada',
		ml: 'Malayalam',
		mr: 'Devanagari',
		ne: 'Devanagari',
		or: 'Oriya',
		pa: 'Gurmukhi',
		ta: 'Tamil',
		te: 'Telugu',
	}),
);

const arabicScript = new Set(['ar', 'fa', 'ur', 'sd']);
const chain =
	(...steps: readonly Convert[]): Convert =>
	(text) =>
		steps.reduce((value, step) => step(value), text);

/** Finds the converter; rejects pairs that the table of languages does not list. */
export async function converterFor(language: string, from: string, to: string): Promise<Convert> {
	if (language.startsWith('zh')) return chinese(from, to);
	const found = to === 'Latn' ? await intoLatin(language) : await fromLatin(language);
	if (!found) throw new Error(`No converter for ${language} from ${from} to ${to}.`);
	return found;
}

async function intoLatin(language: string): Promise<Convert | undefined> {
	const known = toLatin.get(language);
	if (known) {
		const convert = await cldrTransform(known[0]);
		return known[1] ? chain(convert, stripMarks) : (text) => convert(text).normalize('NFC');
	}
	if (language === 'ja') return japaneseLatin();
	if (language === 'th') return latinFromThai;
	if (language === 'tg' || language === 'tt') return latinFromTurkicCyrillic(language);
	if (arabicScript.has(language) || language === 'he') return latinFromSemitic(language);
	const script = indicScripts.get(language);
	if (script === undefined) return undefined;
	return chain(await cldrTransform(`${script}-Latin`), colloquialIndic(language));
}

async function fromLatin(language: string): Promise<Convert | undefined> {
	if (language === 'ja') {
		const { toHiragana } = await import('wanakana');
		return inPieces((text) => toHiragana(text, { passRomaji: false }));
	}
	if (language === 'ko') return cldrTransform('Latin-Hangul');
	if (language === 'el') {
		const convert = await cldrTransform('Latin-Greek/UNGEGN');
		return (text) => convert(text).replace(/σ(?![\p{L}\p{M}])/gu, 'ς');
	}
	if (language === 'he') return hebrewFromLatin;
	if (arabicScript.has(language)) return arabicFromLatin(language);
	if (language === 'si' || indicScripts.get(language) !== undefined)
		return indicFromLatin(language);
	return cyrillicFromLatin(language);
}

async function chinese(from: string, to: string): Promise<Convert> {
	if (to === 'Latn') {
		const { pinyin } = await import('pinyin-pro');
		// Runs of characters become spaced syllables; everything else stays where it is.
		return (text) =>
			text
				.replace(/\p{Script=Han}+/gu, (run) => ` ${pinyin(run)} `)
				.replace(/[，、]/gu, ', ')
				.replace(/。/gu, '. ')
				.replace(/！/gu, '! ')
				.replace(/？/gu, '? ')
				.replace(/ +/g, ' ')
				.replace(/ ([,.!?;:])/g, '$1')
				.trim();
	}
	if (from === 'Latn') {
		const toTraditional = to === 'Hant' ? await chinese('Hans', 'Hant') : undefined;
		return (text) => {
			const simplified = chineseFromPinyin(text);
			return toTraditional ? toTraditional(simplified) : simplified;
		};
	}
	if (to === 'Hant') {
		const { Converter } = await import('opencc-js/cn2t');
		return Converter({ from: 'cn', to: 'twp' });
	}
	const { Converter } = await import('opencc-js/t2cn');
	return Converter({ from: 'twp', to: 'cn' });
}

/** Kana are converted by a function that calls itself for each letter. */
const inPieces =
	(convert: Convert): Convert =>
	(text) =>
		cutText(text, 200, 'ja').map(convert).join('');

async function japaneseLatin(): Promise<Convert> {
	const { toRomaji } = await import('wanakana');
	const romaji = inPieces((text) => toRomaji(text, { upcaseKatakana: false }));
	const { japaneseReading } = await import('./japanese.ts');
	try {
		const reading = await japaneseReading();
		return (text) => romaji(reading(text));
	} catch (error) {
		return kanaOnly(romaji, error);
	}
}

/** Kana say themselves how they are read; what else needs the dictionary is refused with `missing`. */
export function kanaOnly(romaji: Convert, missing: unknown): Convert {
	return (text) => {
		if (/\p{Script=Han}/u.test(text)) throw missing;
		return romaji(text);
	};
}
