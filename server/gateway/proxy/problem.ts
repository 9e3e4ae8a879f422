/** Answers that say what went wrong: `application/problem+json` (RFC 9457). */

import { randomBytes } from 'node:crypto';
import { type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { SignInCode } from '../../protocol/signInCodes.ts';

export interface Problem {
	readonly status: number;
	/** Stable machine-readable name, `sign_in_required`. */
	readonly code: SignInCode;
	/** One sentence: what happened and what to do. */
	readonly detail: string;
	/** Extra header lines. */
	readonly headers?: Readonly<Record<string, string | readonly string[]>>;
}

/** Body of a problem answer; `traceId` also stands in the audit log. */
function problemBody(problem: Problem, traceId = newTraceId()): Record<string, unknown> {
	return {
		type: 'about:blank',
		title: STATUS_CODES[problem.status] ?? 'Error',
		status: problem.status,
		code: problem.code,
		detail: problem.detail,
		traceId,
	};
}

function newTraceId(): string {
	return randomBytes(16).toString('hex');
}

/** Sends a problem unless an answer has begun, in which case the connection is cut. */
export function sendProblem(response: ServerResponse, problem: Problem): void {
	if (response.headersSent || response.destroyed) {
		response.destroy();
		return;
	}
	for (const [name, value] of Object.entries(problem.headers ?? {}))
		response.setHeader(name, value);
	const body = Buffer.from(JSON.stringify(problemBody(problem)));
	response.writeHead(problem.status, {
		'Content-Type': 'application/problem+json',
		'Content-Length': body.length,
		'Cache-Control': 'no-store',
		'X-Content-Type-Options': 'nosniff',
	});
	response.end(response.req.method === 'HEAD' ? undefined : body);
}

/** Sends a problem on a socket that has no response object (upgrade, parser error) and closes it. */
export function sendRawProblem(socket: Duplex, problem: Problem): void {
	if (socket.destroyed || !socket.writable) {
		socket.destroy();
		return;
	}
	const body = JSON.stringify(problemBody(problem));
	const lines = [
		`HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status] ?? 'Error'}`,
		'Content-Type: application/problem+json',
		`Content-Length: ${Buffer.byteLength(body)}`,
		'Cache-Control: no-store',
		'Connection: close',
	];
	for (const [name, value] of Object.entries(problem.headers ?? {})) {
		for (const line of Array.isArray(value) ? value : [value]) lines.push(`${name}: ${line}`);
	}
	socket.end(`${lines.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy());
}
