/**
 * Documents that are zip files: Office Open XML, OpenDocument, EPUB. Their words are found in some of their
 * parts; all other parts, macros and pictures among them, are not looked at and stay byte for byte.
 */

import { type ArchiveEnding, archiveEndingOf } from '../../../protocol/archiveTypes.ts';
import { AppError } from '../../../protocol/errors.ts';
import { nestedTooDeeply } from '../../nesting.ts';
import { checkWhole } from '../damage.ts';
import { type DocumentPart, DocumentParts } from '../parts.ts';
import type { Extract } from '../piece.ts';
import { XmlError } from '../xmlTree.ts';
import { bookParts } from './bookParts.ts';
import { cellWords, type MadePart, repeatedCells } from './cellRepeats.ts';
import { extractChart } from './chartTexts.ts';
import { openDocumentCodeStyles, wordCodeStyles } from './codeStyles.ts';
import { ComparedWords } from './comparedWords.ts';
import {
	calculatedOnLoad,
	hasFormulas,
	withoutOpenTextResults,
	withoutTextResults,
} from './formulaResults.ts';
import { labelTexts } from './labelTexts.ts';
import { comparedInFormulas, extractOpenDocument } from './mixedParagraphs.ts';
import { openLanguageOf } from './openLanguage.ts';
import { directionTurn } from './readingDirection.ts';
import { sheetPart } from './sheetParts.ts';
import { addComparedWords, extractSheet } from './sheetTexts.ts';
import { extractLayout, extractSlide } from './slideParagraphs.ts';
import { extractWord, wordStyles } from './wordParagraphs.ts';
import { PartReader, protectedFile, refused, type ZipPart, zipParts, zipWith } from './zipFile.ts';

/** @param kept gets what formulas of a workbook and the like compare its cells with */
type Read = (
	parts: readonly ZipPart[],
	reader: PartReader,
	fileName: string,
	kept: ComparedWords,
) => DocumentPart[];

const about = labelTexts(
	['title', 'subject', 'description', 'keywords', 'keyword', 'category'],
	['language'],
);
const chart = extractChart();

const word: Read = (parts, reader, fileName, kept) => {
	const styles = parts.find(({ name }) => name === 'word/styles.xml');
	const extract = extractWord(wordCodeStyles(styles && reader.text(styles)));
	return byName([
		[/^word\/(?:document\d*|header\d*|footer\d*|footnotes|endnotes|comments)\.xml$/, extract],
		[/^word\/charts\/chart\w*\.xml$/, chart],
		[/^word\/(?:diagrams\/(?:data|drawing)\d*|drawings\/drawing\d*)\.xml$/, extractSlide],
		[/^word\/(?:styles|settings)\.xml$/, wordStyles],
		[/^docProps\/core\.xml$/, about],
	])(parts, reader, fileName, kept);
};
const slides = byName([
	[/^ppt\/(?:slides\/slide|notesSlides\/notesSlide)\w*\.xml$/, extractSlide],
	[/^ppt\/charts\/chart\w*\.xml$/, chart],
	[/^ppt\/(?:diagrams\/(?:data|drawing)\d*|drawings\/drawing\d*)\.xml$/, extractSlide],
	[/^ppt\/(?:slideLayout|slideMaster|notesMaster|handoutMaster)s\/\w+\.xml$/, extractLayout],
	[/^ppt\/comments\/(?:modernComment\w*)\.xml$/, extractSlide],
	[/^ppt\/comments\/comment\d*\.xml$/, labelTexts(['text'])],
	[/^docProps\/core\.xml$/, about],
]);

const sheetText =
	/^xl\/(?:sharedStrings|comments\d*|comments\/comments?\d*|threadedComments\/threadedComment\d*)\.xml$/;
const sheet = /^xl\/(?:work|chart)sheets\/\w+\.xml$/;
/** Parts that say with what cells are compared. */
const comparing = /^xl\/(?:workbook|tables\/\w+|pivotCache\/pivotCacheDefinition\d*)\.xml$/;

