/** One document, bytes in and bytes out, whatever its format: for requests and for jobs. */

import { isUtf8 } from 'node:buffer';
import { archiveTypeOf } from '../../protocol/archiveTypes.ts';
import { defined } from '../../protocol/defined.ts';
import { AppError } from '../../protocol/index.ts';
import type { TextTranslator } from '../../translate/documents/documentLanguage.ts';
import {
	translateDocumentInWorker,
	translateFileInWorker,
} from '../../translate/documents/documentThread.ts';
import { unknownFormat } from '../../translate/documents/knownFormats.ts';
import { mustBeRead } from '../../translate/documents/moreFormats.ts';
import {
	type DecodedText,
	decodeText,
	encodeText,
} from '../../translate/documents/textEncoding.ts';
import { type DocumentResult, formatOf } from '../../translate/documents/translateDocument.ts';

/** Longer texts in other encodings than Unicode are read by the thread that translates them. */
const shortBytes = 2 ** 20;
/** Bytes of an Office file that weigh as much as a character: most of them are pictures and layout. */
export const bytesOfWork = 10;

/** A document whose format and encoding are known. */
export interface OpenedDocument {
	/** Its ending names the format; no file of that name is touched. */
	readonly fileName: string;
	readonly bytes: Uint8Array;
	/** Absent where it is no text, or read later. */
	readonly read?: DecodedText;
	/** What was said of the encoding of a text. */
	readonly encoding?: string;
	/** Characters, or as many as its bytes weigh. */
	readonly work: number;
}

export interface DocumentLanguagePair {
	/** BCP 47 codes; without `from` the language is detected. */
	readonly to: string;
	readonly from?: string;
}

/** The translated document, with what became of its texts. */
export interface TranslatedDocument extends Omit<DocumentResult, 'text'> {
	/** In the encoding the document came in; in UTF-8 where that has not all letters. */
	readonly bytes: Uint8Array<ArrayBuffer>;
	/** Of a text, as the encoding standard names it. */
	readonly encoding?: string;
}

/**
 * Looks at a document's name and encoding; its parts are only read when it is translated.
 *
 * @param encoding of a text that does not say it
 * @throws AppError `not_supported` for an unknown format, `invalid_request` when the encoding of a text cannot be told; of
 *   long ones in other encodings than Unicode that is only known when they are translated
 */
export function openDocument(
	fileName: string,
	bytes: Uint8Array,
	encoding?: string,
): OpenedDocument {
	if (archiveTypeOf(fileName) !== undefined)
		return { fileName, bytes, work: bytes.byteLength / bytesOfWork };
	if (!formatOf(fileName) && !mustBeRead(fileName)) throw unknownDocument(fileName);
	if (isLong(bytes)) return { fileName, bytes, work: bytes.byteLength, ...defined({ encoding }) };
	const read = decodeText(bytes, fileName, encoding);
	if (formatOf(fileName, read.text) === undefined) throw unknownDocument(fileName);
	return { fileName, bytes, read, work: read.text.length };
}

/**
 * Translates a document in a thread with limits; everything but its words stays.
 *
 * @param translator who translates its texts, and who is charged for them
 * @param owner for whom threads are shared out in turns
 * @throws AppError `invalid_request` for a damaged document, `too_expensive`, `overloaded`, `cancelled`, and what the
 *   translator throws
 */
export async function translateDocumentBytes(
	{ fileName, bytes, read, encoding }: OpenedDocument,
	languages: DocumentLanguagePair,
	translator: TextTranslator,
	owner: string,
	signal: AbortSignal,
): Promise<TranslatedDocument> {
	const job = { ...languages, fileName };
	if (!read) {
		const file = { ...job, bytes, ...defined({ encoding }) };
		const made = await translateFileInWorker(file, translator, owner, signal);
		const { compared, ...result } = made;
		return result;
	}
	const whole = { ...job, text: read.text };
	const made = await translateDocumentInWorker(whole, translator, signal, undefined, owner);
	const { text, ...rest } = made;
	return { ...rest, ...encodeText(text, read.encoding, fileName) };
}

const unknownDocument = (fileName: string) =>
	new AppError('not_supported', `${fileName.slice(-80)} ${unknownFormat(fileName)}`);

/** Whether a text would be read for long. */
function isLong(bytes: Uint8Array): boolean {
	const [first, second] = bytes;
	const isWide = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
	return bytes.byteLength > shortBytes && !isWide && !isUtf8(bytes);
}
