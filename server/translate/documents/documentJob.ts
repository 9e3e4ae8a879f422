/** One document through its reader, wherever that runs, and the messages of the thread it may run in. */

import { AppError } from '../../protocol/errors.ts';
import type { ErrorWire } from '../../protocol/errorWire.ts';
import type { DetectedText } from '../detectedText.ts';
import { nestedTooDeeply } from '../nesting.ts';
import { checkWhole } from './damage.ts';
import type { TextComments, TextTranslator } from './documentLanguage.ts';
import {
	extractOfMessages,
	type MissingResult,
	messageFormatOf,
	translateMissing,
} from './missingMessages.ts';
import { type DocumentResult, formatOf, translateDocumentText } from './translateDocument.ts';

/** What a document's thread is started with. */
export interface DocumentJob {
	/** Its ending names the format. */
	readonly fileName: string;
	readonly text: string;
	/** BCP 47 codes; without `from` the language is detected. */
	readonly to: string;
	readonly from?: string;
	/** The translated file that may lack messages of `text`; absent for whole documents. */
	readonly target?: string;
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

/** What became of a job. */
export type DocumentDone =
	| { readonly type: 'document'; readonly result: DocumentResult }
	| { readonly type: 'json'; readonly bytes: Uint8Array<ArrayBuffer> }
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
	if (target !== undefined) {
		const format = messageFormatOf(fileName);
		if (!format) throw new AppError('not_supported', `${fileName} has no message format.`);
		checkWhole(text, extractOfMessages(format), fileName);
		checkWhole(target, extractOfMessages(format), 'The translated file');
		const result = await translateMissing(text, target, format, translator, job);
		return { type: 'missing', result };
	}
	const extract = formatOf(fileName);
	if (!extract) throw new AppError('not_supported', `${fileName} has no document format.`);
	checkWhole(text, extract, fileName);
	const result = await translateDocumentText(text, extract, translator, job);
	if (!job.asJson) return { type: 'document', result };
	return { type: 'json', bytes: new TextEncoder().encode(JSON.stringify(result)) };
}