const sheets: Read = (parts, reader, fileName, kept) => {
	const texts: { name: string; text: string }[] = [];
	for (const part of parts)
		if (sheet.test(part.name) || comparing.test(part.name)) {
			const text = reader.text(part);
			addComparedWords(text, kept);
			if (sheet.test(part.name)) texts.push({ name: part.name, text });
		}
	const extract = extractSheet(kept);
	const rest = byName([
		[sheetText, extract],
		[/^xl\/charts\/chart\w*\.xml$/, extractChart(kept)],
		[/^xl\/(?:drawings\/drawing\d*|diagrams\/(?:data|drawing)\d*)\.xml$/, extractSlide],
		[/^docProps\/core\.xml$/, about],
	]);
	const own = texts.flatMap(({ name, text }) => sheetPart(name, text, extract) ?? []);
	return [...rest(parts, reader, fileName, kept), ...own];
};

/** What changes in a workbook beside its texts: they may be what formulas have made a text of. */
function recalculated(
	parts: readonly ZipPart[],
	changed: Map<string, string>,
	reader: PartReader,
	isOpenSheet: boolean,
): void {
	const textOf = (part: ZipPart) => changed.get(part.name) ?? reader.text(part);
	const content = changed.get('content.xml');
	if (isOpenSheet && content !== undefined)
		changed.set('content.xml', withoutOpenTextResults(content));
	const withFormulas = parts.filter((part) => sheet.test(part.name) && hasFormulas(textOf(part)));
	if (withFormulas.length === 0) return;
	const set = (part: ZipPart, made: string) => {
		if (made !== textOf(part)) changed.set(part.name, made);
	};
	for (const part of withFormulas) set(part, withoutTextResults(textOf(part)));
	const workbook = parts.find(({ name }) => name === 'xl/workbook.xml');
	if (workbook) set(workbook, calculatedOnLoad(textOf(workbook)));
}

/** Parts with the cells of a workbook, and parts with what charts repeat of them. */
const withCells = /^(?:xl\/sharedStrings\.xml|xl\/worksheets\/\w+\.xml|content\.xml)$/;
const withRepeats = /^(?:xl\/charts\/chart\w*\.xml|Object \d+\/content\.xml)$/;

/** Has charts say what cells say. */
function repeated(
	parts: readonly ZipPart[],
	changed: Map<string, string>,
	reader: PartReader,
): void {
	const charts = parts.filter(({ name }) => withRepeats.test(name));
	if (charts.length === 0) return;
	const madeOf = (part: ZipPart): MadePart => {
		const source = reader.text(part);
		return { source, made: changed.get(part.name) ?? source };
	};
	const cells = cellWords(
		parts.filter(({ name }) => withCells.test(name) && changed.has(name)).map(madeOf),
	);
	for (const part of cells.size === 0 ? [] : charts) {
		const own = madeOf(part);
		const made = repeatedCells(own, cells);
		if (made !== own.made) changed.set(part.name, made);
	}
}

/** OpenDocument; a manifest says when parts of it are encrypted. */
function openDocument(isSheet: boolean): Read {
	return (parts, reader, fileName, compared) => {
		const manifest = parts.find(({ name }) => name === 'META-INF/manifest.xml');
		if (manifest && reader.text(manifest).includes('encryption-data'))
			throw protectedFile(fileName);
		const styled = parts.filter(({ name }) => /^(?:content|styles)\.xml$/.test(name));
		const isCodeStyle = openDocumentCodeStyles(styled.map((part) => reader.text(part)));
		const content = parts.find(({ name }) => name === 'content.xml');
		const kept =
			isSheet && content ? comparedInFormulas(reader.text(content), compared) : undefined;
		const styles = parts.find(({ name }) => name === 'styles.xml');
		const source = styles && openLanguageOf(reader.text(styles));
		const extract = extractOpenDocument(isCodeStyle, kept, source);
		// Of what is embedded only charts: cells of tables may be what their formulas compare with.
		const charts = parts.filter(
			(part) =>
				/^Object \d+\/content\.xml$/.test(part.name) && reader.text(part).includes('<office:chart'),
		);
		return byName([
			[/^(?:content|styles)\.xml$/, extract],
			// Charts, whose series and categories say what cells say.
			...charts.map(({ name }) => [new RegExp(`^${name}$`), extract] as const),
			[/^meta\.xml$/, about],
		])(parts, reader, fileName, compared);
	};
}

