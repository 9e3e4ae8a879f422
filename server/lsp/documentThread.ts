/** Documents in a thread of their own, when they are long; short ones right here. */

import { Worker } from 'node:worker_threads';
import { AppError, fromErrorWire } from '../protocol/index.ts';
import type { DocumentJob, DocumentMessage } from '../translate/documents/documentWorker.ts';
import {
	type MergeResult,
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

type TranslateTexts = (texts: readonly string[]) => Promise<readonly string[]>;

/** A document of a format that {@link formatOf} knows. */
export async function documentAside(
	job: Omit<DocumentJob, 'target'>,
	translate: TranslateTexts,
	signal: AbortSignal,
): Promise<DocumentResult> {
	const extract = formatOf(job.fileName);
	if (!extract) throw new AppError('not_supported', `${job.fileName} is of no known format.`);
	if (job.text.length < longText) return translateDocument(job.text, extract, translate, job.to);
	const message = await inThread(job, translate, signal);
	if (message.type === 'document') return message.result;
	throw new AppError('internal', 'The document thread answered something else.');
}

/** What a translated message file lacks of its source. */
export async function missingAside(
	job: DocumentJob & { readonly target: string },
	translate: TranslateTexts,
	signal: AbortSignal,
): Promise<MergeResult> {
	const { fileName, text, target, to } = job;
	const format = messageFormatOf(fileName);
	if (!format)
		throw new AppError('not_supported', `${fileName} is no message file of a known format.`);
	if (text.length + target.length < longText)
		return translateMissing(text, target, format, translate, to);
	const message = await inThread(job, translate, signal);
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

async function inThread(
	job: DocumentJob,
	translate: TranslateTexts,
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
				else translate(message.texts).then((answers) => worker.postMessage(answers), reject);
			});
		});
	} finally {
		signal.removeEventListener('abort', onAbort);
		await worker.terminate();
	}
}
