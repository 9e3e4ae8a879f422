/**
 * A selection as text to translate: paragraphs go to the translator, everything around them (blank
 * lines, indent, line ends) stays as it is.
 */

/** Translates texts, keeping their order and number. */
export type TranslateMany = (texts: readonly string[]) => Promise<readonly string[]>;

/**
 * Translates the lines of a passage. White space before and after each line, empty lines and the
 * kind of line end stay; lines without a letter are not sent.
 */
export async function translatePassage(text: string, translate: TranslateMany): Promise<string> {
	const parts = text.split(/(\r\n|\n|\r)/);
	const wanted: { index: number; before: string; after: string; body: string }[] = [];
	parts.forEach((part, index) => {
		const match = /^(\s*)(.*?)(\s*)$/su.exec(part);
		if (!match || !/\p{L}/u.test(part)) return;
		wanted.push({ index, before: match[1] ?? '', body: match[2] ?? '', after: match[3] ?? '' });
	});
	if (wanted.length === 0) return text;
	const answers = await translate(wanted.map((line) => line.body));
	wanted.forEach((line, place) => {
		parts[line.index] = line.before + (answers[place] ?? line.body) + line.after;
	});
	return parts.join('');
}
