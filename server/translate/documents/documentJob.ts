/** One document through its reader, wherever that runs, and the messages of the thread it may run in. */

import { defined } from '../../protocol/defined.ts';
import type {
	MessageProgress,
	MessageRow,
	SetMessagesResult,
} from '../../protocol/editingMessages.ts';
import { AppError } from '../../protocol/errors.ts';
import type { ErrorWire } from '../../protocol/errorWire.ts';
import type { DetectedText } from '../detectedText.ts';
import { nestedTooDeeply } from '../nesting.ts';
import { openArchive } from './archives/archiveDocuments.ts';
import { checkWhole } from './damage.ts';
import type { TextComments, TextTranslator } from './documentLanguage.ts';
import { emptyMessages } from './emptyMessages.ts';
import { headingNames } from './headingLinks.ts';
import { unknownFormat } from './knownFormats.ts';
import type { MessageFormat } from './messageChanges.ts';
import { type MessageState, messageStates } from './messageStates.ts';
import {
	extractOfMessages,
	type MissingResult,
	messageFormatOf,
	messageProgress,
	translateMissing,
} from './missingMessages.ts';
import { keyOfPath, setMessages } from './setMessages.ts';
import type { OutwardLink } from './slugs.ts';
import { type DocumentResult, formatOf, translateDocumentText } from './translateDocument.ts';
import { type FaultWords, placeholderFault } from './translationFaults.ts';
import {
	type MadeMessage,
	parseRecord,
	recordedMessages,
	recordText,
	staleMessages,
} from './translationRecord.ts';

/** What a document's thread is started with. */
export interface DocumentJob {
	/** Its ending names the format. */
	readonly fileName: string;
	readonly text: string;
	/** The file, where it is no text; `text` is empty then. */
	readonly bytes?: Uint8Array;
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

/** A document that is no text, translated. */
export interface FileResult extends Omit<DocumentResult, 'text'> {
	readonly bytes: Uint8Array<ArrayBuffer>;
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
		const known = job.recorded && parseRecord(job.recorded.text).messages.get(job.recorded.path);
		if (job.look) {
			const counted = messageProgress(text, target, format, job.to, known);
			if (job.look === 'count') return { type: 'progress', result: counted };
			const states = messageStates(text, target, format, job.to);
			const stale = new Set(replaceable(states, known));
			const messages = states.map((state) => messageRow(state, stale.has(state), job.faultWords));
			return { type: 'progress', result: { ...counted, messages } };
		}
		if (job.set) return { type: 'set', result: setIn(job, target, format, job.set) };
		// What has changed in the source is translated as if it were missing.
		const opened = known
			? emptyMessages(target, replaceable(messageStates(text, target, format, job.to), known))
			: target;
		const result = await translateMissing(text, opened, format, translator, job);
		return { type: 'missing', result };
	}
	if (job.bytes) {
		const archive = await openArchive(job.bytes, fileName);
		const { text: made, ...rest } = await translateDocumentText(
			archive.text,
			archive.extract,
			translator,
			job,
		);
		return { type: 'file', result: { ...rest, bytes: archive.close(made) } };
	}
	const found = formatOf(fileName, text);
	if (!found) throw new AppError('not_supported', `${fileName} ${unknownFormat(fileName)}`);
	const extract = job.columns?.length ? found.forColumns?.(job.columns) : found;
	if (!extract) throw new AppError('invalid_request', `${fileName} has no columns.`);
	checkWhole(text, extract, fileName);
	const opened = extract.open?.(text) ?? { text, extract, close: (made: string) => made };
	const made = await translateDocumentText(opened.text, opened.extract, translator, job);
	const result = { ...made, text: opened.close(made.text) };
	if (!job.asJson) return { type: 'document', result };
	return { type: 'json', bytes: new TextEncoder().encode(JSON.stringify(result)) };
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

/** Messages whose source has changed, and whose translation another can stand for. */
const replaceable = (
	states: readonly MessageState[],
	known: ReadonlyMap<string, MadeMessage> | undefined,
): MessageState[] => staleMessages(states, known).filter(({ value }) => value !== undefined);

function setIn(
	{ text: source, to, recorded, faultWords }: DocumentJob,
	target: string,
	format: MessageFormat,
	set: NonNullable<DocumentJob['set']>,
): SetMessagesResult {
	const texts = new Map(set.map(({ key, text }) => [key, text]));
	const { text, refused } = setMessages(source, target, format, to, texts);
	const faults = messageStates(source, text, format, to).flatMap((state) => {
		const key = keyOfPath(state.path);
		const fault = texts.has(key) ? placeholderFault(state, faultWords) : undefined;
		return fault === undefined ? [] : [{ key, fault }];
	});
	const renewed =
		recorded && renewedRecord(recorded, messageStates(source, target, format, to), texts);
	return { text, refused, faults, ...defined({ recorded: renewed }) };
}

/** The record once translations that stay as they are count for the changed source; `undefined` when it need not change. */
function renewedRecord(
	{ text, path }: NonNullable<DocumentJob['recorded']>,
	states: readonly MessageState[],
	texts: ReadonlyMap<string, string>,
): string | undefined {
	const record = parseRecord(text);
	const known = record.messages.get(path);
	const same = replaceable(states, known).filter(
		(state) => texts.get(keyOfPath(state.path)) === state.target,
	);
	if (!known || same.length === 0) return undefined;
	for (const [pointer, made] of recordedMessages(same, undefined, 'all')) known.set(pointer, made);
	return recordText(record);
}

function messageRow(state: MessageState, isStale: boolean, words?: FaultWords): MessageRow {
	const { path, source, sourceAt, target, targetAt } = state;
	const fault = placeholderFault(state, words);
	return {
		...{ key: keyOfPath(path), source, sourceAt },
		...defined({ target, targetAt, fault }),
		...(isStale ? { isStale } : {}),
	};
}
