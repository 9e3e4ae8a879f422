/** Marks inside a line of Markdown: emphasis, code spans, links with their targets, images, footnotes. */

import type { InlinePart } from './inlineTags.ts';

/** Brackets are looked at more closely where they are found. */
const candidates =
	/`+[^`\n]*`+|!?\[|\]\([^()\s]*(?:\s+"[^"]*")?\)|\]\[[^\]]*\]|<[^<>\s][^<>]*>|\*\*|__|~~|(?<![\w*])\*(?=\S)|(?<=\S)\*(?![\w*])|(?<!\w)_(?=\S)|(?<=\S)_(?!\w)/g;

interface InlineMark {
	readonly start: number;
	readonly raw: string;
}

/** Marks in order. */
function* marksIn(text: string): Generator<InlineMark, void, undefined> {
	const search = new RegExp(candidates);
	/** The first closing bracket from some place on; where it is does not change while it is ahead. */
	let closing = -1;
	const closingFrom = (at: number) => {
		if (closing < at) closing = text.indexOf(']', at);
		if (closing < 0) closing = text.length;
		return closing;
	};
	for (let match = search.exec(text); match; match = search.exec(text)) {
		const [raw] = match;
		const start = match.index;
		if (!raw.endsWith('[') || raw.length > 2) {
			yield { start, raw };
			continue;
		}
		const close = closingFrom(start + raw.length);
		if (text.startsWith('](', close)) yield { start, raw };
		else if (raw === '[' && text[start + 1] === '^' && close > start + 2 && close < text.length) {
			search.lastIndex = close + 1;
			yield { start, raw: text.slice(start, close + 1) };
		} else search.lastIndex = start + 1;
	}
}

/** The words of a text, with nothing in place of the marks. */
export function withoutMarks(text: string): string {
	let words = '';
	let next = 0;
	for (const { start, raw } of marksIn(text)) {
		words += text.slice(next, start);
		next = start + raw.length;
	}
	return words + text.slice(next);
}

/** Marks and what is between them; code spans are left to translators, who keep them. */
export function inlineParts(text: string): InlinePart[] {
	const parts: { raw: string; role: InlinePart['role']; pair?: number }[] = [];
	const open = new OpenMarks();
	let next = 0;
	const add = (raw: string, role: InlinePart['role']) => parts.push({ raw, role }) - 1;
	for (const { start, raw } of marksIn(text)) {
		if (raw.startsWith('`')) continue;
		if (start > next) add(text.slice(next, start), 'text');
		next = start + raw.length;
		const at = add(raw, 'single');
		const kind = endOf(raw);
		const partner = kind.closes === undefined ? undefined : open.close(kind.closes);
		if (partner !== undefined) {
			Object.assign(parts[partner] ?? {}, { role: 'open', pair: partner });
			Object.assign(parts[at] ?? {}, { role: 'close', pair: partner });
		} else if (kind.opens !== undefined) open.add(at, kind.opens);
	}
	if (next < text.length) add(text.slice(next), 'text');
	return parts;
}

/** Places of marks that wait for their partners, with what ends them. */
class OpenMarks {
	readonly #waiting: { readonly at: number; readonly end: string }[] = [];
	/** How many wait for each end. */
	readonly #counts = new Map<string, number>();

	add(at: number, end: string): void {
		this.#waiting.push({ at, end });
		this.#counts.set(end, (this.#counts.get(end) ?? 0) + 1);
	}

	/** The last mark that waits for an end; what was opened after it stands for itself. */
	close(end: string): number | undefined {
		if (!this.#counts.get(end)) return undefined;
		for (let last = this.#waiting.pop(); last; last = this.#waiting.pop()) {
			this.#counts.set(last.end, (this.#counts.get(last.end) ?? 1) - 1);
			if (last.end === end) return last.at;
		}
		return undefined;
	}
}

/** What a mark may close, and what would close it. */
function endOf(raw: string): { opens?: string; closes?: string } {
	if (raw === '[' || raw === '![') return { opens: ']' };
	if (raw.startsWith(']')) return { closes: ']' };
	const tag = /^<(\/?)([A-Za-z][\w.-]*)/.exec(raw);
	if (tag) {
		const [, slash, name = ''] = tag;
		if (slash === '/') return { closes: `<${name}` };
		const isVoid = raw.endsWith('/>') || /^(?:br|img|input|wbr)$/i.test(name);
		return isVoid ? {} : { opens: `<${name}` };
	}
	return /^(?:\*\*|__|~~|\*|_)$/.test(raw) ? { opens: raw, closes: raw } : {};
}
