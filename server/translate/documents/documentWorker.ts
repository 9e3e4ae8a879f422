/**
 * Takes documents apart and puts them together in a thread of its own, so that long ones hold nobody
 * up. The translations themselves are asked of the thread that started it.
 */

import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { fromErrorWire, toErrorWire } from '../../protocol/errorWire.ts';
import { textBatches } from '../../protocol/textBatches.ts';
import type {
	DocumentAnswer,
	DocumentJob,
	DocumentMessage,
	DocumentQuestion,
} from './documentJob.ts';
import { runDocumentJob } from './documentJob.ts';
import type { TextTranslator } from './documentLanguage.ts';

/** Texts and characters of one question: more would hold up the thread that is asked. */
const maxPendingTexts = { texts: 500, characters: 200_000 };

function translatorOver(port: MessagePort): TextTranslator {
	const ask = async (question: Omit<DocumentQuestion, 'type'>): Promise<DocumentAnswer> => {
		const answer = await new Promise<DocumentAnswer>((resolve) => {
			port.once('message', resolve);
			port.postMessage({ type: 'ask', ...question } satisfies DocumentMessage);
		});
		if (answer.error) throw fromErrorWire(answer.error);
		return answer;
	};
	const inBatches = async <T>(
		texts: readonly string[],
		of: (batch: readonly string[], at: number) => Promise<readonly T[] | undefined>,
	): Promise<T[]> => {
		const all: T[] = [];
		let at = 0;
		for (const batch of textBatches(texts, maxPendingTexts)) {
			for (const one of (await of(batch, at)) ?? []) all.push(one);
			at += batch.length;
		}
		return all;
	};
	return {
		detect: (texts) => inBatches(texts, async (batch) => (await ask({ texts: batch })).detected),
		translate: (texts, from, comments) =>
			inBatches(texts, async (batch, at) => {
				const own = comments && { comments: comments.slice(at, at + batch.length) };
				return (await ask({ texts: batch, from, ...own })).translated;
			}),
	};
}

if (parentPort) {
	const port = parentPort;
	runDocumentJob(workerData as DocumentJob, translatorOver(port))
		.catch((error: unknown): DocumentMessage => {
			return { type: 'error', error: toErrorWire(error) };
		})
		.then((message) => {
			const bytes = message.type === 'file' ? message.result.bytes : undefined;
			const moved = message.type === 'json' ? message.bytes : bytes;
			port.postMessage(message, moved ? [moved.buffer] : []);
			port.close();
		});
}
