/** Formats of programs' messages, of tables and of light markup, by the endings of their names. */

import { extractCsv, extractTsv } from './csvDocument.ts';
import type { Extract } from './piece.ts';
import { extractAsciiDoc } from './prose/asciiDoc.ts';
import { extractNotebook } from './prose/notebook.ts';
import { extractRst } from './prose/restructuredText.ts';
import { extractAndroid } from './software/androidStrings.ts';
import { extractAppleStrings, extractStringsDict } from './software/appleStrings.ts';
import { extractFluent } from './software/fluentMessages.ts';
import { extractPhp, isPhpMessages } from './software/phpArrays.ts';
import { extractQt, isQtMessages } from './software/qtMessages.ts';
import { extractResx } from './software/resxStrings.ts';
import { extractStringCatalog } from './software/stringCatalog.ts';
import { extractToml } from './software/tomlDocument.ts';

export const moreFormats: Readonly<Record<string, Extract>> = {
	adoc: extractAsciiDoc,
	asciidoc: extractAsciiDoc,
	csv: extractCsv,
	ftl: extractFluent,
	ipynb: extractNotebook,
	resx: extractResx,
	rst: extractRst,
	strings: extractAppleStrings,
	stringsdict: extractStringsDict,
	toml: extractToml,
	tsv: extractTsv,
	xcstrings: extractStringCatalog,
};

interface Shared {
	readonly extract: Extract;
	/** Names that no other kind of file has. */
	readonly names: RegExp;
	readonly isOne: (text: string) => boolean;
}

/** Endings that programs and other data have as well. */
const shared: Readonly<Record<string, Shared>> = {
	php: {
		extract: extractPhp,
		names: /(?:^|[/\\])(?:lang|locales?|translations)[/\\].*\.php$/i,
		isOne: isPhpMessages,
	},
	ts: { extract: extractQt, names: /^$/, isOne: isQtMessages },
	xml: {
		extract: extractAndroid,
		names: /(?:^|[/\\])(?:strings|arrays|plurals)[\w-]*\.xml$/i,
		isOne: (text) => /^\ufeff?[^<]*(?:<[?!][^>]*>[^<]*)*<resources\b/.test(text.slice(0, 10_000)),
	},
};

/** Endings of files that have to be looked into. */
export const sharedEndings: readonly string[] = Object.keys(shared);

const sharedOf = (fileName: string): Shared | undefined => {
	const ending = /\.([^./\\]+)$/.exec(fileName)?.[1]?.toLowerCase() ?? '';
	return Object.hasOwn(shared, ending) ? shared[ending] : undefined;
};

/** Format of a file whose ending several kinds of files have. Without its text only its name says which. */
export function sharedFormatOf(fileName: string, text: string | undefined): Extract | undefined {
	const format = sharedOf(fileName);
	if (!format) return undefined;
	return (text === undefined ? format.names.test(fileName) : format.isOne(text))
		? format.extract
		: undefined;
}

/** Whether a file's text says what its name does not. */
export const mustBeRead = (fileName: string): boolean => sharedOf(fileName) !== undefined;
