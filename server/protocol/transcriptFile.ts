/** A transcript as the bytes of a file, Word documents among them. */

import { storedZip } from './storedZip.ts';
import { speakerName, type TranscriptDocument, type TranscriptLine } from './transcriptDocument.ts';
import {
	type ExportOptions,
	exportTranscript,
	outlineLines,
	shortClock,
	spokenParagraphs,
	translationOf,
} from './transcriptExport.ts';

/** The whole file. */
export function exportFile(
	document: TranscriptDocument,
	{ format, ...options }: ExportOptions,
): Uint8Array<ArrayBuffer> {
	if (format === 'docx') return wordFile(document, options);
	return new TextEncoder().encode(exportTranscript(document, { ...options, format }));
}

const xml = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const office = 'http://schemas.openxmlformats.org';
const main = `xmlns:w="${office}/wordprocessingml/2006/main"`;
const documentType =
	'application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml';

function wordFile(
	document: TranscriptDocument,
	options: Omit<ExportOptions, 'format'>,
): Uint8Array<ArrayBuffer> {
	const { content, title } = options;
	const head = outlineLines(document, content).map(
		(line) => `<w:p><w:pPr><w:spacing w:after="60"/></w:pPr>${run(line)}</w:p>`,
	);
	const heading = `<w:p><w:pPr><w:spacing w:after="240"/></w:pPr>${run(title, '<w:b/><w:sz w:val="32"/>')}</w:p>`;
	const body =
		content === 'both' && document.translation
			? table(document, document.translation.to, options)
			: text(document, options);
	return storedZip([
		[
			'[Content_Types].xml',
			`${xml}<Types xmlns="${office}/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/word/document.xml" ContentType="${documentType}"/></Types>`,
		],
		[
			'_rels/.rels',
			`${xml}<Relationships xmlns="${office}/package/2006/relationships"><Relationship Id="rId1" Type="${office}/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/></Relationships>`,
		],
		[
			'word/document.xml',
			`${xml}<w:document ${main}><w:body>${heading}${head.join('')}${body}<w:sectPr/></w:body></w:document>`,
		],
	]);
}

const grey = '<w:color w:val="666666"/>';

/** Paragraphs, or with times one for each line. */
function text(
	document: TranscriptDocument,
	{ content, times }: Omit<ExportOptions, 'format'>,
): string {
	const textOf = (line: TranscriptLine) =>
		content === 'translation' ? translationOf(document, line) : line.text;
	const rows = times
		? document.lines.map((line) => ({
				who: line.speaker === undefined ? '' : speakerName(document, line.speaker),
				text: textOf(line),
				time: `${shortClock(line.start)}  `,
			}))
		: spokenParagraphs(document, textOf).map((paragraph) => ({ ...paragraph, time: '' }));
	return rows
		.map(
			({ who, text: words, time }) =>
				`<w:p><w:pPr><w:spacing w:after="120"/></w:pPr>${run(time, grey)}${run(who === '' ? '' : `${who}: `, '<w:b/>')}${run(words)}</w:p>`,
		)
		.join('');
}

/** Both languages, line by line. */
function table(
	document: TranscriptDocument,
	to: string,
	{ times }: Omit<ExportOptions, 'format'>,
): string {
	const row = (cells: readonly string[]) =>
		`<w:tr>${cells.map((cell) => `<w:tc><w:tcPr><w:tcW w:w="0" w:type="auto"/></w:tcPr><w:p>${cell}</w:p></w:tc>`).join('')}</w:tr>`;
	const head = [...(times ? [''] : []), document.language, to];
	const rows = document.lines.map((line) => {
		const who = line.speaker === undefined ? '' : `${speakerName(document, line.speaker)}: `;
		return row([
			...(times ? [run(shortClock(line.start), grey)] : []),
			run(who, '<w:b/>') + run(line.text),
			run(translationOf(document, line)),
		]);
	});
	const sides = ['top', 'left', 'bottom', 'right', 'insideH', 'insideV'];
	const borders = sides.map((side) => `<w:${side} w:val="single" w:sz="4" w:color="BBBBBB"/>`);
	const grid = head.map(() => '<w:gridCol/>').join('');
	return `<w:tbl><w:tblPr><w:tblW w:w="5000" w:type="pct"/><w:tblBorders>${borders.join('')}</w:tblBorders></w:tblPr><w:tblGrid>${grid}</w:tblGrid>${row(head.map((code) => run(code, '<w:b/>')))}${rows.join('')}</w:tbl><w:p/>`;
}

/** Characters with properties; nothing for no characters. */
function run(words: string, properties = ''): string {
	if (words === '') return '';
	const how = properties === '' ? '' : `<w:rPr>${properties}</w:rPr>`;
	return `<w:r>${how}<w:t xml:space="preserve">${escaped(words)}</w:t></w:r>`;
}

/** What XML cannot hold is left out. */
const escaped = (words: string): string =>
	words
		.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '')
		.replaceAll('&', '&amp;')
		.replaceAll('<', '&lt;')
		.replaceAll('>', '&gt;');
