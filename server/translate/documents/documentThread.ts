/**
 * Documents of strangers in a thread of their own: it takes them apart and puts them together, asks
 * here for translations, and is ended when its time is over or its caller has gone. Every door to
 * documents goes through here; only short ones, which nothing can make slow, are done right away.
 */

import { Worker } from 'node:worker_threads';
import { archiveTypeOf } from '../../protocol/archiveTypes.ts';
import type { MessageProgress, SetMessagesResult } from '../../protocol/editingMessages.ts';
import { AppError } from '../../protocol/errors.ts';
import { fromErrorWire, toErrorWire } from '../../protocol/errorWire.ts';
import { type ComputingWatch, limitAltogether } from '../../work/computingLimit.ts';
import type {
	DocumentAnswer,
	DocumentJob,
	DocumentMessage,
	DocumentQuestion,
	FileResult,
	TranslatedLinks,
} from './documentJob.ts';
import { runDocumentJob } from './documentJob.ts';
import type { TextTranslator } from './documentLanguage.ts';
import { DocumentPlaces } from './documentPlaces.ts';
import { unknownFormat } from './knownFormats.ts';
import { type MissingResult, messageFormatOf } from './missingMessages.ts';
import { mustBeRead } from './moreFormats.ts';
import { type DocumentResult, formatOf } from './translateDocument.ts';

/** Longer texts in characters go to a thread. */
const longText = 4000;
/** Each thread may have its whole heap, and a waiting document is held in memory. */
const places = new DocumentPlaces({
	places: 4,
	placesOfOwner: 2,
	waiting: 64,
	waitingOfOwner: 16,
});
/** Whose documents are those of a program that works for one person. */
const ownPerson = 'own';

export interface ThreadLimits {
	/** Milliseconds of processor time for any document: however busy the machine, the same documents pass. */
	readonly baseMs: number;
	/** Milliseconds for every million characters besides. */
	readonly perMillionMs: number;
	/** Heap in MB. */
	readonly memoryMb: number;
}

const usualLimits: ThreadLimits = { baseMs: 30_000, perMillionMs: 15_000, memoryMb: 1024 };

/**
 * A document of a format that {@link formatOf} knows.
 *
 * @throws AppError `too_expensive` when taking it apart or putting it together takes too long,
 *   `not_supported` for another format, `cancelled`, and what the translator throws.
 */
export async function translateDocumentInWorker(
	job: Omit<DocumentJob, 'target'>,
	translator: TextTranslator,
	signal: AbortSignal,
	limits = usualLimits,
	owner = ownPerson,
): Promise<DocumentResult> {
	if (!formatOf(job.fileName, job.text))
		throw new AppError('not_supported', `${job.fileName} ${unknownFormat(job.fileName)}`);
	const done = await inWorker(job, translator, owner, signal, limits);
	if (done.type === 'document') return done.result;
	throw new AppError('internal', 'The document thread answered something else.');
}

/**
 * As {@link translateDocumentInWorker}, with the result as JSON in UTF-8, which a large one is cheaper to send as.
 *
 * @param owner whose it is: people share the threads fairly
 * @throws AppError `overloaded` when too many documents wait, too.
 */
export async function translateDocumentJsonInWorker(
	job: Omit<DocumentJob, 'target' | 'asJson'>,
	translator: TextTranslator,
	owner: string,
	signal: AbortSignal,
	limits = usualLimits,
): Promise<Uint8Array<ArrayBuffer>> {
	const done = await inWorker({ ...job, asJson: true }, translator, owner, signal, limits);
	if (done.type === 'json') return done.bytes;
	throw new AppError('internal', 'The document thread answered something else.');
}

/**
 * A document that is no text, such as one of Word, or a text that is decoded by the thread.
 *
 * @param owner whose it is: people share the threads fairly
 * @throws AppError as {@link translateDocumentInWorker}, and `invalid_request` for what is damaged or encrypted.
 */
export async function translateFileInWorker(
	job: Omit<DocumentJob, 'target' | 'asJson' | 'text'> & { readonly bytes: Uint8Array },
	translator: TextTranslator,
	owner: string | undefined,
	signal: AbortSignal,
	limits = usualLimits,
): Promise<FileResult> {
	const { fileName } = job;
	if (archiveTypeOf(fileName) === undefined && !formatOf(fileName) && !mustBeRead(fileName))
		throw new AppError('not_supported', `${fileName} is of no known format.`);
	const whole = { ...job, text: '' };
	const done = await inWorker(whole, translator, owner ?? ownPerson, signal, limits);
	if (done.type === 'file') return done.result;
	throw new AppError('internal', 'The document thread answered something else.');
}

/** What a translated message file lacks of its source. Throws as {@link translateDocumentInWorker}. */
export async function translateMissingInWorker(
	job: DocumentJob & { readonly target: string },
	translator: TextTranslator,
	signal: AbortSignal,
	limits = usualLimits,
): Promise<MissingResult> {
	if (!messageFormatOf(job.fileName))
		throw new AppError('not_supported', `${job.fileName} is no message file of a known format.`);
	const done = await inWorker(job, translator, ownPerson, signal, limits);
	if (done.type === 'missing') return done.result;
	throw new AppError('internal', 'The document thread answered something else.');
}

