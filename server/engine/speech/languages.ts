/** What people write for a language, and the code speech models know it by. */

import { speechLanguages } from '../../protocol/speechLanguages.ts';

export { speechLanguages };

const codeOfName = new Map([...speechLanguages].map(([code, name]) => [name, code]));
/** Codes and names people also write. */
const synonyms: ReadonlyMap<string, string> = new Map(
	Object.entries<string>({
		iw: 'he',
		in: 'id',
		jv: 'jw',
		nb: 'no',
		fil: 'tl',
		mandarin: 'zh',
		burmese: 'my',
		flemish: 'nl',
		castilian: 'es',
		valencian: 'ca',
		moldavian: 'ro',
		pushto: 'ps',
		sinhalese: 'si',
		letzeburgesch: 'lb',
		panjabi: 'pa',
		haitian: 'ht',
	}),
);

/** `de`, `DE`, `de-AT` and `German` → `de`; `undefined` for what no model knows. */
export function speechLanguageCode(value: string): string | undefined {
	const name = value.trim().toLowerCase();
	const code = name.split(/[-_]/)[0] ?? '';
	for (const candidate of [name, code]) {
		const known = synonyms.get(candidate) ?? candidate;
		if (speechLanguages.has(known)) return known;
		const named = codeOfName.get(known);
		if (named !== undefined) return named;
	}
	return undefined;
}
