/**
 * Lists of a translated file in the order of their source: the record says from which text each item was made, so that
 * translations go with their sources when items are put in, taken out or moved.
 */

import { applyEdits } from './edits.ts';
import { flatMessages, isFlat, translatableMessages } from './flatMessages.ts';
import type { MessageFormat } from './messageChanges.ts';
import type { LineItem, MessageLine } from './messageLines.ts';
import type { MessageEdit } from './messageTree.ts';
import { type MadeMessage, messageHash, pointerOf } from './translationRecord.ts';

type Recorded = ReadonlyMap<string, MadeMessage>;

export interface AlignedLists {
	/** The translated file; items without a translation are empty. */
	readonly text: string;
	/** What was recorded, by the new places of the items. */
	readonly recorded: Recorded | undefined;
	/** Keys of the lists that are changed. */
	readonly keys: ReadonlySet<string>;
	/** Pointers of texts whose translations are there, in other places; none of lists that lack some. */
	readonly moved: ReadonlySet<string>;
	/** Where something stands in the file as it was. */
	readonly placeOf: (at: number) => number;
}

/** @param except keys of lists that stay as they are */
export function alignedLists(
	sourceText: string,
	targetText: string,
	format: MessageFormat,
	recorded: Recorded | undefined,
	except: ReadonlySet<string> = new Set(),
): AlignedLists {
	const none = { keys: new Set<string>(), moved: new Set<string>() };
	const same = { text: targetText, recorded, ...none, placeOf: (at: number) => at };
	if (!isFlat(format) || !recorded) return same;
	const { lines } = flatMessages[format];
	const there = new Map(lines(targetText).map((line) => [line.key, line]));
	const edits: MessageEdit[] = [];
	const made = new Map(recorded);
	const moved = new Set<string>();
	const keys = new Set<string>();
	for (const line of translatableMessages(lines(sourceText))) {
		const own = there.get(line.key);
		if (!line.isList || !own?.isFilled || except.has(line.key)) continue;
		const pairs = pairsOf(line, own, recorded);
		if (!pairs) continue;
		keys.add(line.key);
		edits.push(listEdit(line.items ?? [], own.items ?? [], pairs, targetText));
		for (const pointer of recorded.keys())
			if (pointer.startsWith(`${pointerOf([line.key])}/`)) made.delete(pointer);
		pairs.forEach((from, at) => {
			const known = from === undefined ? undefined : recorded.get(itemPointer(line.key, from));
			if (known) made.set(itemPointer(line.key, at), known);
		});
		const said = [...pairs.entries()].filter(([at]) => line.items?.[at]?.parts.length !== 0);
		if (said.every(([, from]) => from !== undefined))
			for (const [at, from] of said) if (from !== at) moved.add(itemPointer(line.key, at));
	}
	if (keys.size === 0) return same;
	const ordered = edits.sort((a, b) => a.start - b.start);
	const { text, ranges } = applyEdits(targetText, ordered);
	const placeOf = (at: number): number => {
		const index = ranges.findLastIndex(({ start }) => start <= at);
		const [edit, range] = [ordered[index], ranges[index]];
		if (!edit || !range) return at;
		return at < range.end ? edit.start : at - range.end + edit.end;
	};
	return { text, recorded: made, keys, moved, placeOf };
}

const itemPointer = (key: string, at: number): string => pointerOf([key, String(at)]);

/** By source item: the item of the target that translates it. `undefined` where all are in their places, or the record cannot tell. */
function pairsOf(
	{ key, items = [] }: MessageLine,
	{ items: own = [] }: MessageLine,
	recorded: Recorded,
): (number | undefined)[] | undefined {
	const sources = own.map((_, at) => recorded.get(itemPointer(key, at))?.from);
	if (own.some(({ parts }, at) => parts.length > 0 && sources[at] === undefined)) return undefined;
	const free = new Set(own.keys());
	const pairs = new Map<number, number>();
	const pair = (at: number, from: number | undefined): void => {
		if (from === undefined || pairs.has(at) || !free.delete(from)) return;
		pairs.set(at, from);
	};
	const hashes = items.map(({ text }) => messageHash(text));
	for (const [at, hash] of hashes.entries()) if (sources[at] === hash) pair(at, at);
	for (const [at, hash] of hashes.entries())
		pair(
			at,
			[...free].find((from) => sources[from] === hash),
		);
	// One that has changed is in its place still.
	if (items.length === own.length) for (const at of items.keys()) pair(at, at);
	const isInPlace = items.length === own.length && items.every((_, at) => pairs.get(at) === at);
	return isInPlace ? undefined : items.map((_, at) => pairs.get(at));
}

function listEdit(
	items: readonly LineItem[],
	own: readonly LineItem[],
	pairs: readonly (number | undefined)[],
	text: string,
): MessageEdit {
	const [first, second] = own;
	const start = first?.start ?? 0;
	const space = text.slice(text.lastIndexOf('\n', start - 1) + 1, start);
	const eol = text.includes('\r\n') ? '\r\n' : '\n';
	const between = second ? text.slice(first?.end, second.start) : eol + space;
	const rows = items.map(({ code, parts }, at) => {
		// What has no words is as in the source.
		if (parts.length === 0) return code;
		return own[pairs[at] ?? -1]?.code ?? '<item></item>';
	});
	const gap = between.trim() === '' && space.trim() === '' ? between : '';
	return { start, end: own.at(-1)?.end ?? start, text: rows.join(gap) };
}
