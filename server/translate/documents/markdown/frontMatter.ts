/** Front matter: what of it is read on a page, and the language it names. */

import { canonicalLanguage, sameLanguage } from '../../languageCodes.ts';
import { languageTag } from '../languageTag.ts';
import { moved, type Piece } from '../piece.ts';
import { yamlPieces } from '../yamlTexts.ts';

/** Keys whose values are words for readers, in the front matter of the common generators. */
const read = new Set(
	(
		'title subtitle description summary excerpt abstract lead tagline caption details heading subheading ' +
		'sidebar_label sidebarlabel sidebartitle linktitle pagination_label navtitle nav_title shorttitle hero_title alt'
	).split(' '),
);
/** These only inside of others, such as a button of a start page. */
const readInside = new Set(['text', 'label', 'name']);

const isRead = (keys: readonly string[]): boolean => {
	const key = keys.at(-1)?.toLowerCase() ?? '';
	const parents = keys.slice(0, -1).map((one) => one.toLowerCase());
	if (read.has(key)) return true;
	return readInside.has(key) && parents.some((one) => /^(?:hero|features|actions|cta)$/.test(one));
};

/** Words in front matter, given with the lines around it. */
export function frontMatterPieces(raw: string, type: 'yaml' | 'toml'): Piece[] {
	const start = raw.indexOf('\n') + 1;
	const end = raw.lastIndexOf('\n') + 1;
	if (end <= start) return [];
	const inner = raw.slice(start, end);
	const pieces = type === 'yaml' ? yamlPieces(inner, undefined, isRead) : tomlPieces(inner);
	return moved(pieces, start);
}

/** Strings in double quotes on lines of their own, which is how front matter has them. */
function tomlPieces(text: string): Piece[] {
	const pieces: Piece[] = [];
	const line = /^[ \t]{0,20}([\w-]{1,60})[ \t]{0,20}=[ \t]{0,20}("(?:[^"\\\r\n]|\\.)*")/gm;
	for (const match of text.matchAll(line)) {
		const [all, key = '', raw = ''] = match;
		const value = stringOf(raw);
		if (!isRead([key]) || value === undefined || !/\p{L}{2}/u.test(value)) continue;
		const end = match.index + all.length;
		pieces.push({
			start: end - raw.length,
			end,
			text: value,
			encode: (made) => JSON.stringify(made),
		});
	}
	return pieces;
}

/** Strings of TOML have the escapes of JSON, and some more, which are left alone. */
function stringOf(raw: string): string | undefined {
	try {
		return String(JSON.parse(raw));
	} catch {
		return undefined;
	}
}

/** A document whose front matter names the target where it named another language. */
export function withFrontMatterLanguage(text: string, to: string): string {
	const tag = languageTag(to);
	const [head = ''] =
		/^(?:---|\+\+\+)\r?\n[\s\S]*?\r?\n(?:---|\+\+\+)[ \t]*(?:\r?\n|$)/.exec(text) ?? [];
	if (tag === undefined || head === '') return text;
	const line =
		/^((?:lang|language|locale)[ \t]*[:=][ \t]*["']?)([A-Za-z]{2,3}(?:[-_][\w-]{2,12})?)(?=["']?[ \t]*\r?$)/m;
	const made = head.replace(line, (all, before: string, named: string) =>
		// `language: go` says in what samples are written.
		canonicalLanguage(named.replaceAll('_', '-')) === undefined ||
		sameLanguage(named.replaceAll('_', '-'), tag)
			? all
			: before + (named.includes('_') ? tag.replaceAll('-', '_') : tag),
	);
	return made + text.slice(head.length);
}
