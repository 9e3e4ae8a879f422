/**
 * The languages of the translate interface: canonical codes, aliases, scripts, names. Which of them
 * can be translated depends on the installed models and is not decided here.
 */

import { LruMap } from '../protocol/lruMap.ts';

const codes =
	'af sq am ar hy as az bn ba eu be bho brx bs bg my yue ca lzh zh-Hans zh-Hant hr cs da prs dv doi nl ' +
	'en et fo fj fil fi fr fr-CA gl ka de el gu ht ha he hi mww hu is ig id ikt iu iu-Latn ga it ja kn ' +
	'ks kk km rw tlh-Latn gom ko ku kmr ky lo lv lt ln dsb lg mk mai mg ms ml mt mi mr mn-Cyrl mn-Mong ' +
	'ne nb nya or ps fa pl pt pt-PT pa otq ro run ru sm sr-Cyrl sr-Latn st nso tn sn sd si sk sl so es ' +
	'sw sv ty tg ta tt te th bo ti to tr tk uk hsb ur ug uz vi cy xh yo yua zu';

/** Canonical codes of every language the interface knows, in the order `/languages` lists them. */
export const languageCodes: readonly string[] = codes.split(' ');

/** Below this score of a detection its language is a guess. */
export const minDetectionScore = 0.3;

/** What other systems call a language → the canonical code. Keys are lower case. */
const aliases: ReadonlyMap<string, string> = new Map(
	Object.entries({
		zh: 'zh-Hans',
		zt: 'zh-Hant',
		'zh-cn': 'zh-Hans',
		'zh-chs': 'zh-Hans',
		'zh-sg': 'zh-Hans',
		'zh-my': 'zh-Hans',
		'zh-tw': 'zh-Hant',
		'zh-hk': 'zh-Hant',
		'zh-mo': 'zh-Hant',
		'zh-cht': 'zh-Hant',
		'zh-yue': 'yue',
		cmn: 'zh-Hans',
		no: 'nb',
		nn: 'nb',
		sr: 'sr-Cyrl',
		mn: 'mn-Cyrl',
		iw: 'he',
		in: 'id',
		tl: 'fil',
		hmn: 'mww',
		tlh: 'tlh-Latn',
		'pt-br': 'pt',
		rn: 'run',
		ny: 'nya',
		lug: 'lg',
		ckb: 'ku',
		'fr-fr': 'fr',
	}),
);

const byLowerCase = new Map(languageCodes.map((code) => [code.toLowerCase(), code]));

/**
 * The canonical code of a language as a caller wrote it (`zh-cn` → `zh-Hans`, `de-AT` → `de`), or
 * `undefined` when the interface does not know it.
 */
export function canonicalLanguage(written: string): string | undefined {
	const wanted = written.trim().toLowerCase().replaceAll('_', '-');
	const known = byLowerCase.get(wanted) ?? aliases.get(wanted);
	if (known !== undefined) return known;
	if (!/^[a-z]{2,3}(-[a-z0-9]{2,8})+$/.test(wanted)) return undefined;
	// A script or region the interface does not distinguish: drop subtags from the right.
	return canonicalLanguage(wanted.slice(0, wanted.lastIndexOf('-')));
}

const ownScripts: ReadonlyMap<string, string> = new Map(
	Object.entries<string>({
		'zh-Hans': 'Hans',
		'zh-Hant': 'Hant',
		yue: 'Hant',
		lzh: 'Hans',
		ja: 'Jpan',
		ko: 'Kore',
		iu: 'Cans',
		prs: 'Arab',
		ku: 'Arab',
		ug: 'Arab',
		ks: 'Arab',
		pa: 'Guru',
		gom: 'Deva',
		otq: 'Latn',
		ikt: 'Latn',
	}),
);

/** Scripts that were asked for: the platform takes a while to say it. */
const askedScripts = new LruMap<string, string>(500);

/** ISO 15924 code of the script a language is normally written in. */
export function scriptOf(language: string): string {
	const known = ownScripts.get(language) ?? askedScripts.get(language);
	if (known !== undefined) return known;
	const script = new Intl.Locale(language).maximize().script ?? 'Latn';
	askedScripts.set(language, script);
	return script;
}

const rightToLeft = new Set(['Arab', 'Hebr', 'Thaa', 'Syrc', 'Nkoo']);

/** Writing direction of a script. */
export function directionOf(script: string): 'ltr' | 'rtl' {
	return rightToLeft.has(script) ? 'rtl' : 'ltr';
}

/** Name of a language in another language; the code itself where nobody has a name for it. */
export function languageName(language: string, inLanguage: string): string {
	if (!/^[A-Za-z]{2,3}(?:-[A-Za-z\d]{2,8})*$/.test(language)) return language;
	const names = new Intl.DisplayNames([inLanguage, 'en'], { type: 'language' });
	const name = names.of(language) ?? language;
	if (name.toLowerCase() === language.toLowerCase()) return rareNames.get(language) ?? language;
	const first = name.charAt(0);
	// Georgian has capitals in Unicode that nobody writes.
	return (
		(/\p{Script=Georgian}/u.test(first) ? first : first.toLocaleUpperCase(inLanguage)) +
		name.slice(1)
	);
}

/** Names the platform's own tables lack. */
const rareNames: ReadonlyMap<string, string> = new Map(
	Object.entries<string>({
		mww: 'Hmong Daw',
		otq: 'Querétaro Otomi',
		yua: 'Yucatec Maya',
	}),
);

/** Name of a script in a language. */
export function scriptName(script: string, inLanguage: string): string {
	return new Intl.DisplayNames([inLanguage, 'en'], { type: 'script' }).of(script) ?? script;
}

/** The primary subtag: `zh-Hans` → `zh`. */
/** A sentence for a language that {@link canonicalLanguage} does not know. */
export function unknownLanguage(written: string): string {
	return `'${written.slice(0, 30)}' is no language code that is known. Codes are such as en, de or pt-PT; GET /languages lists them.`;
}

export function primaryLanguage(language: string): string {
	return language.split('-')[0] ?? language;
}

/** Whether two codes name the same language in the same script, whatever their region (`en-US`, `en`). */
export function sameLanguage(first: string, second: string): boolean {
	const [a, b] = [canonicalLanguage(first), canonicalLanguage(second)];
	if (a === undefined || b === undefined) return first.toLowerCase() === second.toLowerCase();
	return primaryLanguage(a) === primaryLanguage(b) && scriptOf(a) === scriptOf(b);
}

const unspacedScripts = new Set(['Hans', 'Hant', 'Jpan', 'Thai', 'Laoo', 'Khmr', 'Mymr', 'Tibt']);

/** Whether the language puts spaces between words. */
export function usesSpaces(language: string): boolean {
	return !unspacedScripts.has(scriptOf(language));
}
