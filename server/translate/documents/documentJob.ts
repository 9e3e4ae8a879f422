/** One document through its reader, wherever that runs, and the messages of the thread it may run in. */

import { archiveTypeOf } from '../../protocol/archiveTypes.ts';
import type { MessageProgress, SetMessagesResult } from '../../protocol/editingMessages.ts';
import { AppError } from '../../protocol/errors.ts';
import type { ErrorWire } from '../../protocol/errorWire.ts';
import type { DetectedText } from '../detectedText.ts';
import { directionOf, scriptOf } from '../languageCodes.ts';
import { nestedTooDeeply } from '../nesting.ts';
import { openArchive } from './archives/archiveDocuments.ts';
import { checkWhole } from './damage.ts';
import type { TextComments, TextTranslator } from './documentLanguage.ts';
import { headingNames } from './headingLinks.ts';
import { unknownFormat } from './knownFormats.ts';
import { languageTag } from './languageTag.ts';
import { extractOfMessages, type MissingResult, messageFormatOf } from './missingMessages.ts';
import { fillMissing, progressIn, setIn } from './recordedMessageFile.ts';
import type { OutwardLink } from './slugs.ts';
import { decodeText, encodeText } from './textEncoding.ts';
import { type DocumentResult, formatOf, translateDocumentText } from './translateDocument.ts';
import type { FaultWords } from './translationFaults.ts';

/** What a document's thread is started with. */
export interface DocumentJob {
	/** Its ending names the format. */
	readonly fileName: string;
	readonly text: string;
	/** The file, where it is no text, or one that is read here; `text` is empty then. */
	readonly bytes?: Uint8Array;
	/** Of `bytes` that are a text and do not say it. */
	readonly encoding?: string;
	/** BCP 47 codes; without `from` the language is detected. */
	readonly to: string;
	readonly from?: string;
	/** The translated file that may lack messages of `text`; absent for whole documents. */
	readonly target?: string;
	/** What is looked at instead of translating: how many messages there are, each of them, or links between files. */
	readonly look?: 'count' | 'messages' | 'links';
	/** Text of a record of translations, and path of the translated file in it. */
	readonly recorded?: { readonly text: string; readonly path: string };
	/** Texts by keys that are put into `target` instead of translating. */
	readonly set?: readonly { readonly key: string; readonly text: string }[];
	/** How faults of messages are said; English when absent. */
	readonly faultWords?: FaultWords;
	/** Source texts that are not to be put into `target`. */
	readonly without?: readonly string[];
	/** Columns of a table whose cells are wanted. */
	readonly columns?: readonly string[];
	/** Whether the result of a whole document is wanted as JSON. */
	readonly asJson?: boolean;
}

/** What the thread wants to know of texts: without `from` their languages, else their translations. */
export interface DocumentQuestion {
	readonly type: 'ask';
	readonly texts: readonly string[];
	readonly from?: string;
	readonly comments?: TextComments;
}

/** What it is told. */
export interface DocumentAnswer {
	readonly detected?: readonly DetectedText[];
	readonly translated?: readonly string[];
	readonly error?: ErrorWire;
}

/** A document that came as bytes, translated. */
export interface FileResult extends Omit<DocumentResult, 'text'> {
	readonly bytes: Uint8Array<ArrayBuffer>;
	/** Texts of cells that stay as they are, as formulas, filters or tables compare with them. */
	readonly compared: readonly string[];
	/** Of a text, as the encoding standard names it. */
	readonly encoding?: string;
}

/** Links of a document and its translation into other files, and what others call its headings. */
export interface TranslatedLinks {
	readonly source: readonly OutwardLink[];
	readonly made: readonly OutwardLink[];
	/** Addresses of headings, each with what it has become. */
	readonly names: readonly (readonly [before: string, now: string])[];
}

/** What became of a job. */
export type DocumentDone =
	| { readonly type: 'document'; readonly result: DocumentResult }
	| { readonly type: 'file'; readonly result: FileResult }
	| { readonly type: 'json'; readonly bytes: Uint8Array<ArrayBuffer> }
	| { readonly type: 'progress'; readonly result: MessageProgress }
	| { readonly type: 'set'; readonly result: SetMessagesResult }
	| { readonly type: 'links'; readonly result: TranslatedLinks }
	| { readonly type: 'missing'; readonly result: MissingResult };

