/** Documents in a thread of their own, when they are long; short ones right here. */

import { Worker } from 'node:worker_threads';
import { AppError, fromErrorWire, toErrorWire } from '../protocol/index.ts';
import type { TextTranslator } from '../translate/documents/documentLanguage.ts';
import type {
	DocumentAnswer,
	DocumentJob,
	DocumentMessage,
	DocumentQuestion,
} from '../translate/documents/documentWorker.ts';
import {
	type MissingResult,
	messageFormatOf,
	translateMissing,
} from '../translate/documents/missingMessages.ts';
import {
	type DocumentResult,
	formatOf,
	translateDocument,
} from '../translate/documents/translateDocument.ts';

/** Longer texts in characters would hold up hovers for more than a moment. */
const longText = 20_000;

/** A document of a format that {@link formatOf} knows. */
export async function documentAside(
	job: Omit<DocumentJob, 'target'>,
	translator: TextTranslator,
	signal: AbortSignal,
): Promise<DocumentResult> {
	const extract = formatOf(job.fileName);
	if (!extract) throw new AppError('not_supported', `${job.fileName} is of no known format.`);
	if (job.text.length < longText) return translateDocument(job.text, extract, translator, job);
	const message = await inThread(job, translator, signal);
	if (message.type === 'document') return message.result;
	throw new AppError('internal', 'The document thread answered something else.');
}

/** What a translated message file lacks of its source. */
export async function missingAside(
	job: DocumentJob & { readonly target: string },
	translator: TextTranslator,
	signal: AbortSignal,
): Promise<MissingResult> {
	const { fileName, text, target } = job;
	const format = messageFormatOf(fileName);
	if (!format)
		throw new AppError('not_supported', `${fileName} is no message file of a known format.`);
	if (text.length + target.length < longText)
		return translateMissing(text, target, format, translator, job);
	const message = await inThread(job, translator, signal);
	if (message.type === 'missing') return message.result;
	throw new AppError('internal', 'The document thread answered something else.');
}

function workerFile(): URL {
	const bundled = import.meta.url.endsWith('.cjs');
	return new URL(
		bundled ? './document-worker.cjs' : '../translate/documents/documentWorker.ts',
		import.meta.url,
	);
}

/** What the thread gets for a question; an error of the translator is the thread's to judge. */
async function answerOf(
	{ texts, from }: DocumentQuestion,
	translator: TextTranslator,
): Promise<DocumentAnswer> {
	try {
		return from === undefined
			? { detected: await translator.detect(texts) }
			: { translated: await translator.translate(texts, from) };
	} catch (error) {
		return { error: toErrorWire(error) };
	}
}

async function inThread(
	job: DocumentJob,
	translator: TextTranslator,
	signal: AbortSignal,
): Promise<DocumentMessage> {
	if (signal.aborted) throw new AppError('cancelled');
	const worker = new Worker(workerFile(), { workerData: job, stdout: true });
	let onAbort = () => {};
	try {
		return await new Promise<DocumentMessage>((resolve, reject) => {
			onAbort = () => reject(new AppError('cancelled'));
			signal.addEventListener('abort', onAbort, { once: true });
			worker.on('error', reject);
			worker.on('exit', () => reject(new AppError('internal', 'The document thread has ended.')));
			worker.on('message', (message: DocumentMessage) => {
				if (message.type === 'error') reject(fromErrorWire(message.error));
				else if (message.type !== 'ask') resolve(message);
				else answerOf(message, translator).then((answer) => worker.postMessage(answer), reject);
			});
		});
	} finally {
		signal.removeEventListener('abort', onAbort);
		await worker.terminate();
	}
}
