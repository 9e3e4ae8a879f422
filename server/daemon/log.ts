/** The daemon's log: JSON lines through pino, to a terminal or to a file of limited size. */

import { renameSync, statSync } from 'node:fs';
import pino from 'pino';
import { escapedJson } from '../protocol/visibleText.ts';
import type { LogFacts, Logger } from '../services/log.ts';

export interface LogOptions {
	readonly level: 'silent' | 'error' | 'warn' | 'info' | 'debug';
	/** File to append to; `undefined` = standard error. */
	readonly file?: string;
}

/** At this size the file becomes `*.1` at the next start. */
const rotateBytes = 5 * 1024 * 1024;

export function createLogger(options: LogOptions): Logger {
	if (options.file !== undefined) rotate(options.file);
	const destination = pino.destination({
		dest: options.file ?? 2,
		sync: true,
		mkdir: true,
		mode: 0o600,
	});
	const logger = pino(
		{
			level: options.level,
			base: null,
			timestamp: pino.stdTimeFunctions.isoTime,
			hooks: { streamWrite: escapedJson },
		},
		destination,
	);
	const at = (level: 'debug' | 'info' | 'warn' | 'error') => (message: string, facts?: LogFacts) =>
		logger[level](facts ?? {}, message);
	return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}

function rotate(file: string): void {
	try {
		if (statSync(file).size > rotateBytes) renameSync(file, `${file}.1`);
	} catch {
		// The first start has no file yet.
	}
}
