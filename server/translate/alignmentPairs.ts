/** For which pairs word alignment is reported: those of the interface's documentation. */

/** Not to English and not from it. */
const apart = new Set(['zh-Hant', 'yue', 'sr-Cyrl']);

/** Pairs without English, both ways. */
const eastAsian = new Set(['ja ko', 'ja zh-Hans', 'zh-Hans zh-Hant']);

/**
 * English to and from other languages but Traditional Chinese, Cantonese and Serbian in Cyrillic;
 * Japanese with Korean and Simplified Chinese; Simplified with Traditional Chinese. Nothing else.
 */
export function alignmentSupported(source: string, target: string): boolean {
	if (source === 'en' || target === 'en') return !apart.has(source) && !apart.has(target);
	return eastAsian.has([source, target].sort().join(' '));
}
