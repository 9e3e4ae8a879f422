/** Numbers and times as the language of the page writes them. */

/** Of the page, which people may choose; the browser's own may be another one. */
const language = (): string | undefined => document.documentElement.lang || undefined;

/** @param digits after the decimal mark */
export const numberText = (value: number, digits = 0): string =>
	value.toLocaleString(language(), {
		minimumFractionDigits: digits,
		maximumFractionDigits: digits,
	});

/** @param ms milliseconds since 1970 */
export const dateText = (ms: number): string => new Date(ms).toLocaleString(language());
