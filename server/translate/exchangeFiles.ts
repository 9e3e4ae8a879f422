/** Memories and glossaries in the forms other programs read: TMX 1.4b, and TBX version 2 (ISO 30042:2008). */

import type { Term } from './glossary.ts';
import type { MemoryPair } from './memory.ts';

/** A pair of languages (BCP 47). */
interface Languages {
	readonly source: string;
	readonly target: string;
}

/** @param version Of this program */
export function tmxText(
	pairs: readonly MemoryPair[],
	{ source, target }: Languages,
	version: string,
): string {
	const [from, to] = [quoted(source), quoted(target)];
	const units = pairs.map(
		(pair) =>
			`\t\t<tu>\n\t\t\t<tuv xml:lang="${from}"><seg>${escaped(pair.source)}</seg></tuv>\n\t\t\t<tuv xml:lang="${to}"><seg>${escaped(pair.target)}</seg></tuv>\n\t\t</tu>\n`,
	);
	return `${head}<tmx version="1.4">\n\t<header creationtool="nearglot" creationtoolversion="${quoted(version)}" segtype="sentence" o-tmf="nearglot" adminlang="en" srclang="${from}" datatype="plaintext"/>\n\t<body>\n${units.join('')}\t</body>\n</tmx>\n`;
}

/** @param title What the glossary is called */
export function tbxText(
	terms: readonly Term[],
	{ source, target }: Languages,
	title: string,
): string {
	const group = (language: string, term: string, rest: string): string =>
		`\t\t\t\t<langSet xml:lang="${quoted(language)}"><tig><term>${escaped(term)}</term>${rest}</tig></langSet>\n`;
	const entries = terms.map(({ source: from, target: to, partOfSpeech, examples }, index) => {
		const note =
			partOfSpeech === undefined
				? ''
				: `<termNote type="partOfSpeech">${escaped(partOfSpeech)}</termNote>`;
		const shown = (side: 'source' | 'target'): string =>
			examples
				.map((example) => `<descrip type="context">${escaped(example[side])}</descrip>`)
				.join('');
		return `\t\t\t<termEntry id="c${index + 1}">\n${group(source, from, note + shown('source'))}${group(target, to, note + shown('target'))}\t\t\t</termEntry>\n`;
	});
	return `${head}<martif type="TBX" xml:lang="${quoted(source)}">\n\t<martifHeader><fileDesc><sourceDesc><p>${escaped(title)}</p></sourceDesc></fileDesc></martifHeader>\n\t<text>\n\t\t<body>\n${entries.join('')}\t\t</body>\n\t</text>\n</martif>\n`;
}

const head = '<?xml version="1.0" encoding="UTF-8"?>\n';

/** Text of an element; characters that XML has not are left out. */
function escaped(text: string): string {
	return text
		.toWellFormed()
		.replace(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '')
		.replaceAll('&', '&amp;')
		.replaceAll('<', '&lt;')
		.replaceAll('>', '&gt;')
		.replaceAll('\r', '&#13;');
}

const quoted = (text: string): string => escaped(text).replaceAll('"', '&quot;');
