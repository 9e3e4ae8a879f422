/** Numbers, times and sizes as whoever sits before the editor writes them. */

import * as vscode from 'vscode';
import { dateIn, numberIn, readersLocale, sizeIn } from '../server/protocol/index.ts';

const locale = (): string =>
	readersLocale(vscode.env.language, Intl.DateTimeFormat().resolvedOptions().locale);

/** @param digits after the decimal mark */
export const shownNumber = (value: number, digits = 0): string => numberIn(locale(), value, digits);

/** @param ms milliseconds since 1970 */
export const shownDate = (ms: number): string => dateIn(locale(), ms);

/** In megabytes or gigabytes. */
export const shownSize = (bytes: number): string => sizeIn(locale(), bytes);

export const shownRate = (bytesPerSecond: number): string => sizeIn(locale(), bytesPerSecond, true);
