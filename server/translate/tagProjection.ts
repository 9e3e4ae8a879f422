/**
 * Tag projection: puts the inline tags of a source sentence into its translation. Guaranteed for
 * any input: every tag exactly once, elements nested as in the source, bytes untouched.
 */

import type { Link } from './align.ts';
import type { Mark } from './block.ts';
import type { Span } from './sentences.ts';

interface Node {
	/** Source range `[start, end)`. */
	readonly start: number;
	end: number;
	readonly open: string;
	close: string;
	/** The element goes on after (or before) this sentence, so it must reach its edge. */
	openStart: boolean;
	openEnd: boolean;
	readonly children: Node[];
}

/** A tag and where it goes in the target, in output order. */
export interface Placed {
	readonly at: number;
	readonly raw: string;
}

/** Marks of one sentence → tree. Marks whose partner lies elsewhere reach the edge of the sentence. */
function tree(marks: readonly Mark[], length: number): Node {
	const root: Node = {
		start: 0,
		end: length,
		open: '',
		close: '',
		openStart: false,
		openEnd: false,
		children: [],
	};
	const closes = new Set(marks.filter(({ kind }) => kind === 'close').map(({ pair }) => pair));
	const opens = new Set(marks.filter(({ kind }) => kind === 'open').map(({ pair }) => pair));
	const stack: { node: Node; pair: number }[] = [{ node: root, pair: -1 }];
	for (const mark of marks) {
		const top = stack.at(-1)?.node ?? root;
		if (mark.kind === 'open') {
			const node: Node = {
				start: mark.at,
				end: length,
				open: mark.raw,
				close: '',
				openStart: false,
				openEnd: !closes.has(mark.pair),
				children: [],
			};
			top.children.push(node);
			stack.push({ node, pair: mark.pair });
			continue;
		}
		const at = stack.findLastIndex(({ pair }) => pair === mark.pair);
		if (mark.kind === 'close' && at > 0 && at === stack.length - 1) {
			const node = stack.pop()?.node;
			if (node) {
				node.end = mark.at;
				node.close = mark.raw;
			}
			continue;
		}
		if (mark.kind === 'close' && !opens.has(mark.pair) && top === root) {
			// Everything so far belongs to an element that was opened before this sentence.
			const node: Node = {
				start: 0,
				end: mark.at,
				open: '',
				close: mark.raw,
				openStart: true,
				openEnd: false,
				children: root.children.splice(0),
			};
			root.children.push(node);
			continue;
		}
		// Points, and closes that cross another element: they stand where they stood.
		top.children.push({
			start: mark.at,
			end: mark.at,
			open: mark.raw,
			close: '',
			openStart: false,
			openEnd: false,
			children: [],
		});
		if (mark.kind === 'close' && at > 0) {
			// The crossed element is open to the end; its own tag stays a point as well.
			const crossed = stack[at];
			if (crossed) crossed.node.openEnd = true;
		}
	}
	return root;
}

/**
 * @param marks Marks of the sentence, offsets relative to it, in document order.
 * @param sourceWords Words of the source sentence.
 * @param targetWords Words of the translation.
 * @param links Word alignment; words without a link follow their neighbours.
 */
