/** Which line of a translated document goes with a line of its source. Pure text work. */

interface Block {
	readonly from: number;
	/** The line after the last. */
	readonly to: number;
}

/** Runs of lines with words. Translations keep their number and order, whatever their lengths. */
function blocksOf(text: string): Block[] {
	const blocks: Block[] = [];
	let from = -1;
	const lines = text.split(/\r\n|\n|\r/);
	lines.forEach((line, index) => {
		const isEmpty = line.trim() === '';
		if (!isEmpty && from < 0) from = index;
		if (isEmpty && from >= 0) {
			blocks.push({ from, to: index });
			from = -1;
		}
	});
	if (from >= 0) blocks.push({ from, to: lines.length });
	return blocks;
}

/**
 * The line of `target` that says what line `line` of `source` says. Within a block by its share of the
 * block; where the texts differ in their blocks, by the share of the whole.
 *
 * @param line From 0, may be fractional.
 */
export function matchingLine(source: string, target: string, line: number): number {
	const [own, other] = [blocksOf(source), blocksOf(target)];
	const lines = (text: string) => text.split(/\r\n|\n|\r/).length;
	if (own.length !== other.length) return (line / Math.max(1, lines(source))) * lines(target);
	let index = own.findIndex(({ to }) => line < to);
	if (index < 0) index = own.length - 1;
	const [from, into] = [own[index], other[index]];
	if (!from || !into) return 0;
	if (line <= from.from) {
		const before = own[index - 1];
		const gap = before ? from.from - before.to + 1 : 0;
		return Math.max(0, into.from - Math.min(gap, from.from - line));
	}
	const share = Math.min(1, (line - from.from) / (from.to - from.from));
	return into.from + share * (into.to - into.from);
}
