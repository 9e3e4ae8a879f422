/** Compares a key that came over the pipe without telling by its time how much was right. */

import { createHash, timingSafeEqual } from 'node:crypto';

const digest = (text: string) => createHash('sha256').update(text).digest();

/** `params` as they came; anything but `{key: string}` is wrong. */
export function isApiKeyValid(params: unknown, key: string): boolean {
	const given =
		typeof params === 'object' && params !== null ? Reflect.get(params, 'key') : undefined;
	return typeof given === 'string' && timingSafeEqual(digest(given), digest(key));
}
