/** Audit log: one JSON line per sign-in, sign-out, refresh and refusal. Never a token, code or cookie. */

import { createWriteStream, openSync } from 'node:fs';
import type { Writable } from 'node:stream';
import { jsonLine } from '../../protocol/visibleText.ts';
import { reasonOf, unusable } from '../../store/checkPlace.ts';
import type { AuditEvent } from './auditEvent.ts';
import { StrangerLines } from './strangerLines.ts';

export interface AuditLog extends Disposable {
	write(event: AuditEvent): void;
	/** Goes on in a new file of the name, after another program has moved the old one (SIGHUP). */
	reopen(): void;
}

/** Longest text of an event: callers choose paths, and providers reasons. */
const maxPathLength = 200;
const maxTextLength = 1000;
const sweepMs = 60_000;

/**
 * @param target Path of the log, or `-` for the given stream.
 * @param fallback Where events go when the file cannot be written any more.
 * @throws AppError `invalid_request` when the file cannot be opened
 */
export function openAuditLog(
	target: string,
	fallback: Writable,
	now: () => number,
	elapsed: () => number = () => performance.now(),
): AuditLog {
	const strangers = new StrangerLines(elapsed);
	const line = (event: AuditEvent) =>
		jsonLine({ time: new Date(now()).toISOString(), ...bounded(event) });
	const failed = (reason: string) => {
		stream = fallback;
		fallback.write(line({ event: 'audit_failed', reason }));
	};
	const open = (): Writable => {
		if (target === '-') return fallback;
		const file = openFile(target);
		file.on('error', (error) => {
			if (stream === file) failed(`The audit log ${target} cannot be written: ${error.message}`);
		});
		return file;
	};
	const end = (old: Writable) => void (old === fallback || old.end());
	let stream = open();
	const flush = (atEnd = false) => {
		const summary = strangers.summary(atEnd);
		if (summary) stream.write(line(summary));
	};
	const timer = setInterval(flush, sweepMs);
	timer.unref();
	return {
		write(event) {
			flush();
			if (strangers.admit(event)) stream.write(line(event));
		},
		reopen() {
			if (target === '-') return;
			const old = stream;
			try {
				stream = open();
				stream.write(line({ event: 'audit_reopened' }));
			} catch (error) {
				// The old file goes on taking what it can.
				stream.write(line({ event: 'audit_failed', reason: reasonOf(error) }));
				return;
			}
			end(old);
		},
		[Symbol.dispose]() {
			clearInterval(timer);
			flush(true);
			end(stream);
		},
	};
}

function openFile(path: string): Writable {
	try {
		// Opened before anything is done that it is to tell about.
		return createWriteStream(path, { fd: openSync(path, 'a', 0o600) });
	} catch (error) {
		throw unusable(path, 'The audit log (x-gateway.auditFile)', reasonOf(error), error);
	}
}

function bounded(event: AuditEvent): AuditEvent {
	const cut = (text: string, length: number) =>
		text.length > length ? `${text.slice(0, length)}… (${text.length})` : text;
	const rows = Object.entries(event).map(([key, value]): [string, unknown] => [
		key,
		typeof value === 'string' ? cut(value, key === 'path' ? maxPathLength : maxTextLength) : value,
	]);
	return Object.fromEntries(rows) as unknown as AuditEvent;
}
