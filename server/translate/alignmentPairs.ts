/** For which pairs word alignment is reported. */

const toEnglish = new Set(['zh-Hant', 'yue', 'sr-Cyrl']);

/** English to or from most languages, and Chinese, Japanese, Korean to each other; nothing else. */
export function alignmentSupported(source: string, target: string): boolean {
	if (toEnglish.has(target) && source === 'en') return false;
	if (source === 'en' || target === 'en') return true;
	const eastAsian = new Set(['zh-Hans', 'ja', 'ko']);
	if (eastAsian.has(source) && eastAsian.has(target)) return true;
	return (
		(source === 'zh-Hant' && target === 'zh-Hans') || (source === 'zh-Hans' && target === 'zh-Hant')
	);
}
