/**
 * The language tools in a thread of their own: neither loading their tables nor a long text holds up
 * whoever asks. The thread begins with the first question and ends with its process.
 */

import { Worker } from 'node:worker_threads';
import { AppError } from '../protocol/errors.ts';
import { type ErrorWire, fromErrorWire } from '../protocol/errorWire.ts';
import type { LanguageTools } from './languageTools.ts';

/** What the thread is asked: a tool, and what it is given. */
export interface LanguageQuestion {
	readonly id: number;
	readonly tool: keyof LanguageTools;
	readonly given: readonly string[];
}

export type LanguageAnswer =
	| { readonly id: number; readonly value: unknown }
	| { readonly id: number; readonly error: ErrorWire };

interface Asked {
	resolve(value: unknown): void;
	reject(error: unknown): void;
}

/** @param assets folder of data files that were fetched later */
export function languageToolsAside(assets: string): LanguageTools {
	const asked = new Map<number, Asked>();
	let worker: Worker | undefined;
	let last = 0;

	const settle = ({ id, ...answer }: LanguageAnswer): void => {
		const found = asked.get(id);
		asked.delete(id);
		if (asked.size === 0) worker?.unref();
		if ('error' in answer) found?.reject(fromErrorWire(answer.error));
		else found?.resolve(answer.value);
	};
	const start = (): Worker => {
		const started = new Worker(workerFile(), { workerData: assets, stdout: true });
		const ended = (cause?: unknown) => {
			if (started !== worker) return;
			worker = undefined;
			for (const [id, { reject }] of asked) {
				asked.delete(id);
				reject(new AppError('internal', 'The language thread has ended.', { cause }));
			}
		};
		started.on('message', settle);
		started.on('error', ended);
		started.on('exit', () => ended());
		return started;
	};
	const ask = <T>(tool: keyof LanguageTools, ...given: string[]): Promise<T> =>
		new Promise((resolve, reject) => {
			worker ??= start();
			worker.ref();
			asked.set(++last, { resolve: (value) => resolve(value as T), reject });
			worker.postMessage({ id: last, tool, given } satisfies LanguageQuestion);
		});
	return {
		detect: (text) => ask('detect', text),
		transliterate: (text, language, from, to) => ask('transliterate', text, language, from, to),
		sentences: (text, language) => ask('sentences', text, language),
	};
}

function workerFile(): URL {
	const bundled = import.meta.url.endsWith('.cjs');
	return new URL(bundled ? './language-worker.cjs' : './languageWorker.ts', import.meta.url);
}
