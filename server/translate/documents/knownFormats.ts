/** What is said of files of formats that are not translated. */

import { archiveEndings } from '../../protocol/archiveTypes.ts';
import { documentFormats } from './translateDocument.ts';

/** Part of a sentence that begins with the name of the file. */
export function unknownFormat(fileName: string): string {
	if (/\.pdf$/i.test(fileName))
		return 'is a PDF, whose lines have no order that could be put back. Open it in LibreOffice or Word, save it as docx, and translate that; or copy its text into a .md or .txt file.';
	if (/\.(?:doc|dot|xls|xlt|ppt|pps|rtf)$/i.test(fileName))
		return 'is in an old format of Office. Open it, save it as docx, xlsx or pptx, and translate that.';
	if (/\.(?:ts|php|xml)$/i.test(fileName))
		return 'holds no messages that are known: of .ts those of Qt, of .php arrays that are returned, of .xml the string resources of Android.';
	const known = [...Object.keys(documentFormats), ...archiveEndings].sort();
	return `is of no format that can be translated whole. Known: ${known.join(', ')}.`;
}
