/** Words of code and of questions, so that `readFile`, `read_file` and "read a file" meet. */

/** Words that say nothing of what is looked for. */
const stopWords = new Set(
	'a about all an and any are as at be been by can could do does for from get had has have how i if in into is it its me my of on or our should so than that the their them then there these they this to up us was we were what when where which who why will with would you your'.split(
		' ',
	),
);

/** Terms of a question, at most so many. */
const maxQueryTerms = 40;

/** A text with the parts of its names beside the names. */
export function indexedText(text: string): string {
	return text.replace(/[\p{L}\p{N}_$]+/gu, (name) => {
		const parts = nameParts(name);
		return parts.length > 1 ? `${name} ${parts.join(' ')}` : name;
	});
}

/** `HTTPServer2` → `http`, `server`, `2`. */
export function nameParts(name: string): string[] {
	return (name.match(/\p{Lu}+(?!\p{Ll})|\p{Lu}?\p{Ll}+|\p{N}+|[\p{Lo}\p{Lm}]+/gu) ?? []).map(
		(part) => part.toLowerCase(),
	);
}

/** The question as FTS5 reads it: any of its terms. Empty when there is none. */
export function ftsQuery(question: string): string {
	const terms = new Set<string>();
	for (const [name] of question.matchAll(/[\p{L}\p{N}_$]+/gu)) {
		const lower = name.toLowerCase();
		const parts = nameParts(name);
		if (!stopWords.has(lower)) terms.add(lower);
		if (parts.length > 1) for (const part of parts) if (!stopWords.has(part)) terms.add(part);
	}
	return [...terms]
		.slice(0, maxQueryTerms)
		.map((term) => `"${term}"`)
		.join(' OR ');
}
