/** Whose texts are translated when: one bounded queue for every door, counted in characters. */

import type { TranslateEngine } from '../../protocol/index.ts';
import { type WorkPriority, WorkQueue, type WorkRequest } from '../../work/workQueue.ts';

/** What a turn is wanted for. */
export interface TranslateWork extends Omit<WorkRequest, 'work'> {
	/** UTF-16 units, for each target again. */
	readonly characters: number;
	readonly engine?: TranslateEngine | undefined;
}

export interface TranslateQueue {
	/** Throws `overloaded` when so much more would be refused: asked before a body is read. */
	checkRoom(work: TranslateWork): void;
	/**
	 * Waits for the turn of work that comes in several requests, or is charged for before it begins. Rejects with
	 * `overloaded`, at once, and `cancelled`.
	 */
	enter(work: TranslateWork, signal?: AbortSignal): Promise<Disposable>;
}

/** Enough sentences of like length for several batches; and a minute or so of a small model on two cores. */
export const translationQueue = (): WorkQueue =>
	new WorkQueue({
		describe: (waiting) => `${waiting} characters wait to be translated`,
		maxRunning: 40_000,
		maxWaiting: 400_000,
	});

/** The turn of what another machine does. */
const elsewhere: Disposable = { [Symbol.dispose]: () => {} };

/** @param usualEngine engine of requests that name none */
export function createTranslateQueue(
	usualEngine: () => TranslateEngine,
	queue = translationQueue(),
): TranslateQueue {
	return {
		checkRoom: ({ characters, engine = usualEngine(), ...rest }) => {
			if (engine === 'local') queue.checkRoom({ ...rest, work: characters });
		},
		enter: async ({ characters, engine = usualEngine(), ...rest }, signal) =>
			engine === 'local' ? queue.enter({ ...rest, work: characters }, signal) : elsewhere,
	};
}

/** UTF-16 units of a request, for each target again. */
export const charactersOf = ({
	texts,
	targets,
}: {
	readonly texts: readonly string[];
	readonly targets: readonly unknown[];
}): number => texts.reduce((sum, { length }) => sum + length, 0) * targets.length;

/** Characters up to which a request counts as one that somebody looks at. */
const maxInteractive = 4000;

/** Somebody waits for a few sentences; files give way to them. */
export const priorityOf = (characters: number): WorkPriority =>
	characters > maxInteractive ? 'batch' : 'interactive';
