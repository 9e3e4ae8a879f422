/** What the script of a text alone says about its language. */

const ranges: readonly (readonly [script: string, pattern: RegExp])[] = [
	['Latn', /\p{Script=Latin}/gu],
	['Cyrl', /\p{Script=Cyrillic}/gu],
	['Arab', /\p{Script=Arabic}/gu],
	['Deva', /\p{Script=Devanagari}/gu],
	['Hani', /\p{Script=Han}/gu],
	['Kana', /[\p{Script=Hiragana}\p{Script=Katakana}]/gu],
	['Hang', /\p{Script=Hangul}/gu],
	['Thai', /\p{Script=Thai}/gu],
	['Hebr', /\p{Script=Hebrew}/gu],
	['Grek', /\p{Script=Greek}/gu],
	['Geor', /\p{Script=Georgian}/gu],
	['Armn', /\p{Script=Armenian}/gu],
	['Beng', /\p{Script=Bengali}/gu],
	['Taml', /\p{Script=Tamil}/gu],
	['Telu', /\p{Script=Telugu}/gu],
	['Knda', /\p{Script=Kannada}/gu],
	['Mlym', /\p{Script=Malayalam}/gu],
	['Sinh', /\p{Script=Sinhala}/gu],
	['Gujr', /\p{Script=Gujarati}/gu],
	['Guru', /\p{Script=Gurmukhi}/gu],
	['Orya', /\p{Script=Oriya}/gu],
	['Mymr', /\p{Script=Myanmar}/gu],
	['Khmr', /\p{Script=Khmer}/gu],
	['Laoo', /\p{Script=Lao}/gu],
	['Tibt', /\p{Script=Tibetan}/gu],
	['Ethi', /\p{Script=Ethiopic}/gu],
	['Thaa', /\p{Script=Thaana}/gu],
	['Cans', /\p{Script=Canadian_Aboriginal}/gu],
	['Mong', /\p{Script=Mongolian}/gu],
];

/** Scripts that only one language of the interface is written in. */
const single: ReadonlyMap<string, string> = new Map(
	Object.entries<string>({
		Hang: 'ko',
		Kana: 'ja',
		Thai: 'th',
		Hebr: 'he',
		Grek: 'el',
		Geor: 'ka',
		Armn: 'hy',
		Taml: 'ta',
		Telu: 'te',
		Knda: 'kn',
		Mlym: 'ml',
		Sinh: 'si',
		Gujr: 'gu',
		Guru: 'pa',
		Orya: 'or',
		Mymr: 'my',
		Khmr: 'km',
		Laoo: 'lo',
		Tibt: 'bo',
		Thaa: 'dv',
		Cans: 'iu',
		Mong: 'mn-Mong',
	}),
);

export interface ScriptCount {
	readonly script: string;
	readonly letters: number;
}

/** Scripts of a text with their number of letters, most frequent first. */
export function countScripts(text: string): ScriptCount[] {
	return ranges
		.map(([script, pattern]) => ({ script, letters: text.match(pattern)?.length ?? 0 }))
		.filter(({ letters }) => letters > 0)
		.sort((a, b) => b.letters - a.letters);
}

/**
 * The language a script stands for, `'Hani'` when it is Chinese of a kind still to be decided, or
 * `undefined` when several languages share the script.
 */
export function languageOfScripts(
	counts: readonly ScriptCount[],
	text: string,
): string | undefined {
	const total = counts.reduce((sum, { letters }) => sum + letters, 0);
	const share = (script: string): number =>
		(counts.find((count) => count.script === script)?.letters ?? 0) / Math.max(1, total);
	// Japanese mixes three scripts; a tenth of kana is enough.
	if (share('Kana') + share('Hani') > 0.5 && share('Kana') > 0.05) return 'ja';
	if (share('Hang') + share('Hani') > 0.5 && share('Hang') > 0.2) return 'ko';
	const first = counts[0]?.script;
	if (first === undefined || share(first) < 0.5) return undefined;
	if (first === 'Hani') return 'Hani';
	if (first === 'Beng') return /[ৰৱ]/u.test(text) ? 'as' : 'bn';
	return single.get(first);
}
