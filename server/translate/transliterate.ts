/**
 * Transliteration as the translate interface offers it: which languages, from which script to which,
 * and the converter behind each pair. Converters with large tables are loaded when first used.
 */

import { converterFor } from './scripts/converters.ts';

/** Scripts a language can be converted from, and to what. */
export interface ScriptPair {
	readonly code: string;
	readonly to: readonly string[];
}

/** `language native-script` of those that go to Latin letters and back. */
const bothDirections =
	'ar Arab, as Beng, be Cyrl, bg Cyrl, bn Beng, el Grek, fa Arab, gu Gujr, he Hebr, hi Deva, ja Jpan, kk Cyrl, kn Knda, ko Kore, ky Cyrl, mk Cyrl, ml Mlym, mn-Cyrl Cyrl, mr Deva, ne Deva, or Orya, pa Guru, ru Cyrl, sd Arab, si Sinh, ta Taml, te Telu, tg Cyrl, tt Cyrl, uk Cyrl, ur Arab';

const table: ReadonlyMap<string, readonly ScriptPair[]> = new Map([
	...bothDirections.split(', ').map((row): [string, ScriptPair[]] => {
		const [language = '', script = ''] = row.split(' ');
		return [
			language,
			[
				{ code: script, to: ['Latn'] },
				{ code: 'Latn', to: [script] },
			],
		];
	}),
	['sr-Cyrl', [{ code: 'Cyrl', to: ['Latn'] }]],
	['sr-Latn', [{ code: 'Latn', to: ['Cyrl'] }]],
	['th', [{ code: 'Thai', to: ['Latn'] }]],
	[
		'zh-Hans',
		[
			{ code: 'Hans', to: ['Latn', 'Hant'] },
			{ code: 'Latn', to: ['Hans', 'Hant'] },
		],
	],
	[
		'zh-Hant',
		[
			{ code: 'Hant', to: ['Latn', 'Hans'] },
			{ code: 'Latn', to: ['Hant', 'Hans'] },
		],
	],
]);

/** Script pairs of a language; empty when it has none. */
export function transliterationScripts(language: string): readonly ScriptPair[] {
	return table.get(language) ?? [];
}

/** Whether a language can be converted from one script to another. */
export function transliterationBetween(language: string, from: string, to: string): boolean {
	return transliterationScripts(language).some(
		({ code, to: scripts }) => code === from && scripts.includes(to),
	);
}

/** Converts a text. Ask {@link transliterationBetween} first; equal scripts copy. */
export async function transliterate(
	text: string,
	language: string,
	from: string,
	to: string,
): Promise<string> {
	if (from === to) return text;
	const convert = await converterFor(language, from, to);
	return convert(text);
}
