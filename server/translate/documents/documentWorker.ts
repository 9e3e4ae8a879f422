/**
 * Takes documents apart and puts them together in a thread of its own, so that long ones hold nobody
 * up. The translations themselves are asked of the thread that started it.
 */

import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { asAppError, type ErrorWire } from '../../protocol/errors.ts';
import { type MergeResult, messageFormatOf, translateMissing } from './missingMessages.ts';
import { type DocumentResult, formatOf, translateDocument } from './translateDocument.ts';

/** What the thread is started with. */
export interface DocumentJob {
	/** Its ending names the format. */
	readonly fileName: string;
	readonly text: string;
	/** BCP 47 code. */
	readonly to: string;
	/** The translated file that may lack messages of `text`; absent for whole documents. */
	readonly target?: string;
}

/** From the thread. */
export type DocumentMessage =
	| { readonly type: 'ask'; readonly texts: readonly string[] }
	| { readonly type: 'document'; readonly result: DocumentResult }
	| { readonly type: 'missing'; readonly result: MergeResult }
	| { readonly type: 'error'; readonly error: ErrorWire };

async function run(port: MessagePort, job: DocumentJob): Promise<DocumentMessage> {
	const ask = (texts: readonly string[]) =>
		new Promise<readonly string[]>((resolve) => {
			port.once('message', (answers: readonly string[]) => resolve(answers));
			port.postMessage({ type: 'ask', texts } satisfies DocumentMessage);
		});
	const { fileName, text, to, target } = job;
	if (target !== undefined) {
		const format = messageFormatOf(fileName);
		if (!format) throw new Error(`${fileName} has no message format.`);
		return { type: 'missing', result: await translateMissing(text, target, format, ask, to) };
	}
	const extract = formatOf(fileName);
	if (!extract) throw new Error(`${fileName} has no document format.`);
	return { type: 'document', result: await translateDocument(text, extract, ask, to) };
}

if (parentPort) {
	const port = parentPort;
	run(port, workerData as DocumentJob)
		.catch((error: unknown): DocumentMessage => {
			const { code, message } = asAppError(error);
			return { type: 'error', error: { code, message } };
		})
		.then((message) => {
			port.postMessage(message);
			port.close();
		});
}
