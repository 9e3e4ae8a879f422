/** The places of a Markdown document that links lead to, gathered while it is read. */

import { defined } from '../../../protocol/defined.ts';
import { decodeEntities } from '../../entities.ts';
import type { Heading, HeadingLink, OutwardLink } from '../slugs.ts';
import type { InlineNode } from './inline.ts';

const attribute = /\s(href|to|id|name)\s*=\s*(?:\{\s*)?(["'])([^"'<>\s]{1,300})\2/gi;
const tag = /<(\/?)([A-Za-z][\w.:-]{0,60})[^<>]*>/g;

export class AnchorCollector {
	readonly headings: Heading[] = [];
	readonly links: HeadingLink[] = [];
	readonly outward: OutwardLink[] = [];
	readonly ids = new Set<string>();

	/** Where a link leads to, at an offset of the document. */
	target(raw: string, at: number): void {
		const cut = raw.indexOf('#');
		if (cut < 0 || cut + 1 === raw.length) return;
		const isEncoded = /%[\da-f]{2}/i.test(raw.slice(cut));
		const [start, end, name] = [at + cut + 1, at + raw.length, decoded(raw.slice(cut + 1))];
		const path = decoded(raw.slice(0, cut));
		// Neither another site nor a path from the root of this one.
		if (/^\/|[?:]/.test(path)) return;
		if (path !== '') this.outward.push({ start, end, path, name, isEncoded });
		else this.links.push({ start, end, name, ...(isEncoded ? { write: encodeURIComponent } : {}) });
	}

	/** The tag of an element. */
	tag(raw: string, at: number): void {
		const isLink = /^<a\s/i.test(raw);
		for (const match of raw.matchAll(attribute)) {
			const [all, name = '', , value = ''] = match;
			const key = name.toLowerCase();
			if (key === 'id' || (key === 'name' && isLink)) this.ids.add(value);
			else if (key !== 'name') this.target(value, at + match.index + all.length - 1 - value.length);
		}
	}

	/** A heading in the source code of Markdown. */
	heading(nodes: readonly InlineNode[], text: string): void {
		let words = '';
		let id: string | undefined;
		for (const { role, start, end, node = '' } of nodes) {
			const raw = text.slice(start, end);
			if (role === 'text') words += plainWords(raw);
			else if (role === 'code') words += raw.replaceAll('`', '');
			else if (role === 'soft' || role === 'hard') words += ' ';
			else if (role === 'single') {
				id ??= givenId.exec(raw)?.[1];
				if (spoken.test(node) && !givenId.test(raw)) words += withoutTags(raw);
			}
		}
		this.headings.push({ words: words.trim(), ...defined({ id }) });
	}

	/** A heading that is not looked into. */
	unread(raw: string): void {
		this.headings.push({ words: raw });
	}

	/** A block of HTML. */
	html(raw: string, at: number): void {
		let open: { readonly level: string; readonly from: number; readonly id?: string } | undefined;
		for (const match of raw.matchAll(tag)) {
			const [all, slash, element = ''] = match;
			const [, level] = /^h([1-6])$/i.exec(element) ?? [];
			if (slash === '') this.tag(all, at + match.index);
			if (level === undefined) continue;
			if (slash === '') {
				const [, id] = /\sid\s*=\s*["']?([^"'<>\s]{1,300})/i.exec(all) ?? [];
				open = { level, from: match.index + all.length, ...defined({ id }) };
			} else if (open?.level === level) {
				const inside = withoutTags(raw.slice(open.from, match.index));
				const words = decodeEntities(inside, 0).text.replace(/\s+/g, ' ').trim();
				this.headings.push({ words, ...defined({ id: open.id }) });
				open = undefined;
			}
		}
	}
}

const givenId = /^\{:?[ \t]*#([\w:.-]+)/;
/** Parts of a heading that are read in it. */
const spoken = /^(?:kept|autolink|literalAutolink|mathText|code|mdxTextExpression) /;

const withoutTags = (raw: string): string => raw.replace(/<[^<>]*>/g, '');

const plainWords = (raw: string): string =>
	decodeEntities(raw.replace(/\\([!-/:-@[-`{-~])/g, '$1'), 0).text;

function decoded(fragment: string): string {
	try {
		return decodeURIComponent(fragment);
	} catch {
		return fragment;
	}
}
