/** Glossaries as files that come with a request: which format, and the terms of a pair of languages. */

import { Parser } from 'htmlparser2';
import { type Term, tableTerms, tbxTerms } from './glossary.ts';
import { canonicalLanguage } from './languageCodes.ts';
import { tmxMemory } from './memory.ts';

/** File name ending → content types, and how terms are read. */
export const glossaryFormats: Readonly<
	Record<
		string,
		{
			readonly contentTypes: readonly string[];
			readonly read: (text: string, source: string, target: string) => Term[];
		}
	>
> = {
	csv: { contentTypes: ['text/csv'], read: (text) => tableTerms(text, ',', 'The glossary') },
	tsv: {
		contentTypes: ['text/tab-separated-values'],
		read: (text) => tableTerms(text, '\t', 'The glossary'),
	},
	tab: {
		contentTypes: ['text/tab-separated-values'],
		read: (text) => tableTerms(text, '\t', 'The glossary'),
	},
	tbx: { contentTypes: ['application/x-tbx'], read: tbxTerms },
	tmx: {
		contentTypes: ['application/x-tmx'],
		read: (text, source, target) => tmxMemory(text, source, target).map(termOf),
	},
	xlf: { contentTypes: ['application/xliff+xml'], read: xliffTerms },
	xliff: { contentTypes: ['application/xliff+xml'], read: xliffTerms },
};

/** The reader of a glossary by its name, else by its type; `undefined` when there is none. */
export function glossaryFormatOf(fileName: string, contentType: string) {
	const ending = /\.([^./\\]+)$/.exec(fileName)?.[1]?.toLowerCase() ?? '';
	if (Object.hasOwn(glossaryFormats, ending)) return glossaryFormats[ending];
	return Object.values(glossaryFormats).find(({ contentTypes }) =>
		contentTypes.includes(contentType),
	);
}

const termOf = ({ source, target }: { source: string; target: string }): Term => ({
	...{ source, target, examples: [] },
	caseSensitive: /\p{Lu}/u.test(source),
});

/** Sources with their targets, of a file (1.2 or 2.0) whose languages are those that are wanted or not named. */
function xliffTerms(text: string, source: string, target: string): Term[] {
	const terms: Term[] = [];
	let isWanted = true;
	let inside = '';
	let from = '';
	let buffer = '';
	const isOther = (written: string | undefined, wanted: string): boolean =>
		written !== undefined && canonicalLanguage(written) !== wanted;
	const parser = new Parser(
		{
			onopentag(name, attributes) {
				if (name === 'file' || name === 'xliff')
					isWanted =
						!isOther(attributes['source-language'] ?? attributes['srcLang'], source) &&
						!isOther(attributes['target-language'] ?? attributes['trgLang'], target);
				if (name === 'source' || name === 'target') {
					inside = name;
					buffer = '';
				}
			},
			ontext(part) {
				if (inside !== '') buffer += part;
			},
			onclosetag(name) {
				if (name !== inside) return;
				inside = '';
				if (name === 'source') from = buffer.trim();
				else if (isWanted && from !== '' && buffer.trim() !== '')
					terms.push(termOf({ source: from, target: buffer.trim() }));
				if (name === 'target') from = '';
			},
		},
		{ xmlMode: true, decodeEntities: true },
	);
	parser.end(text);
	return terms;
}
