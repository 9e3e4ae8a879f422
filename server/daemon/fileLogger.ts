/** The daemon's log: JSON lines through pino, to a terminal or to a file of limited size. */

import { renameSync, statSync } from 'node:fs';
import pino from 'pino';
import { escapedJson } from '../protocol/visibleText.ts';
import type { LogFacts, Logger } from '../services/logger.ts';
import { unwritable } from '../store/files.ts';

export interface LogOptions {
	readonly level: 'silent' | 'error' | 'warn' | 'info' | 'debug';
	/** File to append to; `undefined` = standard error. */
	readonly file?: string;
}

/** At this size the file becomes `*.1`, and a new one begins. */
const rotateBytes = 5 * 1024 * 1024;

export function createLogger(options: LogOptions): Logger {
	const { file } = options;
	let sizeBytes = file === undefined ? 0 : rotated(file);
	const destination = open(file);
	const streamWrite = (line: string): string => {
		const text = escapedJson(line);
		sizeBytes += Buffer.byteLength(text);
		if (file !== undefined && sizeBytes > rotateBytes) {
			sizeBytes = rotated(file);
			destination.reopen();
		}
		return text;
	};
	const logger = pino(
		{
			level: options.level,
			base: null,
			timestamp: pino.stdTimeFunctions.isoTime,
			hooks: { streamWrite },
		},
		destination,
	);
	const at = (level: 'debug' | 'info' | 'warn' | 'error') => (message: string, facts?: LogFacts) =>
		logger[level](facts ?? {}, message);
	return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}

function open(file: string | undefined): ReturnType<typeof pino.destination> {
	try {
		return pino.destination({ dest: file ?? 2, sync: true, mkdir: true, mode: 0o600 });
	} catch (error) {
		throw unwritable(file ?? 'standard error', error);
	}
}

/** Puts a large file aside. @returns bytes of the file that lines go to now */
function rotated(file: string): number {
	try {
		const { size } = statSync(file);
		if (size <= rotateBytes) return size;
		renameSync(file, `${file}.1`);
	} catch {
		// There is no file yet, or it may not be renamed: then it is tried again when as much has been written.
	}
	return 0;
}
