/** Names of languages for people, from the platform's own tables. */

/** Name of a BCP 47 code in the display language; the code itself when it has none. */
export function languageName(code: string, displayLanguage = 'en'): string {
	try {
		return new Intl.DisplayNames([displayLanguage, 'en'], { type: 'language' }).of(code) ?? code;
	} catch {
		return code;
	}
}

/** Whether two codes name the same language, whatever their region (`en-US`, `en`). */
export function sameLanguage(first: string, second: string): boolean {
	const base = (code: string) => code.toLowerCase().split('-')[0];
	if (/^zh/i.test(first) && /^zh/i.test(second))
		return first.toLowerCase() === second.toLowerCase();
	return base(first) === base(second);
}
