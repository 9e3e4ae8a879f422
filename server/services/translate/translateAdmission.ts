/** Whose texts are let in to be translated: one bound for every door, counted in characters. */

import type { TranslateEngine } from '../../protocol/index.ts';
import { WorkBound, type WorkPriority, type WorkRequest } from '../../work/workBound.ts';

/** What is to be let in. */
export interface TranslateWork extends Omit<WorkRequest, 'work'> {
	/** UTF-16 units, for each target again. */
	readonly characters: number;
	readonly engine?: TranslateEngine | undefined;
}

export interface TranslateAdmission {
	/** Throws `overloaded` when so much more would be refused: asked before a body is read. */
	checkRoom(work: TranslateWork): void;
	/**
	 * Lets in work that comes in several requests, or is charged for before it begins. Throws `overloaded` and
	 * `cancelled`.
	 */
	enter(work: TranslateWork, signal?: AbortSignal): Disposable;
}

/** A minute or so of a small model on two cores; and several batches on any machine. */
const usualBound = (): WorkBound =>
	new WorkBound({
		describe: (work) => `${work} characters wait to be translated`,
		maxWork: 480_000,
		minWork: 40_000,
	});

/** The place of what another machine does. */
const elsewhere: Disposable = { [Symbol.dispose]: () => {} };

/** @param usualEngine engine of requests that name none */
export function createTranslateAdmission(
	usualEngine: () => TranslateEngine,
	bound = usualBound(),
): TranslateAdmission {
	return {
		checkRoom: ({ characters, engine = usualEngine(), ...rest }) => {
			if (engine === 'local') bound.checkRoom({ ...rest, work: characters });
		},
		enter: ({ characters, engine = usualEngine(), ...rest }, signal) =>
			engine === 'local' ? bound.enter({ ...rest, work: characters }, signal) : elsewhere,
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
