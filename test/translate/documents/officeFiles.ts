/** Office documents for tests, and what a translator makes of them. */

import {
	type OpenArchive,
	openArchive,
} from '../../../server/translate/documents/archives/archiveDocuments.ts';
import { PartReader, zipParts } from '../../../server/translate/documents/archives/zipFile.ts';
import type { TranslateTexts } from '../../../server/translate/documents/documentLanguage.ts';
import { translatePieces } from '../../../server/translate/documents/translateDocument.ts';
import { zipOf } from '../../support/zipOf.ts';

const w = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"';

/** Source code of a Word document with these paragraphs. */
export const wordText = (body: string) =>
	`<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n<w:document ${w}><w:body>${body}</w:body></w:document>`;

export const contentTypes =
	'<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>';

export const wordFile = (body: string, more: Readonly<Record<string, string>> = {}) =>
	zipOf({ '[Content_Types].xml': contentTypes, 'word/document.xml': wordText(body), ...more });

/** What becomes of the parts of a file, by name, and the texts that were asked for. */
export async function translated(
	file: Uint8Array,
	fileName: string,
	translate: TranslateTexts = async (texts) => texts.map(shout),
	to = 'de',
) {
	const asked: string[] = [];
	const archive: OpenArchive = await openArchive(file, fileName);
	const { text, refused, pieces } = await translatePieces(
		archive.text,
		archive.extract,
		async (texts) => {
			asked.push(...texts);
			return translate(texts);
		},
		to,
	);
	const bytes = archive.close(text);
	return { asked, refused, pieces, bytes, parts: await textsOf(bytes, fileName) };
}

/** Upper case outside of tags. */
export const shout = (text: string) =>
	text.replace(/(<[^<>]*>|&\w+;)|[^<&]+/g, (part, fixed?: string) => fixed ?? part.toUpperCase());

export async function textsOf(bytes: Uint8Array, fileName: string): Promise<Map<string, string>> {
	const reader = new PartReader(fileName);
	const parts = await zipParts(bytes, fileName);
	return new Map(parts.map((part) => [part.name, reader.text(part)]));
}

/** What stands between the tags of a body. */
export const bodyOf = (text = '') => /<w:body>([\s\S]*)<\/w:body>/.exec(text)?.[1] ?? '';