/** From the thread. */
export type DocumentMessage =
	| DocumentQuestion
	| DocumentDone
	| { readonly type: 'error'; readonly error: ErrorWire };

/**
 * Does a job.
 *
 * @throws AppError `invalid_request` when the document is damaged, or nested too deeply to be read.
 */
export async function runDocumentJob(
	job: DocumentJob,
	translator: TextTranslator,
): Promise<DocumentDone> {
	try {
		return await read(job, translator);
	} catch (error) {
		// Readers go down into what is nested, and the stack ends before the document does.
		if (!(error instanceof RangeError)) throw error;
		throw nestedTooDeeply(error);
	}
}

async function read(job: DocumentJob, translator: TextTranslator): Promise<DocumentDone> {
	const { fileName, text, target } = job;
	if (target !== undefined && job.look === 'links')
		return { type: 'links', result: linksIn(fileName, text, target) };
	if (target !== undefined) {
		const format = messageFormatOf(fileName);
		if (!format) throw new AppError('not_supported', `${fileName} has no message format.`);
		checkWhole(text, extractOfMessages(format), fileName);
		checkWhole(target, extractOfMessages(format), 'The translated file');
		const files = { ...job, target, format };
		if (job.look)
			return {
				type: 'progress',
				result: progressIn(files, job.look === 'messages', job.faultWords),
			};
		if (job.set) return { type: 'set', result: setIn(files, job.set, job.faultWords) };
		return { type: 'missing', result: await fillMissing(files, translator, job) };
	}
	if (job.bytes && archiveTypeOf(fileName) === undefined) {
		const { text: own, encoding } = decodeText(job.bytes, fileName, job.encoding);
		const { text: made, ...rest } = await translateWhole({ ...job, text: own }, translator);
		return {
			type: 'file',
			result: { ...rest, ...encodeText(made, encoding, fileName), compared: [] },
		};
	}
	if (job.bytes) {
		const archive = await openArchive(job.bytes, fileName);
		const { text: made, ...rest } = await translateDocumentText(
			archive.text,
			archive.extract,
			translator,
			job,
		);
		return {
			type: 'file',
			result: {
				...rest,
				bytes: archive.close(made, isTurned(rest, job.to)),
				compared: archive.compared(),
			},
		};
	}
	const result = await translateWhole(job, translator);
	if (!job.asJson) return { type: 'document', result };
	return { type: 'json', bytes: new TextEncoder().encode(JSON.stringify(result)) };
}

/** Whether a document whose words are all translated is read from the other side now. */
function isTurned({ language, refused, left }: Omit<DocumentResult, 'text'>, to: string): boolean {
	const [from, into] = [languageTag(language), languageTag(to)];
	if (refused.length > 0 || left.length > 0 || !from || !into) return false;
	return directionOf(scriptOf(from)) === 'ltr' && directionOf(scriptOf(into)) === 'rtl';
}

async function translateWhole(
	job: DocumentJob,
	translator: TextTranslator,
): Promise<DocumentResult> {
	const { fileName, text } = job;
	const found = formatOf(fileName, text);
	if (!found) throw new AppError('not_supported', `${fileName} ${unknownFormat(fileName)}`);
	const extract = job.columns?.length ? found.forColumns?.(job.columns) : found;
	if (!extract) throw new AppError('invalid_request', `${fileName} has no columns.`);
	checkWhole(text, extract, fileName);
	const opened = extract.open?.(text) ?? { text, extract, close: (made: string) => made };
	const made = await translateDocumentText(opened.text, opened.extract, translator, job);
	return { ...made, text: opened.close(made.text) };
}

function linksIn(fileName: string, source: string, target: string): TranslatedLinks {
	const read = formatOf(fileName, source)?.anchors;
	if (!read) return { source: [], made: [], names: [] };
	const [before, now] = [read(source), read(target)];
	const names = [...headingNames(before, now)].map(
		([name, next]) => [name, next?.name ?? name] as const,
	);
	return { source: before.outward, made: now.outward, names };
}
