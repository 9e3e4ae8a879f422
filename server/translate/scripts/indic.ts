/**
 * Indic scripts the way people type them: without diacritics, with the unwritten `a` left out at the
 * ends of words where the language leaves it out.
 */

import type { Convert } from './convert.ts';

const plainLetters: readonly (readonly [RegExp, string])[] = [
	[/chh/g, 'cHh'],
	[/ch/g, 'cHh'],
	[/c(?!H)/g, 'ch'],
	[/cHh/g, 'chh'],
	[/r̥/gu, 'ri'],
	[/[śṣ]/gu, 'sh'],
	[/ñ(?=j)|ṅ(?=[kg])/gu, 'n'],
	[/ñ/gu, 'ny'],
	[/ṁ(?=[pbm])/gu, 'm'],
	[/ṁ|m̐/gu, 'n'],
	[/ḥ/gu, 'h'],
	[/[’']/gu, ''],
];

const strip = (text: string): string =>
	text.normalize('NFD').replace(/\p{M}/gu, '').normalize('NFC');

/** ISO 15919 of CLDR → what people type. */
export function colloquialIndic(language: string): Convert {
	if (language === 'ta') return colloquialTamil;
	// Dravidian languages and Odia say the final vowel, and so do Sanskrit-like clusters.
	const dropsFinal = ['hi', 'mr', 'gu', 'pa', 'bn', 'as', 'ne'].includes(language);
	return (text) => {
		let latin = text.normalize('NFC').toLowerCase();
		if (dropsFinal)
			latin = latin.replace(
				/(?<=[aeiouāīūēō][bcdfghjklmnpqrstvwxyzṭḍṇśṣḷñṅ]{1,2})a(?![\p{L}\p{M}])/gu,
				'',
			);
		for (const [pattern, by] of plainLetters) latin = latin.replace(pattern, by);
		if (language === 'hi' || language === 'pa' || language === 'ne')
			latin = latin.replace(/ē/gu, 'e').replace(/ō/gu, 'o');
		return strip(latin);
	};
}

/** Tamil: hard letters are soft between vowels, long vowels are doubled. */
const colloquialTamil: Convert = (text) => {
	const vowel = '[aeiouāīūēō]';
	const between = (letter: string): RegExp =>
		new RegExp(`(?<=${vowel}|[nmṅñṇ])${letter}(?=${vowel})`, 'gu');
	const latin = text
		.normalize('NFC')
		.replace(/ṟṟ/gu, 'tr')
		.replace(/ṉṟ/gu, 'ndr')
		.replace(between('ṭ'), 'd')
		.replace(between('k'), 'g')
		.replace(between('p'), 'b')
		.replace(/cc/gu, 'cch')
		.replace(between('c'), 's')
		.replace(/(?<![\p{L}\p{M}])c/gu, 's')
		.replace(/ñc/gu, 'nj')
		.replace(/c(?![hc])/gu, 'ch')
		.replace(/tt/gu, 'tth')
		.replace(between('t'), 'dh')
		.replace(/t(?![thr])/gu, 'th')
		.replace(/ḻ/gu, 'zh')
		.replace(/āy(?![\p{L}\p{M}])/gu, 'aai')
		.replace(/ā/gu, 'aa')
		.replace(/ī/gu, 'ee')
		.replace(/ū/gu, 'oo')
		.replace(/ñ/gu, 'gn');
	return strip(latin);
};

/** Offsets of letters in the blocks of the Indic scripts, which are laid out alike. */
const blockOf: ReadonlyMap<string, number> = new Map(
	Object.entries<number>({
		hi: 0x900,
		mr: 0x900,
		ne: 0x900,
		bn: 0x980,
		as: 0x980,
		pa: 0xa00,
		gu: 0xa80,
		or: 0xb00,
		ta: 0xb80,
		te: 0xc00,
		kn: 0xc80,
		ml: 0xd00,
	}),
);

const consonants: ReadonlyMap<string, number> = new Map(
	Object.entries<number>({
		k: 0x15,
		kh: 0x16,
		g: 0x17,
		gh: 0x18,
		ch: 0x1a,
		chh: 0x1b,
		j: 0x1c,
		jh: 0x1d,
		t: 0x24,
		th: 0x25,
		d: 0x26,
		dh: 0x27,
		n: 0x28,
		p: 0x2a,
		ph: 0x2b,
		f: 0x2b,
		b: 0x2c,
		bh: 0x2d,
		m: 0x2e,
		y: 0x2f,
		r: 0x30,
		l: 0x32,
		v: 0x35,
		w: 0x35,
		sh: 0x36,
		s: 0x38,
		h: 0x39,
		q: 0x15,
		c: 0x15,
		z: 0x1c,
		x: 0x15,
		ṭ: 0x1f,
		ḍ: 0x21,
		ṇ: 0x23,
		ṣ: 0x37,
		ś: 0x36,
		ḷ: 0x33,
		ñ: 0x1e,
	}),
);
/** Independent letter and sign of each vowel; `a` has no sign. */
const vowels: ReadonlyMap<string, readonly [number, number]> = new Map(
	Object.entries<readonly [number, number]>({
		a: [0x05, 0],
		aa: [0x06, 0x3e],
		ā: [0x06, 0x3e],
		i: [0x07, 0x3f],
		ee: [0x08, 0x40],
		ii: [0x08, 0x40],
		ī: [0x08, 0x40],
		u: [0x09, 0x41],
		oo: [0x0a, 0x42],
		uu: [0x0a, 0x42],
		ū: [0x0a, 0x42],
		e: [0x0f, 0x47],
		ē: [0x0f, 0x47],
		ai: [0x10, 0x48],
		o: [0x13, 0x4b],
		ō: [0x13, 0x4b],
		au: [0x14, 0x4c],
	}),
);

/** Letters Tamil does without: the plain one of the row stands for all. */
const tamilRows: Readonly<Record<number, number>> = {
	22: 0x15,
	23: 0x15,
	24: 0x15,
	27: 0x1a,
	29: 0x1c,
	37: 0x24,
	38: 0x24,
	39: 0x24,
	43: 0x2a,
	44: 0x2a,
	45: 0x2a,
	54: 0x37,
	32: 0x1f,
	33: 0x1f,
	34: 0x1f,
};

const sinhala: Readonly<Record<number, number>> = {
	5: 0xd85,
	6: 0xd86,
	7: 0xd89,
	8: 0xd8a,
	9: 0xd8b,
	10: 0xd8c,
	15: 0xd91,
	16: 0xd93,
	19: 0xd94,
	20: 0xd96,
	62: 0xdcf,
	63: 0xdd2,
	64: 0xdd3,
	65: 0xdd4,
	66: 0xdd6,
	71: 0xdd9,
	72: 0xddb,
	75: 0xddc,
	76: 0xdde,
	77: 0xdca,
	21: 0xd9a,
	22: 0xd9b,
	23: 0xd9c,
	24: 0xd9d,
	26: 0xda0,
	27: 0xda1,
	28: 0xda2,
	29: 0xda3,
	30: 0xda4,
	31: 0xda7,
	33: 0xda9,
	35: 0xdab,
	36: 0xdad,
	37: 0xdae,
	38: 0xdaf,
	39: 0xdb0,
	40: 0xdb1,
	42: 0xdb4,
	43: 0xdb5,
	44: 0xdb6,
	45: 0xdb7,
	46: 0xdb8,
	47: 0xdba,
	48: 0xdbb,
	50: 0xdbd,
	51: 0xdc5,
	53: 0xdc0,
	54: 0xdc1,
	55: 0xdc2,
	56: 0xdc3,
	57: 0xdc4,
};

const syllable =
	/(chh|kh|gh|ch|jh|th|dh|ph|bh|sh|[kgjtdnpfbmyrlvwshqczxṭḍṇṣśḷñ])|(aa|ai|au|ee|ii|oo|uu|[aeiouāīūēō])|(\p{L})/gu;

/**
 * Latin → an Indic script. In the first syllable of a word `a` is the short vowel that is not
 * written; later ones are long, as in the names and loan words people type. The last consonant
 * carries no sign that mutes it.
 */
export function indicFromLatin(language: string): Convert {
	const base = blockOf.get(language);
	const muted = language === 'ta' || language === 'ml' || language === 'si';
	const letter = (offset: number): string => {
		if (base === undefined) return String.fromCharCode(sinhala[offset] ?? 0xd85);
		const own = language === 'ta' ? (tamilRows[offset] ?? offset) : offset;
		// Bengali and Odia have no letter for v.
		if (own === 0x35 && (language === 'bn' || language === 'or'))
			return String.fromCharCode(base + 0x2c);
		if (own === 0x35 && language === 'as') return 'ৱ';
		if (own === 0x30 && language === 'as') return 'ৰ';
		return String.fromCharCode(base + own);
	};
	const word = (text: string): string => {
		let out = '';
		let syllables = 0;
		let pending = false;
		for (const [, consonant, vowel, other] of text.matchAll(syllable)) {
			if (consonant !== undefined) {
				// The unwritten vowel may also be unspoken: only doubled letters and clusters are joined.
				if (pending) out += letter(0x4d);
				out += letter(consonants.get(consonant) ?? 0x15);
				pending = true;
			} else if (vowel !== undefined) {
				const [whole, sign] = vowels.get(vowel) ?? [0x05, 0];
				if (!pending) out += letter(whole);
				else if (vowel === 'a' && syllables > 0) out += letter(0x3e);
				else if (sign > 0) out += letter(sign);
				pending = false;
				syllables++;
			} else {
				out += other ?? '';
				pending = false;
			}
		}
		if (pending && muted) out += letter(0x4d);
		return out;
	};
	return (text) =>
		text
			.normalize('NFC')
			.replace(/[\p{L}\p{M}]+/gu, (found) =>
				/^[\p{Script=Latin}\p{M}]+$/u.test(found) ? word(found.toLowerCase()) : found,
			);
}
