/** How large a grammar becomes when its repetitions are written out, estimated from its text. */

/** A grammar that is larger than anybody's answer needs. */
export class GrammarTooLarge extends Error {}

/** Parts of a grammar: characters, classes and references, as often as they are repeated. */
const maxParts = 500_000;

const piece = /"(?:\\.|[^"\\])*"|\[(?:\\.|[^\]\\])*\]|\{(\d*)(?:(,)(\d*))?\}|[()]|::=|[\w-]+|\n/g;

/** @throws GrammarTooLarge */
export function checkGrammarSize(ebnf: string): void {
	const outer: number[] = [];
	let total = 0;
	let last = 0;
	for (const [found, min, , max] of ebnf.matchAll(piece)) {
		if (found === '(') {
			outer.push(total);
			total = 0;
			last = 0;
		} else if (found === ')') {
			last = total;
			total += outer.pop() ?? 0;
		} else if (found[0] === '{') {
			const times = Number(max === undefined || max === '' ? min : max);
			total += last * Math.max(0, times - 1);
			last *= Math.max(1, times);
		} else if (found !== '\n' && found !== '::=') {
			last = found[0] === '"' ? Math.max(1, found.length - 2) : 1;
			total += last;
		}
		if (total > maxParts)
			throw new GrammarTooLarge(
				`has more than ${maxParts} parts when its repetitions are written out`,
			);
	}
}
