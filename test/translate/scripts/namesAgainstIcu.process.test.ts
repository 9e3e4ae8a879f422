/**
 * Transliteration against ICU's `uconv` on text that is not in this repository: names of countries
 * and languages and a date, as Node's own locale data has them in each script.
 */

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { cldrTransform } from '../../../server/translate/scripts/converters.ts';

/** Transform and the locales whose names it reads. */
const transforms: Readonly<Record<string, string>> = {
	'Russian-Latin/BGN': 'ru',
	'Ukrainian-Latin/BGN': 'uk',
	'Belarusian-Latin/BGN': 'be',
	'Bulgarian-Latin/BGN': 'bg',
	'Kazakh-Latin/BGN': 'kk',
	'Kirghiz-Latin/BGN': 'ky',
	'Macedonian-Latin/BGN': 'mk',
	'Mongolian-Latin/BGN': 'mn',
	'Serbian-Latin/BGN': 'sr',
	'Cyrillic-Latin': 'ru',
	'Latin-Cyrillic': 'en',
	'Greek-Latin/UNGEGN': 'el',
	'Latin-Greek/UNGEGN': 'en',
	'Arabic-Latin': 'ar',
	'Hebrew-Latin': 'he',
	'Latin-Hebrew': 'en',
	'Persian-Latin/BGN': 'fa',
	'Devanagari-Latin': 'hi ne mr',
	'Latin-Devanagari': 'en',
	'Bengali-Latin': 'bn as',
	'Tamil-Latin': 'ta',
	'Telugu-Latin': 'te',
	'Kannada-Latin': 'kn',
	'Malayalam-Latin': 'ml',
	'Gujarati-Latin': 'gu',
	'Gurmukhi-Latin': 'pa',
	'Oriya-Latin': 'or',
	'si-si_Latn': 'si',
	'Hangul-Latin': 'ko',
	'Latin-Hangul': 'en',
	'Thai-Latin': 'th',
	'Latin-ASCII': 'fr vi',
	'Latin-Katakana': 'en',
	'Katakana-Hiragana': 'ja',
	'Armenian-Latin/BGN': 'hy',
	'Georgian-Latin/BGN': 'ka',
};

const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
const regions = [...letters].flatMap((first) => [...letters].map((second) => first + second));
const languages = 'ar de en es fa fr hi id it ja ko nl pl pt ru sv th tr uk vi zh'.split(' ');

function names(locale: string): string[] {
	const options = { fallback: 'none' } as const;
	const region = new Intl.DisplayNames([locale], { type: 'region', ...options });
	const language = new Intl.DisplayNames([locale], { type: 'language', ...options });
	const date = new Intl.DateTimeFormat(locale, { dateStyle: 'full', timeZone: 'UTC' }).format(0);
	return [
		...regions.map((code) => region.of(code)),
		...languages.map((code) => language.of(code)),
		date,
	]
		.filter((name) => name !== undefined)
		.map((name) => name.replace(/\s+/g, ' '));
}

const icu = spawnSync('uconv', ['--version']);

test('names of countries and languages come out as ICU writes them', {
	skip: icu.error ? 'uconv (Debian icu-devtools) is not installed' : false,
}, async () => {
	const different: string[] = [];
	let lines = 0;
	for (const [name, locales] of Object.entries(transforms)) {
		const texts = locales.split(' ').flatMap(names);
		const convert = await cldrTransform(name);
		const run = spawnSync('uconv', ['-x', name], { input: `${texts.join('\n')}\n` });
		const expected = run.stdout.toString('utf8').split('\n');
		lines += texts.length;
		for (const [index, text] of texts.entries()) {
			const own = convert(text).normalize('NFC');
			const other = expected[index]?.normalize('NFC');
			if (own !== other) different.push(`${name}: ${text} → ${own} | ${other}`);
		}
	}
	assert.ok(lines > 6000, `${lines} lines`);
	// The rules and ICU's build are of different years: long vowels and syllable breaks differ a little.
	assert.ok(
		different.length <= lines * 0.01,
		`${different.length} of ${lines}:\n${different.slice(0, 30).join('\n')}`,
	);
});
