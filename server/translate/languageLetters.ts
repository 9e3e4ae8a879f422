/**
 * Which letters a language is written with: a text with another one is hardly in it. Only languages of
 * scripts that several share, and only those whose letters are known; the others are not judged.
 */

import { primaryLanguage, scriptOf } from './languageCodes.ts';

/** Letters beside a to z, as dictionaries of the language have them, common loanwords included. */
const latin = new Map(
	Object.entries({
		en: 'éï',
		de: 'äöüßé',
		fr: 'àâæçéèêëîïôœùûüÿ',
		es: 'áéíñóúü',
		it: 'àèéìíîòóùú',
		pt: 'áâãàçéêíóôõúü',
		nl: 'éëïóöüèáê',
		sv: 'åäöéàü',
		da: 'æøåéüö',
		nb: 'æøåéòôàü',
		fi: 'äöåšž',
		et: 'äõöüšž',
		lv: 'āčēģīķļņšūž',
		lt: 'ąčęėįšųūž',
		pl: 'ąćęłńóśźż',
		cs: 'áčďéěíňóřšťúůýž',
		sk: 'áäčďéíĺľňóôŕšťúýž',
		hu: 'áéíóöőúüű',
		ro: 'ăâîșțşţ',
		hr: 'čćđšž',
		bs: 'čćđšž',
		sr: 'čćđšž',
		sl: 'čšžćđ',
		tr: 'çğıöşüâîû',
		az: 'çəğıöşü',
		ca: 'àçéèíïóòúü',
		gl: 'áéíñóúü',
		eu: 'ñç',
		id: 'é',
		ms: 'é',
		sq: 'çë',
		af: 'êëïéôûèáäö',
		sw: '',
		fil: 'ñ',
		is: 'áðéíóúýþæö',
		ga: 'áéíóú',
		cy: 'âêîôûŵŷëïáöä',
		mt: 'ċġħżàèìòù',
	}),
);

const russian = 'абвгдежзийклмнопрстуфхцчшщъыьэюяё';
/** All letters. */
const cyrillic = new Map(
	Object.entries({
		ru: russian,
		uk: 'абвгґдеєжзиіїйклмнопрстуфхцчшщьюя',
		bg: 'абвгдежзийклмнопрстуфхцчшщъьюяѝ',
		sr: 'абвгдђежзијклљмнњопрстћуфхцчџш',
		mk: 'абвгдѓежзѕијклљмнњопрстќуфхцчџшѐѝ',
		mn: `${russian}өү`,
		kk: `${russian}әғқңөұүһі`,
		ky: `${russian}ңөү`,
		tt: `${russian}әөүҗңһ`,
		ba: `${russian}әғҙҡңөҫүһ`,
	}),
);

const basic = 'abcdefghijklmnopqrstuvwxyz';
const alphabets: ReadonlyMap<string, ReadonlySet<string>> = new Map<string, ReadonlySet<string>>([
	...[...cyrillic].map(([language, letters]) => [`${language}-Cyrl`, new Set(letters)] as const),
	...[...latin].map(([language, more]) => [`${language}-Latn`, new Set(basic + more)] as const),
]);

/** Letters of a text, once each. */
export function lettersOf(text: string): ReadonlySet<string> {
	return new Set(
		text
			.normalize('NFC')
			.toLowerCase()
			.match(/[\p{Script=Latin}\p{Script=Cyrillic}]/gu) ?? [],
	);
}

/** Whether a language has all these letters; yes where its letters are not known. */
export function hasLetters(language: string, letters: ReadonlySet<string>): boolean {
	const known = alphabets.get(`${primaryLanguage(language)}-${scriptOf(language)}`);
	return known === undefined || [...letters].every((letter) => known.has(letter));
}
