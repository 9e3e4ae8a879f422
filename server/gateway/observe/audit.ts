/** Audit log: one JSON line per sign-in, sign-out, refresh and refusal. Never a token, code or cookie. */

import { createWriteStream } from 'node:fs';
import type { Writable } from 'node:stream';

export interface AuditEvent {
	readonly event:
		| 'login_started'
		| 'login'
		| 'login_failed'
		| 'client_login'
		| 'client_login_failed'
		| 'logout'
		| 'refresh'
		| 'refresh_failed'
		| 'code_issued'
		| 'code_redeemed'
		| 'code_refused'
		| 'device_started'
		| 'device_approved'
		| 'device_denied'
		| 'request_refused'
		| 'identity_missing'
		| 'keys_reloaded'
		| 'started'
		| 'stopped';
	readonly clientIp?: string;
	readonly provider?: string;
	readonly userId?: string;
	readonly reason?: string;
	readonly path?: string;
	readonly status?: number;
}

export interface AuditLog extends Disposable {
	write(event: AuditEvent): void;
}

/** @param target Path of the log, or `-` for the given stream. */
export function openAuditLog(target: string, fallback: Writable, now: () => number): AuditLog {
	const own = target === '-' ? undefined : createWriteStream(target, { flags: 'a', mode: 0o600 });
	own?.on('error', (error) =>
		fallback.write(`The audit log ${target} cannot be written: ${error.message}\n`),
	);
	const stream = own ?? fallback;
	return {
		write: (event) =>
			void stream.write(`${JSON.stringify({ time: new Date(now()).toISOString(), ...event })}\n`),
		[Symbol.dispose]: () => void own?.end(),
	};
}
