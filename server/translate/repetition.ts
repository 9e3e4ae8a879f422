/** Finds what small models do when they lose the thread: loops, runaway length, leftover tokens. */

/** Whether a translation looks like a loop or grew out of all proportion to its source. */
export function looksBroken(source: string, target: string): boolean {
	if (target.trim() === '') return source.trim() !== '';
	if (target.includes('\uFFFD') && !source.includes('\uFFFD')) return true;
	if (target.length > source.length * 4 + 40) return true;
	return loops(target) > Math.max(2, loops(source));
}

/** Longest number of times in a row that a group of words, or a group of letters, is repeated. */
export function loops(text: string): number {
	const words = text.toLowerCase().split(/\s+/).filter(Boolean);
	let most = 1;
	for (let size = 1; size <= 6; size++) {
		let run = 1;
		let same = 0;
		for (let index = size; index < words.length; index++) {
			same = words[index] === words[index - size] ? same + 1 : 0;
			run = Math.floor(same / size) + 1;
			if (run > most) most = run;
		}
	}
	// Inside words: "spspspsp". Dots, dashes and digits repeat for good reasons.
	for (const match of text.matchAll(/(\p{L}{2,6}?)\1{3,}/gu)) {
		most = Math.max(most, Math.floor(match[0].length / (match[1]?.length ?? 1)) - 1);
	}
	for (const match of text.matchAll(/(\p{L})\1{5,}/gu)) most = Math.max(most, match[0].length - 2);
	return most;
}
