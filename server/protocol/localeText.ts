/** Numbers, times and sizes as a language writes them. The language is a BCP 47 tag; none: the process's own. */

/** @param digits after the decimal mark */
export const numberIn = (language: string | undefined, value: number, digits = 0): string =>
	value.toLocaleString(language, { minimumFractionDigits: digits, maximumFractionDigits: digits });

/** @param ms milliseconds since 1970 */
export const dateIn = (language: string | undefined, ms: number): string =>
	new Date(ms).toLocaleString(language);

/** A size in megabytes or gigabytes, in the unit that the language has for them; of a rate by the second. */
export function sizeIn(language: string | undefined, bytes: number, isRate = false): string {
	const unit = bytes >= 1e9 ? 'gigabyte' : 'megabyte';
	const value = bytes / (unit === 'gigabyte' ? 1e9 : 1e6);
	const digits = bytes >= 1e9 || bytes < 1e7 ? 1 : 0;
	return value.toLocaleString(language, {
		style: 'unit',
		unit: isRate ? `${unit}-per-second` : unit,
		minimumFractionDigits: digits,
		maximumFractionDigits: digits,
	});
}

/** The locale of the system where it is of the language that the reader has chosen, for its region; else that language. */
export function readersLocale(language: string, system: string): string {
	const root = (tag: string) => tag.toLowerCase().split(/[-_]/)[0];
	return root(language) === root(system) ? system : language;
}
