/** Word errors of a transcript: small letters, without punctuation, digits as they are written. */

/** Words to compare. */
export function plainWords(text: string): string[] {
	return text
		.toLowerCase()
		.replace(/[^\p{L}\p{N}' ]/gu, ' ')
		.split(/\s+/)
		.filter((word) => word !== '');
}

/** Insertions, deletions and substitutions that turn one list into the other. */
export function wordErrors(expected: readonly string[], heard: readonly string[]): number {
	let row = heard.map((_, index) => index + 1);
	for (const [i, word] of expected.entries()) {
		let before = i;
		let left = i + 1;
		row = heard.map((other, j) => {
			const above = row[j] as number;
			left = Math.min(above + 1, left + 1, before + (word === other ? 0 : 1));
			before = above;
			return left;
		});
	}
	return row.at(-1) ?? expected.length;
}
