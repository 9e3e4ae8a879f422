/** How a translated file is called, beside its source or in a family of message files. */

/** `guide.md` → `guide.de.md`. */
export function translatedFileName(name: string, language: string): string {
	const dot = name.lastIndexOf('.');
	const isEnding = dot > Math.max(name.lastIndexOf('/'), name.lastIndexOf('\\')) + 1;
	return isEnding ? `${name.slice(0, dot)}.${language}${name.slice(dot)}` : `${name}.${language}`;
}

/**
 * Path of a further language of a family of message files.
 * @param pattern path with `{to}` where the language stands
 * @example familyPath('res/values-{to}/strings.xml', 'pt-BR'); // res/values-pt-rBR/strings.xml
 */
export function familyPath(pattern: string, to: string): string {
	const isAndroid = /(?:^|\/)values-\{to\}\//.test(pattern);
	const written = isAndroid ? androidQualifier(to) : hasLowLines.test(pattern) ? lowLines(to) : to;
	return pattern.replace('{to}', () => written);
}

/** Places whose readers know `pt_BR` alone: Java, Flutter, Qt, gettext and extensions of browsers. */
const hasLowLines = /_\{to\}\.[^/]*$|\{to\}\.po$|\{to\}\/LC_MESSAGES\/|_locales\/\{to\}\//;
const lowLines = (to: string): string => to.replaceAll('-', '_');

/** Android's own way to write a language; what is more than language and region begins with `b+`. */
function androidQualifier(to: string): string {
	const [language, region, ...rest] = to.split('-');
	if (region === undefined) return to;
	return rest.length === 0 && /^[A-Z]{2}$/.test(region)
		? `${language}-r${region}`
		: `b+${to.replaceAll('-', '+')}`;
}
