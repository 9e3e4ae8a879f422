/** Words that say nothing and only fill pauses, by language. Pure text work. */

/** Interjections alone: words such as “like” and “also” mean something elsewhere. */
const fillers: Readonly<Record<string, readonly string[]>> = {
	de: ['äh', 'ähm', 'ehm', 'öh', 'öhm', 'hm', 'hmm', 'mhm'],
	en: ['uh', 'uhm', 'um', 'umm', 'er', 'erm', 'hm', 'hmm', 'mhm', 'mm'],
	es: ['eh', 'ehm', 'em', 'emm', 'mmm', 'hm', 'hmm'],
	fr: ['euh', 'heu', 'hum', 'hm', 'hmm', 'mmh'],
	it: ['ehm', 'uhm', 'mmm', 'hm', 'hmm'],
	nl: ['eh', 'ehm', 'uh', 'uhm', 'hm', 'hmm'],
	pt: ['hum', 'hã', 'hm', 'hmm', 'ãh'],
};

/** Whether fillers of a language (BCP 47) are known. */
export const knowsFillers = (language: string): boolean =>
	Object.hasOwn(fillers, primary(language));

const primary = (language: string): string => language.toLowerCase().split('-')[0] ?? '';

/**
 * A text without fillers and the commas that set them apart. A sentence that began with one begins with a capital
 * all the same, and one that ended with one ends. Nothing is left of a
 * text of nothing else.
 */
export function withoutFillers(text: string, language: string): string {
	const known = Object.hasOwn(fillers, primary(language)) ? fillers[primary(language)] : undefined;
	if (!known) return text;
	const words = new Set(known);
	const kept: string[] = [];
	let isCut = false;
	let startsSentence = false;
	for (const token of text.trim().split(/\s+/)) {
		const [, opening = '', word = '', closing = ''] =
			/^([¿¡"“„«(]*)([\p{L}\p{M}]+)([.,;:!?…–—-]*)$/u.exec(token) ?? [];
		if (opening !== '' || !words.has(word.toLowerCase())) {
			kept.push(startsSentence ? capitalized(token) : token);
			startsSentence = false;
			continue;
		}
		isCut = true;
		const last = kept.at(-1);
		startsSentence ||= last === undefined ? /^\p{Lu}/u.test(word) : /[.!?…]["”»]?$/.test(last);
		if (last === undefined || startsSentence) continue;
		const end = /[.!?…]+$/.exec(closing)?.[0];
		if (end !== undefined) kept[kept.length - 1] = last.replace(/[,;:]$/, '') + end;
		// Commas on both sides belong to what they set apart.
		else if (/[,;]/.test(closing)) kept[kept.length - 1] = last.replace(/[,;]$/, '');
	}
	return isCut ? kept.join(' ') : text;
}

const capitalized = (token: string): string =>
	token.replace(/\p{L}/u, (letter) => letter.toLocaleUpperCase());
