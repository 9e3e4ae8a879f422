/** The checked head of a request: what every decision of the layer is made on. */

import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import type { GatewaySettings } from '../config/gatewaySettings.ts';
import { headerPairs, type RawHeaders, singleValue, valuesOf } from './rawHeaders.ts';
import { readTarget } from './requestTarget.ts';
import type { TrustedProxies } from './trustedProxies.ts';

export interface RequestHead {
	readonly method: string;
	/** Whole request target, byte-exact. */
	readonly target: string;
	readonly path: string;
	readonly query: string;
	readonly reserved: boolean;
	/** The path as an app may read it; for refusals only, never to be forwarded. */
	readonly canonical: string;
	readonly plain: boolean;
	readonly headers: RawHeaders;
	/** Host the client called, lower case, from a trusted proxy when there is one. */
	readonly host: string;
	readonly secure: boolean;
	readonly clientIp: string;
	/** The client and the proxies it came through, the peer last. */
	readonly forwardedFor: readonly string[];
	readonly upgrade: boolean;
}

export interface HeadRefusal {
	readonly status: 400 | 405 | 501;
	readonly reason: string;
}

/** Single value of a header of the request, undefined when absent or repeated. */
export function header(head: RequestHead, name: string): string | undefined {
	return singleValue(head.headers, name);
}

const refusal = (status: HeadRefusal['status'], reason: string): HeadRefusal => ({
	status,
	reason,
});

/** Checks a request head and reads what decisions need from it. */
export function readHead(
	request: IncomingMessage,
	settings: GatewaySettings,
	trusted: TrustedProxies,
	upgrade: boolean,
): RequestHead | HeadRefusal {
	const raw = request.rawHeaders;
	const method = request.method ?? '';
	if (method === 'CONNECT' || method === 'TRACE') return refusal(405, `${method} is not allowed.`);
	const target = readTarget(request.url ?? '', settings.apiPrefix);
	if (target.kind === 'refused') return refusal(400, target.reason);
	for (const [, value] of headerPairs(raw)) {
		if (/[^\t\x20-\x7e\x80-\xff]/.test(value))
			return refusal(400, 'A header value holds control characters.');
	}
	const hosts = valuesOf(raw, 'host');
	// Probes of load balancers speak HTTP/1.0, which knows no Host; nothing else is served without one.
	const mayLack = request.httpVersion === '1.0' && hosts.length === 0;
	if (hosts.length !== 1 && !mayLack) return refusal(400, 'There must be exactly one Host header.');
	const codings = valuesOf(raw, 'transfer-encoding');
	if (codings.length > 0) {
		if (codings.length > 1 || codings[0]!.trim().toLowerCase() !== 'chunked') {
			return refusal(501, 'Only the transfer coding chunked is understood.');
		}
		if (valuesOf(raw, 'content-length').length > 0) {
			return refusal(400, 'Content-Length and Transfer-Encoding must not come together.');
		}
	}
	for (const name of [
		'content-length',
		'authorization',
		'x-zumo-auth',
		'origin',
		'sec-fetch-site',
	]) {
		if (valuesOf(raw, name).length > 1) return refusal(400, `The header ${name} must come once.`);
	}
	const peer = request.socket.remoteAddress ?? '';
	const encrypted = isEncrypted(request.socket);
	const forwarded = trusted.read(raw, peer, settings);
	return {
		method,
		target: request.url!,
		path: target.path,
		query: target.query,
		reserved: target.reserved,
		canonical: target.canonical,
		plain: target.plain,
		headers: raw,
		host: (forwarded.host ?? hosts[0] ?? '').trim().toLowerCase(),
		secure: encrypted || forwarded.proto === 'https',
		clientIp: forwarded.clientIp,
		forwardedFor: forwarded.chain,
		upgrade,
	};
}

function isEncrypted(socket: Socket): boolean {
	return (socket as Partial<TLSSocket>).encrypted === true;
}
