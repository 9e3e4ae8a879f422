/** Titles of AsciiDoc and the references to them, by the addresses that Asciidoctor and GitHub make of their words. */

import { linesOf } from '../../whiteSpace.ts';
import { isWithin } from '../edits.ts';
import {
	type DocumentAnchors,
	type Heading,
	type HeadingLink,
	type OutwardLink,
	type Slugs,
	slugsBy,
} from '../slugs.ts';
import { verbatimEnd } from './asciiBlocks.ts';
import { asciiDialect } from './asciiDialect.ts';
import { isUnderlined } from './marks.ts';

const given =
	/\[\[([\p{L}_:][\p{L}\p{N}_:.-]{0,200})(?:,[^\]\n]{0,200})?\]\]|^\[[\w-]{0,40}#([^\s,.%\]]{1,200})|^\[(?:[^\]\n]{0,200},[ \t]{0,8})?id=["']?([^"',\]\s]{1,200})|\banchor:([^\s[\]]{1,200})\[/gu;
const reference =
	/<<#?(?<cross>[^<>,#]{1,200})(?:,[^<>]{0,300})?>>|\bxref:#?(?<xref>[^\s[\]#]{1,200})\[|\blink:#(?<link>[^\s[\]#]{1,200})\[/dg;
const elsewhere =
	/(?:<<|\bxref:|\blink:)(?<path>[^\s<>,#[\]:/][^\s<>,#[\]:]{0,300})#(?<id>[^\s<>,#[\]]{1,200})(?=[,>[])/dg;

export function asciiDocAnchors(text: string): DocumentAnchors {
	const { marks } = asciiDialect(text);
	const lines = linesOf(text);
	const headings: Heading[] = [];
	const ids = new Set<string>();
	const attributes = new Map<string, string>();
	const verbatim: { start: number; end: number }[] = [];
	/** The address that the lines above give to a title. */
	let id: string | undefined;
	for (let at = 0; at < lines.length; at++) {
		const { start, text: line } = lines[at] ?? { start: 0, text: '' };
		const end = verbatimEnd(lines, at);
		if (end !== undefined) {
			const last = lines[Math.min(end, lines.length - 1)];
			verbatim.push({ start, end: (last?.start ?? start) + (last?.text.length ?? 0) });
			at = end;
			continue;
		}
		const body = line.trimEnd();
		const [, name, value = ''] = /^:([\w-]{1,60}):[ \t]*(.{0,300})$/.exec(body) ?? [];
		if (name !== undefined) attributes.set(name, value);
		const named = [...body.matchAll(given)].flatMap((match) => match.slice(1).filter(Boolean));
		for (const one of named) ids.add(one);
		const own = named.at(-1);
		const [, signs, title] = /^(={1,6}|#{1,6})[ \t]+(\S.*)$/.exec(body) ?? [];
		const below = lines[at + 1]?.text ?? '';
		const isLined = title === undefined && isUnderlined(body, below);
		if (title === undefined && !isLined) {
			const isApart = /^\[.*\]$|^\/\/|^$/.test(body);
			id = isApart ? (own ?? id) : undefined;
			continue;
		}
		// The title of the document has no address.
		const isFirst =
			headings.length === 0 && (isLined ? below.startsWith('=') : signs?.length === 1);
		const words = plainTitle(title ?? body, marks, attributes);
		const address = isFirst ? '' : (own ?? id);
		headings.push(address === undefined ? { words } : { words, id: address });
		id = undefined;
		if (isLined) at++;
	}
	const links: HeadingLink[] = [];
	for (const match of text.matchAll(reference)) {
		const [place] = Object.values(match.indices?.groups ?? {}).filter((one) => one !== undefined);
		if (!place || isWithin(verbatim, match.index, match.index + match[0].length)) continue;
		const [start, end] = place;
		links.push({ start, end, name: text.slice(start, end).replace(/\s+/g, ' ') });
	}
	const outward: OutwardLink[] = [];
	for (const match of text.matchAll(elsewhere)) {
		const [start, end] = match.indices?.groups?.['id'] ?? [0, 0];
		const { path = '', id: name = '' } = match.groups ?? {};
		if (!isWithin(verbatim, start, end)) outward.push({ start, end, path, name, isEncoded: false });
	}
	const [prefix, joint] = [attributes.get('idprefix') ?? '_', attributes.get('idseparator') ?? '_'];
	return { headings, links, outward, ids, slugs: [byId(prefix, joint), byId('', '-'), byTitle] };
}

/** A title without the signs that may stand behind it as they do before it. */
function withoutClosing(title: string): string {
	let end = title.length;
	while (title[end - 1] === '=') end--;
	const isClosed = end < title.length && /[ \t]/.test(title[end - 1] ?? '');
	return isClosed ? title.slice(0, end).trimEnd() : title;
}

/** What is read of a title. */
function plainTitle(title: string, marks: RegExp, attributes: ReadonlyMap<string, string>): string {
	const plain = (text: string) =>
		text.replace(marks, (mark: string, ...rest: unknown[]) => {
			const groups = Object.values(rest.at(-1) as Record<string, string | undefined>);
			const words = groups.find((one) => one !== undefined);
			if (words !== undefined) return words;
			if (mark.startsWith('{')) return attributes.get(mark.slice(1, -1)) ?? mark;
			return mark.startsWith('[[') ? '' : mark.replace(/[`+]/g, '');
		});
	// Marks stand within others.
	return plain(plain(withoutClosing(title)))
		.replace(/\s+/g, ' ')
		.trim();
}

/** @see https://docs.asciidoctor.org/asciidoc/latest/sections/auto-ids/ */
function byId(prefix: string, joint: string): Slugs {
	const sign = joint.charAt(0);
	const between = new Set(sign === '-' || sign === '.' ? ' .-' : ` ${sign}.-`);
	return slugsBy(
		(words) => {
			const letters = words
				.toLowerCase()
				.replaceAll(' -- ', '')
				.replace(/[^ \p{Alphabetic}\p{M}\p{Nd}\p{Pc}.-]/gu, '');
			if (sign === '') return prefix + letters.replaceAll(' ', '');
			const id: string[] = [];
			for (const letter of prefix + letters) {
				if (!between.has(letter)) id.push(letter);
				else if (id.at(-1) !== sign) id.push(sign);
			}
			if (id.at(-1) === sign) id.pop();
			return id.slice(prefix === '' && id[0] === sign ? 1 : 0).join('');
		},
		sign,
		2,
	);
}

/** A reference may name the words of a title, where no address could be meant. */
const byTitle: Slugs = (headings) =>
	headings.map(({ words, id }) =>
		id !== '' && /[ \p{Lu}]/u.test(words) && !/[<>,#[\]]/.test(words) ? words : '',
	);
