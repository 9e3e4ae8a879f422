/** Passes a protocol upgrade (WebSocket) through and joins the two connections. */

import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { onClose } from '../../net/onClose.ts';
import type { SignInCode } from '../../protocol/signInCodes.ts';
import type { GatewaySettings } from '../config/gatewaySettings.ts';
import { sendRawProblem } from './problem.ts';
import type { Upstream } from './upstream.ts';

/** Time that one side gets to answer the other's word that nothing follows. */
const halfClosedMs = 5000;

export interface TunnelOptions {
	readonly upstream: Upstream;
	readonly limits: GatewaySettings['limits'];
	readonly target: string;
	readonly headers: readonly string[];
	readonly downstream: (raw: readonly string[], upgraded: boolean) => string[];
	readonly onEnd: (status: number) => void;
}

/** Upgrades; a refusal of the app (any status but 101) reaches the client unchanged. */
export function tunnel(
	request: IncomingMessage,
	socket: Duplex,
	head: Buffer,
	options: TunnelOptions,
): void {
	const upgrade = request.headers.upgrade ?? 'websocket';
	const call = options.upstream.open({
		method: request.method ?? 'GET',
		target: options.target,
		headers: [...options.headers, 'Connection', 'Upgrade', 'Upgrade', upgrade],
		single: true,
	});
	let done = false;
	const finish = (status: number) => {
		if (done) return;
		done = true;
		clearTimeout(timer);
		options.onEnd(status);
	};
	const fail = (status: number, code: SignInCode, detail: string) => {
		call.destroy();
		if (!done) sendRawProblem(socket, { status, code, detail });
		finish(status);
	};
	const timer = setTimeout(
		() =>
			fail(
				504,
				'upstream_timeout',
				'The app behind this address did not accept the connection in time.',
			),
		options.limits.connectMs + 25_000,
	);
	onClose(socket, () => {
		call.destroy();
		finish(499);
	});
	socket.on('error', () => call.destroy());
	call.once('error', (error: NodeJS.ErrnoException) =>
		fail(
			502,
			'upstream_failed',
			`The app behind this address did not answer (${error.code ?? 'connection failed'}).`,
		),
	);
	call.once('response', (answer) => {
		finish(answer.statusCode ?? 502);
		socket.write(
			statusHead(answer, [...options.downstream(answer.rawHeaders, false), 'Connection', 'close']),
		);
		answer.pipe(socket);
		// Nothing follows from the client but its end.
		endsWithItsHalf(socket.resume());
	});
	call.once('upgrade', (answer: IncomingMessage, upstreamSocket: Socket, upstreamHead: Buffer) => {
		finish(101);
		upstreamSocket.on('error', () => socket.destroy());
		onClose(upstreamSocket, () => socket.destroy());
		onClose(socket, () => upstreamSocket.destroy());
		upstreamSocket.setNoDelay(true);
		socket.write(
			statusHead(answer, [...options.downstream(answer.rawHeaders, true), 'Connection', 'Upgrade']),
		);
		if (upstreamHead.length > 0) socket.write(upstreamHead);
		if (head.length > 0) upstreamSocket.write(head);
		upstreamSocket.pipe(socket);
		socket.pipe(upstreamSocket);
		for (const half of [socket, upstreamSocket]) endsWithItsHalf(half);
	});
	call.end();
}

/** Takes the other half along, too, a while after the peer has ended its own. */
function endsWithItsHalf(socket: Duplex): void {
	socket.once('end', () => {
		const late = setTimeout(() => socket.destroy(), halfClosedMs);
		onClose(socket, () => clearTimeout(late));
	});
}

function statusHead(answer: IncomingMessage, headers: readonly string[]): string {
	let text = `HTTP/1.1 ${answer.statusCode} ${answer.statusMessage ?? ''}\r\n`;
	for (let at = 0; at < headers.length; at += 2) text += `${headers[at]}: ${headers[at + 1]}\r\n`;
	return `${text}\r\n`;
}