const readers: Readonly<Record<ArchiveEnding, Read>> = {
	docm: word,
	docx: word,
	dotx: word,
	epub: bookParts,
	odp: openDocument(false),
	ods: openDocument(true),
	odt: openDocument(false),
	otp: openDocument(false),
	ots: openDocument(true),
	ott: openDocument(false),
	potx: slides,
	ppsx: slides,
	pptm: slides,
	pptx: slides,
	xlsm: sheets,
	xlsx: sheets,
	xltx: sheets,
};

/** A document taken apart. */
export interface OpenArchive {
	/** The words of all parts with what stands around them. */
	readonly text: string;
	readonly extract: Extract;
	/**
	 * The file with what has become of {@link text}.
	 *
	 * @param isTurned whether it is read from the right now, and was from the left
	 */
	readonly close: (text: string, isTurned?: boolean) => Uint8Array<ArrayBuffer>;
	/** Texts of cells that stay as formulas and the like compare with them, once they have been looked for. */
	readonly compared: () => string[];
}

/**
 * Takes a document apart.
 *
 * @throws AppError `invalid_request` when it is damaged, encrypted or something else, `too_expensive`
 */
export async function openArchive(bytes: Uint8Array, fileName: string): Promise<OpenArchive> {
	const ending = archiveEndingOf(fileName);
	if (!ending) throw new AppError('not_supported', `${fileName} has no document format.`);
	checkContainer(bytes, fileName);
	const parts = await zipParts(bytes, fileName);
	try {
		const reader = new PartReader(fileName);
		const kept = new ComparedWords();
		const found = readers[ending](parts, reader, fileName, kept);
		if (found.length === 0)
			throw refused(fileName, 'none of its parts holds words, so it is a document of another kind');
		for (const { name, text, extract } of found) checkWhole(text, extract, `${fileName} (${name})`);
		const whole = new DocumentParts(found);
		return {
			text: whole.text,
			extract: whole.extract,
			compared: () => [...kept.found],
			close: (text, isTurned = false) => {
				const changed = whole.changed(text);
				if (changed.size === 0) return new Uint8Array(bytes);
				if (/^(?:xl|o[dt]s)/.test(ending)) repeated(parts, changed, reader);
				for (const part of isTurned ? parts : []) {
					const turn = directionTurn(ending, part.name);
					if (!turn) continue;
					const own = changed.get(part.name) ?? reader.text(part);
					const turned = turn(own);
					if (turned !== own) changed.set(part.name, turned);
				}
				recalculated(parts, changed, reader, /^o[dt]s$/.test(ending));
				return zipWith(parts, changed);
			},
		};
	} catch (error) {
		if (error instanceof XmlError) throw refused(fileName, error.message);
		if (error instanceof RangeError) throw nestedTooDeeply(error);
		throw error;
	}
}

/** Old and encrypted Office files are another kind of container. */
function checkContainer(bytes: Uint8Array, fileName: string): void {
	const start = Buffer.from(bytes.subarray(0, 8)).toString('hex');
	if (start === 'd0cf11e0a1b11ae1')
		throw refused(
			fileName,
			'it is encrypted, or in the format of Office before 2007. Open it, save it without a password in the present format, and try again',
		);
	if (!start.startsWith('504b'))
		throw refused(fileName, 'it is damaged, or its name says another format than it has');
}

/** Parts of a document by the patterns of their names. */
function byName(extracts: readonly (readonly [RegExp, Extract])[]): Read {
	return (parts, reader) =>
		parts.flatMap((part) => {
			const extract = extracts.find(([name]) => name.test(part.name))?.[1];
			return extract ? [{ name: part.name, text: reader.text(part), extract }] : [];
		});
}
