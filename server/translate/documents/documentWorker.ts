/**
 * Takes documents apart and puts them together in a thread of its own, so that long ones hold nobody
 * up. The translations themselves are asked of the thread that started it.
 */

import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { type ErrorWire, fromErrorWire, toErrorWire } from '../../protocol/errors.ts';
import type { DetectedText } from '../detectedText.ts';
import type { TextTranslator } from './documentLanguage.ts';
import { type MissingResult, messageFormatOf, translateMissing } from './missingMessages.ts';
import { type DocumentResult, formatOf, translateDocument } from './translateDocument.ts';

/** What the thread is started with. */
export interface DocumentJob {
	/** Its ending names the format. */
	readonly fileName: string;
	readonly text: string;
	/** BCP 47 codes; without `from` the language is detected. */
	readonly to: string;
	readonly from?: string;
	/** The translated file that may lack messages of `text`; absent for whole documents. */
	readonly target?: string;
}

/** What the thread wants to know of texts: without `from` their languages, else their translations. */
export interface DocumentQuestion {
	readonly type: 'ask';
	readonly texts: readonly string[];
	readonly from?: string;
}

/** What it is told. */
export interface DocumentAnswer {
	readonly detected?: readonly DetectedText[];
	readonly translated?: readonly string[];
	readonly error?: ErrorWire;
}

/** From the thread. */
export type DocumentMessage =
	| DocumentQuestion
	| { readonly type: 'document'; readonly result: DocumentResult }
	| { readonly type: 'missing'; readonly result: MissingResult }
	| { readonly type: 'error'; readonly error: ErrorWire };

async function run(port: MessagePort, job: DocumentJob): Promise<DocumentMessage> {
	const ask = async (question: Omit<DocumentQuestion, 'type'>): Promise<DocumentAnswer> => {
		const answer = await new Promise<DocumentAnswer>((resolve) => {
			port.once('message', resolve);
			port.postMessage({ type: 'ask', ...question } satisfies DocumentMessage);
		});
		if (answer.error) throw fromErrorWire(answer.error);
		return answer;
	};
	const translator: TextTranslator = {
		detect: async (texts) => (await ask({ texts })).detected ?? [],
		translate: async (texts, from) => (await ask({ texts, from })).translated ?? [],
	};
	const { fileName, text, target } = job;
	if (target !== undefined) {
		const format = messageFormatOf(fileName);
		if (!format) throw new Error(`${fileName} has no message format.`);
		return {
			type: 'missing',
			result: await translateMissing(text, target, format, translator, job),
		};
	}
	const extract = formatOf(fileName);
	if (!extract) throw new Error(`${fileName} has no document format.`);
	return { type: 'document', result: await translateDocument(text, extract, translator, job) };
}

if (parentPort) {
	const port = parentPort;
	run(port, workerData as DocumentJob)
		.catch((error: unknown): DocumentMessage => {
			return { type: 'error', error: toErrorWire(error) };
		})
		.then((message) => {
			port.postMessage(message);
			port.close();
		});
}
