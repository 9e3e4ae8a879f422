/** The thread of one folder's index: reads its files and its database, so that the language server never waits for them. */

import { parentPort, workerData } from 'node:worker_threads';
import { type ErrorWire, toErrorWire } from '../../protocol/errorWire.ts';
import { asAppError } from '../../protocol/index.ts';
import { FolderIndex } from './folderIndex.ts';

/** What the thread is started with. */
export interface IndexWorkerData {
	readonly folder: string;
	readonly path: string;
}

/** What may be called, and what each answers. */
export type IndexCalls = Pick<
	FolderIndex,
	'synchronise' | 'update' | 'toEmbed' | 'embed' | 'search'
>;

export interface IndexQuestion {
	readonly number: number;
	readonly call: keyof IndexCalls;
	readonly given: readonly unknown[];
}

export type IndexReply =
	| { readonly number: number; readonly value: unknown }
	| { readonly number: number; readonly error: ErrorWire }
	/** A sentence for people: a damaged file was set aside. */
	| { readonly notice: string }
	| { readonly done: number; readonly total: number };

const port = parentPort;
if (port) {
	const post = (reply: IndexReply) => port.postMessage(reply);
	const opening = FolderIndex.open({
		...(workerData as IndexWorkerData),
		onAside: (notice) => post({ notice }),
		onProgress: (done, total) => post({ done, total }),
	});
	opening.catch(() => undefined);
	/** Changes come one after the other; questions are answered between them. */
	let changes: Promise<unknown> = opening;
	const run = async ({ call, given }: IndexQuestion): Promise<unknown> => {
		const index = await opening;
		const method = index[call] as (...args: readonly unknown[]) => unknown;
		if (call !== 'synchronise' && call !== 'update') return method.apply(index, [...given]);
		const changed = changes.then(() => method.apply(index, [...given]));
		changes = changed.catch(() => undefined);
		return changed;
	};
	port.on('message', async (question: IndexQuestion | 'close') => {
		if (question === 'close') {
			await opening.then((index) => index.close()).catch(() => undefined);
			process.exit(0);
		}
		const { number } = question;
		try {
			post({ number, value: await run(question) });
		} catch (error) {
			post({ number, error: toErrorWire(asAppError(error)) });
		}
	});
}