/** How far a translated message file is, and with what messages. Throws as {@link translateDocumentInWorker}. */
export async function messageProgressInWorker(
	job: DocumentJob & { readonly target: string; readonly look: 'count' | 'messages' },
	signal: AbortSignal,
	limits = usualLimits,
): Promise<MessageProgress> {
	if (!messageFormatOf(job.fileName))
		throw new AppError('not_supported', `${job.fileName} is no message file of a known format.`);
	const done = await inWorker(job, nothingAsked, ownPerson, signal, limits);
	if (done.type === 'progress') return done.result;
	throw new AppError('internal', 'The document thread answered something else.');
}

/** A translated message file with texts in it, each by its key. Throws as {@link translateDocumentInWorker}. */
export async function setMessagesInWorker(
	job: DocumentJob & { readonly target: string; readonly set: NonNullable<DocumentJob['set']> },
	signal: AbortSignal,
	limits = usualLimits,
): Promise<SetMessagesResult> {
	if (!messageFormatOf(job.fileName))
		throw new AppError('not_supported', `${job.fileName} is no message file of a known format.`);
	const done = await inWorker(job, nothingAsked, ownPerson, signal, limits);
	if (done.type === 'set') return done.result;
	throw new AppError('internal', 'The document thread answered something else.');
}

/** The links of a document and its translation into other files. Throws as {@link translateDocumentInWorker}. */
export async function translatedLinksInWorker(
	job: Pick<DocumentJob, 'fileName' | 'text' | 'to'> & { readonly target: string },
	signal: AbortSignal,
	limits = usualLimits,
): Promise<TranslatedLinks> {
	const done = await inWorker({ ...job, look: 'links' }, nothingAsked, ownPerson, signal, limits);
	if (done.type === 'links') return done.result;
	throw new AppError('internal', 'The document thread answered something else.');
}

/** Counting and writing need no translations. */
const nothingAsked: TextTranslator = {
	detect: () => Promise.reject(new AppError('internal')),
	translate: () => Promise.reject(new AppError('internal')),
};

type Done = Exclude<DocumentMessage, { readonly type: 'ask' | 'error' }>;

async function inWorker(
	job: DocumentJob,
	translator: TextTranslator,
	owner: string,
	signal: AbortSignal,
	limits: ThreadLimits,
): Promise<Done> {
	signal.throwIfAborted();
	if (job.bytes === undefined && sizeOf(job) < longText) return runDocumentJob(job, translator);
	using _place = await places.take(owner, signal);
	if (signal.aborted) throw new AppError('cancelled');
	return await inThread(job, translator, signal, limits);
}

/** Characters, or bytes of a file. */
function sizeOf({ text, target, bytes }: DocumentJob): number {
	return text.length + (target?.length ?? 0) + (bytes?.length ?? 0);
}

function workerFile(): URL {
	const bundled = import.meta.url.endsWith('.cjs');
	return new URL(bundled ? './document-worker.cjs' : './documentWorker.ts', import.meta.url);
}

/** What the thread gets for a question; an error of the translator is the thread's to judge. */
async function answerOf(
	{ texts, from, comments }: DocumentQuestion,
	translator: TextTranslator,
): Promise<DocumentAnswer> {
	try {
		return from === undefined
			? { detected: await translator.detect(texts) }
			: { translated: await translator.translate(texts, from, comments) };
	} catch (error) {
		return { error: toErrorWire(error) };
	}
}

async function inThread(
	job: DocumentJob,
	translator: TextTranslator,
	signal: AbortSignal,
	{ baseMs, perMillionMs, memoryMb }: ThreadLimits,
): Promise<Done> {
	const worker = new Worker(workerFile(), {
		workerData: job,
		stdout: true,
		resourceLimits: { maxOldGenerationSizeMb: memoryMb },
	});
	const maxMs = baseMs + (perMillionMs * sizeOf(job)) / 1e6;
	let stage = 'Taking the document apart';
	let onAbort = () => {};
	let watch: ComputingWatch | undefined;
	try {
		return await new Promise<Done>((resolve, reject) => {
			// Only its own work counts: translations take as long as they take.
			watch = limitAltogether(worker, maxMs, () => reject(tooExpensive(stage)));
			onAbort = () => reject(new AppError('cancelled'));
			signal.addEventListener('abort', onAbort, { once: true });
			worker.on('error', (error: NodeJS.ErrnoException) =>
				reject(error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? tooExpensive(stage) : error),
			);
			worker.on('exit', () => reject(new AppError('internal', 'The document thread has ended.')));
			worker.on('message', (message: DocumentMessage) => {
				watch?.rest();
				if (message.type === 'error') reject(fromErrorWire(message.error));
				else if (message.type !== 'ask') resolve(message);
				else
					answerOf(message, translator).then((answer) => {
						if (message.from !== undefined) stage = 'Putting the document together';
						worker.postMessage(answer);
						watch?.go();
					}, reject);
			});
		});
	} finally {
		watch?.end();
		signal.removeEventListener('abort', onAbort);
		await worker.terminate();
	}
}

function tooExpensive(stage: string): AppError {
	return new AppError(
		'too_expensive',
		`${stage} took too much computing, so it was ended. Send it in smaller parts.`,
		{ param: 'text' },
	);
}
