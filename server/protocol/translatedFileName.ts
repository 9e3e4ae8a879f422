/** How a translated file is called beside its source. */

/** `guide.md` → `guide.de.md`. */
export function translatedFileName(name: string, language: string): string {
	const dot = name.lastIndexOf('.');
	const isEnding = dot > Math.max(name.lastIndexOf('/'), name.lastIndexOf('\\')) + 1;
	return isEnding ? `${name.slice(0, dot)}.${language}${name.slice(dot)}` : `${name}.${language}`;
}
