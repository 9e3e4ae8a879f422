/** Changes the daemon tells of, to whoever listens: the pipe, the metrics, the fronts. */

import type { PipeEvent } from './pipe.ts';

export interface DaemonEvents {
	/** Returns how to stop listening. */
	on(listener: (event: PipeEvent) => void): () => void;
	emit(event: PipeEvent): void;
}

export function createEvents(): DaemonEvents {
	const listeners = new Set<(event: PipeEvent) => void>();
	return {
		on: (listener) => {
			listeners.add(listener);
			return () => listeners.delete(listener);
		},
		emit: (event) => {
			for (const listener of listeners) listener(event);
		},
	};
}
