/** Changes in the daemon, for its subscribers: the pipe, the metrics, the language servers. */

import type { LogFacts, Logger } from '../services/logger.ts';
import type { PipeEvent } from './pipeEvents.ts';

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

/** A logger whose lines are told to the listeners too. */
export function broadcastingLogger(log: Logger, events: DaemonEvents): Logger {
	const at =
		(level: 'debug' | 'info' | 'warn' | 'error') => (message: string, facts?: LogFacts) => {
			log[level](message, facts);
			events.emit({ type: 'log', level, message, facts: facts ?? {} });
		};
	return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}
