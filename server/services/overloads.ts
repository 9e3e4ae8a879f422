/** Requests that were refused because too much waits: counted, and told of once a minute however many there are. */

import type { Metrics } from '../net/metrics.ts';
import { AppError } from '../protocol/index.ts';
import type { Logger } from './logger.ts';

export interface Overloads {
	/** Counts an error when it is a refusal of this kind. */
	count(error: unknown, path: string): void;
}

const everyMs = 60_000;

export function countOverloads(log: Logger, metrics: Metrics): Overloads {
	let untold = 0;
	let last: { readonly path: string; readonly reason: string } | undefined;
	let timer: NodeJS.Timeout | undefined;
	const report = (): void => {
		timer = undefined;
		if (untold === 0) return;
		log.warn('too much to do: requests were refused', { refused: untold, ...last });
		untold = 0;
		timer = setTimeout(report, everyMs).unref();
	};
	return {
		count: (error, path) => {
			if (!(error instanceof AppError) || error.code !== 'overloaded') return;
			metrics.count('nearglot_overloaded_total');
			untold++;
			last = { path, reason: error.message };
			if (timer === undefined) report();
		},
	};
}
