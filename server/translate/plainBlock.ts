/** Plain text → one block. Tags written into plain text are kept, and so is the dictionary element. */

import { type Block, completePairs, type Mark, protectedBetween, rawWithFixed } from './block.ts';
import type { Fixed } from './mask.ts';

const tagPattern =
	/<(mstrans|xtrans):dictionary translation=(?:"([^"<>]*)"|([^\s"'<>=`]+))>([^<]*)<\/\1:dictionary>|<(\/?)([A-Za-z][\w:.-]*)((?:\s+[\w:.@-]+(?:\s*=\s*(?:"[^"]*"|'[^']*'|[^\s"'<>=`]+))?)*)\s*(\/?)>/g;

/** HTML elements that part what is before them from what is after them. */
const parting = new Set(
	(
		'address article aside blockquote body button caption dd details div dl dt fieldset figcaption ' +
		'figure footer form h1 h2 h3 h4 h5 h6 head header html label li main nav ol option p pre section ' +
		'select summary table tbody td tfoot th thead title tr ul'
	).split(' '),
);

interface Tag {
	readonly at: number;
	readonly end: number;
	readonly name: string;
	readonly close: boolean;
	/** Number shared with its partner; −1 while it has none. */
	pair: number;
}

interface Term {
	readonly at: number;
	readonly end: number;
	readonly shown: string;
	readonly target: string;
}

type Found = Tag | Term;

function findTags(source: string): { tags: Tag[]; dictionary: Term[] } {
	const tags: Tag[] = [];
	const dictionary: Term[] = [];
	const open: Tag[] = [];
	/** Of each name those that may still be open, with their places: looking through all takes too long. */
	const named = new Map<string, { readonly tag: Tag; readonly place: number }[]>();
	let pairs = 0;
	for (const match of source.matchAll(tagPattern)) {
		const at = match.index;
		const end = at + match[0].length;
		const [, prefix, quoted, bare, shown, slash, name, , selfClosing] = match;
		if (prefix !== undefined) {
			dictionary.push({ at, end, target: quoted ?? bare ?? '', shown: shown ?? '' });
			continue;
		}
		const tag: Tag = { at, end, name: name ?? '', close: slash === '/', pair: -1 };
		tags.push(tag);
		if (selfClosing === '/') continue;
		if (!tag.close) {
			const same = named.get(tag.name) ?? [];
			named.set(tag.name, same);
			same.push({ tag, place: open.length });
			open.push(tag);
			continue;
		}
		const same = named.get(tag.name) ?? [];
		let first = same.pop();
		while (first && open[first.place] !== first.tag) first = same.pop();
		if (!first) continue;
		tag.pair = first.tag.pair = pairs++;
		// Whatever was opened in between has no end and stands for itself.
		open.length = first.place;
	}
	return { tags, dictionary };
}

/**
 * The block of a plain text. Tags that come in pairs become marks and move with their words; single
 * ones (`Vec<String>`, `<name>`) are protected where they stand.
 */
export function plainBlock(source: string): Block {
	const { tags, dictionary } = findTags(source);
	const pieces: Found[] = [...tags, ...dictionary].sort((a, b) => a.at - b.at);
	let text = '';
	let from = 0;
	const marks: Mark[] = [];
	const fixed: Fixed[] = [];
	const breaks: number[] = [];
	for (const piece of pieces) {
		text += source.slice(from, piece.at);
		const written = source.slice(piece.at, piece.end);
		from = piece.end;
		if ('pair' in piece && piece.pair >= 0) {
			const kind = piece.close ? 'close' : 'open';
			marks.push({ at: text.length, raw: written, kind, pair: piece.pair });
			if (parting.has(piece.name.toLowerCase())) breaks.push(text.length);
			continue;
		}
		const shown = 'shown' in piece ? piece.shown : written;
		const target = 'target' in piece ? piece.target : written;
		fixed.push({ start: text.length, end: text.length + shown.length, target, source: written });
		text += shown;
	}
	text += source.slice(from);

	const whole = text;
	const found = protectedBetween(whole, marks, fixed).map(([start, end]) => ({
		start,
		end,
		target: whole.slice(start, end),
	}));
	const all = [...fixed, ...found].sort((a, b) => a.start - b.start);
	return {
		text: whole,
		marks: completePairs(marks),
		fixed: all,
		breaks,
		raw: rawWithFixed((start, end) => whole.slice(start, end), fixed),
		escape: (value) => value,
	};
}

/** Whether a text uses the dictionary element (well formed), in either text type. */
export function usesDictionary(text: string): boolean {
	return /<(mstrans|xtrans):dictionary translation=(?:"[^"<>]*"|[^\s"'<>=`]+)>/.test(text);
}
