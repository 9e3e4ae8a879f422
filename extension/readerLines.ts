/** A translation beside the lines of its source: each line gets its share of the words. Needs no editor. */

/** Scripts whose words have no spaces between them can break anywhere. */
const unspaced = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}]/u;

/**
 * The words of a text, spread over lines in proportion to what stands in them; joined they are the text again. A line
 * that is empty gets nothing.
 */
export function spreadOver(text: string, lengths: readonly number[]): string[] {
	const words = text.split(/\s+/).flatMap((word) => (unspaced.test(word) ? [...word] : [word]));
	const glue = unspaced.test(text) ? '' : ' ';
	const total = lengths.reduce((sum, length) => sum + length, 0);
	const whole = words.reduce((sum, word) => sum + word.length, 0);
	const lines = lengths.map((): string[] => []);
	let line = 0;
	let ends = lengths[0] ?? 0;
	let done = 0;
	for (const word of words) {
		// By its middle a word belongs to one line or the next.
		const middle = ((done + word.length / 2) / Math.max(1, whole)) * total;
		while (line < lengths.length - 1 && (middle > ends || lengths[line] === 0)) {
			line++;
			ends += lengths[line] ?? 0;
		}
		lines[line]?.push(word);
		done += word.length;
	}
	return lines.map((own) => own.join(glue));
}
