/** A language as lists show it. */

export interface LanguageInfo {
	/** BCP 47 code. */
	readonly code: string;
	/** English name. */
	readonly name: string;
	/** Name in the language itself. */
	readonly nativeName: string;
}
