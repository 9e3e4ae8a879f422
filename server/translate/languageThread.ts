/**
 * The language tools in threads of their own: neither loading their tables nor a long text holds up whoever
 * asks. A thread begins with the first question and ends with its process, or when it gets no further.
 */

import { Worker } from 'node:worker_threads';
import { AppError } from '../protocol/errors.ts';
import { type ErrorWire, fromErrorWire } from '../protocol/errorWire.ts';
import { limitComputing } from '../work/computingLimit.ts';
import type { LanguageTools } from './languageTools.ts';

/** What the thread is asked: a tool, and what it is given. */
export interface LanguageQuestion {
	readonly id: number;
	readonly tool: keyof LanguageTools;
	readonly given: readonly (string | readonly string[])[];
}

export type LanguageAnswer =
	| { readonly id: number; readonly value: unknown }
	| { readonly id: number; readonly error: ErrorWire };

interface PendingQuestion {
	resolve(value: unknown): void;
	reject(error: unknown): void;
}

type SendQuestion = <T>(
	tool: keyof LanguageTools,
	...given: (string | readonly string[])[]
) => Promise<T>;

/** Milliseconds of processor time in which some question has to be answered; the largest tables take a tenth. */
const usualMs = 30_000;

/** @param assets folder of data files that were fetched later */
export function languageToolsInWorker(assets: string, limitMs = usualMs): LanguageTools {
	// The tables of one script take seconds to load, and everybody's texts are told apart meanwhile.
	const reader = thread(assets, limitMs);
	const writer = thread(assets, limitMs);
	return {
		detect: (text, likely = []) => reader('detect', text, likely),
		transliterate: (text, language, from, to) => writer('transliterate', text, language, from, to),
		sentences: (text, language) => reader('sentences', text, language),
	};
}

/** A thread that begins with its first question, and again after it had to be ended. */
function thread(assets: string, limitMs: number): SendQuestion {
	const pending = new Map<number, PendingQuestion>();
	let worker: Worker | undefined;
	let unwatch = () => {};
	let last = 0;

	const settle = ({ id, ...answer }: LanguageAnswer): void => {
		const found = pending.get(id);
		pending.delete(id);
		if (pending.size === 0) {
			unwatch();
			worker?.unref();
		}
		if ('error' in answer) found?.reject(fromErrorWire(answer.error));
		else found?.resolve(answer.value);
	};
	const start = (): Worker => {
		const started = new Worker(workerFile(), { workerData: assets, stdout: true });
		const ended = (cause?: unknown) =>
			end(started, new AppError('internal', 'The language thread has ended.', { cause }));
		started.on('message', settle);
		started.on('error', ended);
		started.on('exit', () => ended());
		return started;
	};
	const end = (ended: Worker, error: AppError): void => {
		if (ended !== worker) return;
		worker = undefined;
		unwatch();
		for (const [id, { reject }] of pending) {
			pending.delete(id);
			reject(error);
		}
	};
	const watch = (watched: Worker) =>
		limitComputing(
			watched,
			() => last - pending.size,
			limitMs,
			() => {
				end(watched, tooExpensive());
				void watched.terminate();
			},
		);
	return (tool, ...given) =>
		new Promise((resolve, reject) => {
			worker ??= start();
			worker.ref();
			if (pending.size === 0) unwatch = watch(worker);
			pending.set(++last, { resolve: (value) => resolve(value as never), reject });
			worker.postMessage({ id: last, tool, given } satisfies LanguageQuestion);
		});
}

const tooExpensive = () =>
	new AppError(
		'too_expensive',
		'Reading the text took too much computing, so it was ended. Send it in smaller parts.',
		{ param: 'text' },
	);

function workerFile(): URL {
	const bundled = import.meta.url.endsWith('.cjs');
	return new URL(bundled ? './language-worker.cjs' : './languageWorker.ts', import.meta.url);
}
