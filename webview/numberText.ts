/** Numbers, times and sizes as the language of the page writes them. */

import { dateIn, numberIn, sizeIn } from '../server/protocol/localeText.ts';

/** Of the page, which people may choose; the browser's own may be another one. */
const language = (): string | undefined =>
	typeof document === 'undefined' ? undefined : document.documentElement.lang || undefined;

/** @param digits after the decimal mark */
export const numberText = (value: number, digits = 0): string =>
	numberIn(language(), value, digits);

/** @param ms milliseconds since 1970 */
export const dateText = (ms: number): string => dateIn(language(), ms);

/** @param iso a date as JSON has it */
export const dayText = (iso: string): string => new Date(iso).toLocaleDateString(language());

/** @param ms milliseconds since 1970 */
export const timeOfDay = (ms: number): string => new Date(ms).toLocaleTimeString(language());

/** A size in megabytes or gigabytes. */
export const sizeText = (bytes: number): string => sizeIn(language(), bytes);

/** What stands in a place of a text. */
export const shownValue = (value: string | number | undefined): string =>
	typeof value === 'number' ? value.toLocaleString(language()) : (value ?? '');
