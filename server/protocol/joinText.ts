/** How spoken text joins what is written around it. */

/** Characters after which a word may follow at once. */
const opens = /[\s([{<"'“‘«„¿¡/\-\u2014\u3000-\u30ff\u4e00-\u9fff]$/u;
const word = /^[\p{L}\p{N}]/u;

/**
 * `text` with one space before it where it would touch the word or the full stop `before` it, and
 * one behind it where a word follows.
 */
export function joinText(before: string, text: string, after: string): string {
	const trimmed = text.replace(/^[ \t]+/, '');
	if (trimmed === '') return '';
	const glue = before === '' || opens.test(before) || /^[.,;:!?)\]}]/.test(trimmed) ? '' : ' ';
	const touches = word.test(after) && /[\p{L}\p{N}.,;:!?]$/u.test(trimmed);
	return `${glue}${trimmed}${touches ? ' ' : ''}`;
}
