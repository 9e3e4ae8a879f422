/** Names of languages for people, from the platform's own tables. */

/** Name of a BCP 47 code in the display language; the code itself when it has none. */
export function displayLanguageName(code: string, displayLanguage = 'en'): string {
	try {
		return new Intl.DisplayNames([displayLanguage, 'en'], { type: 'language' }).of(code) ?? code;
	} catch {
		return code;
	}
}
