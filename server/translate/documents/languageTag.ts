/** A language as a document names it. */

import { canonicalLanguage } from '../languageCodes.ts';

/** The tag (BCP 47) of a target as its caller wrote it, region included; `undefined` for what is none. */
export function languageTag(to: string): string | undefined {
	const known = canonicalLanguage(to);
	if (known === undefined) return undefined;
	try {
		return Intl.getCanonicalLocales(to.trim().replaceAll('_', '-'))[0];
	} catch {
		return known;
	}
}