export function projectMarks(
	marks: readonly Mark[],
	source: string,
	target: string,
	sourceWords: readonly Span[],
	targetWords: readonly Span[],
	links: readonly Link[],
): Placed[] {
	if (marks.length === 0) return [];
	const root = tree(marks, source.length);
	const anchors = targetAnchors(sourceWords, targetWords, links);
	const placed: Placed[] = [];

	/** Offset of a gap before word `word`, within `[low, high)` words. */
	const before = (word: number, high: number): number => {
		const span = targetWords[word];
		if (word < high && span) return span[0];
		const last = targetWords[high - 1];
		return last ? last[1] : target.length;
	};

	const visit = (node: Node, low: number, high: number): void => {
		const children = node.children.map((child) => ({ child, words: wordsOf(child, low, high) }));
		// Big elements choose first; the others take what is left beside them.
		const taken: { low: number; high: number; index: number }[] = [];
		const order = children
			.map(({ words }, index) => ({ index, size: words.length }))
			.sort((a, b) => b.size - a.size || a.index - b.index);
		for (const { index, size } of order) {
			const entry = children[index];
			if (!entry || size === 0) continue;
			const range = longestRun(entry.words, taken, entry.child, low, high);
			if (range) taken.push({ ...range, index });
		}
		const ranges = children.map(({ child }, index) => {
			const own = taken.find((range) => range.index === index);
			if (own) return own;
			const at = emptyPlace(child, low, high, taken);
			return { low: at, high: at, index };
		});
		ranges.sort((a, b) => a.low - b.low || a.high - b.high || a.index - b.index);
		for (const range of ranges) {
			const child = node.children[range.index];
			if (!child) continue;
			const empty = range.low === range.high;
			const start = empty ? gap(child, range.low, low, high) : before(range.low, high);
			if (child.open !== '') placed.push({ at: start, raw: child.open });
			if (empty) {
				for (const raw of inner(child)) placed.push({ at: start, raw });
			} else visit(child, range.low, range.high);
			const last = targetWords[range.high - 1];
			const end = empty ? start : (last?.[1] ?? start);
			if (child.close !== '') placed.push({ at: end, raw: child.close });
		}
	};

	const wordsOf = (node: Node, low: number, high: number): number[] => {
		const own: number[] = [];
		for (let word = low; word < high; word++) {
			const anchor = anchors[word];
			if (anchor !== undefined && anchor >= node.start && anchor < node.end) own.push(word);
		}
		return own;
	};

	/** Word index at which an element without words goes: after what preceded it in the source. */
	const emptyPlace = (
		node: Node,
		low: number,
		high: number,
		taken: readonly { low: number; high: number }[],
	): number => {
		let at: number;
		if (node.openEnd) at = high;
		else if (node.openStart) at = low;
		else {
			at = low;
			for (let word = low; word < high; word++) {
				const anchor = anchors[word];
				if (anchor !== undefined && anchor < node.start) at = word + 1;
			}
			const next = anchors.findIndex(
				(anchor, word) =>
					word >= low && word < high && anchor !== undefined && anchor >= node.start,
			);
			// Prefer the place before the word it preceded when nothing earlier comes after that word.
			if (next >= 0 && next < at) {
				const nearest = nearestWord(node.start, low, high);
				at = nearest ?? at;
			}
		}
		const inside = taken.find((range) => range.low < at && at < range.high);
		return inside ? inside.high : at;
	};

	/** Of the words whose source follows a position, the one with the nearest source. */
	const nearestWord = (position: number, low: number, high: number): number | undefined => {
		let found: number | undefined;
		let distance = Number.POSITIVE_INFINITY;
		for (let word = low; word < high; word++) {
			const anchor = anchors[word];
			if (anchor === undefined || anchor < position || anchor - position >= distance) continue;
			distance = anchor - position;
			found = word;
		}
		return found;
	};

	const gap = (node: Node, word: number, low: number, high: number): number => {
		// White space before a point in the source: it stays before it.
		const touchesNext = node.start < source.length && !/\s/.test(source[node.start] ?? ' ');
		const previous = targetWords[word - 1];
		if (word > low && previous && !(touchesNext && word < high)) return previous[1];
		return before(word, high);
	};

	visit(root, 0, targetWords.length);
	return placed;
}

function inner(node: Node): string[] {
	return node.children
		.flatMap((child) => [child.open, ...inner(child), child.close])
		.filter(Boolean);
}

/** The longest run of an element's words that avoids the taken ranges. */
function longestRun(
	words: readonly number[],
	taken: readonly { low: number; high: number }[],
	node: Node,
	low: number,
	high: number,
): { low: number; high: number } | undefined {
	const runs: { low: number; high: number; count: number }[] = [];
	const blocked = (from: number, to: number): boolean =>
		taken.some((range) => range.low < to && from < range.high);
	for (const word of words) {
		if (blocked(word, word + 1)) continue;
		const last = runs.at(-1);
		// A hole of two words is bridged: articles and particles often have no partner.
		if (last && word - last.high <= 2 && !blocked(last.high, word + 1)) {
			last.high = word + 1;
			last.count++;
		} else runs.push({ low: word, high: word + 1, count: 1 });
	}
	const best = runs.sort((a, b) => b.count - a.count)[0];
	if (!best) return undefined;
	if (node.openStart && !blocked(low, best.low)) best.low = low;
	if (node.openEnd && !blocked(best.high, high)) best.high = high;
	return best;
}

/**
 * For every target word, the source offset it stands for: its link, or by position between the
 * links of its neighbours.
 */
function targetAnchors(
	sourceWords: readonly Span[],
	targetWords: readonly Span[],
	links: readonly Link[],
): (number | undefined)[] {
	const linked: (number | undefined)[] = targetWords.map(() => undefined);
	for (const { source, target } of links) linked[target] ??= source;
	let before = { word: -1, source: -1 };
	let next = 0;
	const anchors: number[] = [];
	for (let word = 0; word < targetWords.length; word++) {
		const own = linked[word];
		if (own !== undefined) {
			before = { word, source: own };
			anchors.push(own);
			continue;
		}
		while (next <= word || (next < linked.length && linked[next] === undefined)) next++;
		const after =
			next >= linked.length
				? { word: targetWords.length, source: sourceWords.length }
				: { word: next, source: linked[next] ?? 0 };
		// Words in between run along with the source; where the order is reversed they stay put.
		const step = Math.max(0, after.source - before.source) / (after.word - before.word);
		const guess = Math.floor(before.source + step * (word - before.word));
		anchors.push(Math.min(Math.max(guess, 0), sourceWords.length - 1));
	}
	return anchors.map((source) => sourceWords[source]?.[0]);
}
