/** The app behind the layer: where it is and the connections kept to it. */

import { Agent, type ClientRequest, request as httpRequest } from 'node:http';
import { request as httpsRequest, Agent as SecureAgent } from 'node:https';
import { connect, type Socket } from 'node:net';
import { AppError } from '../../protocol/errors.ts';

export interface UpstreamCall {
	readonly method: string;
	/** Request target, byte-exact. */
	readonly target: string;
	/** Flat header list. */
	readonly headers: readonly string[];
	/** Own connection that is not kept (upgrades). */
	readonly single: boolean;
}

/** Without what may be a password. */
const wrong = (address: string): AppError =>
	new AppError(
		'invalid_request',
		`--upstream must be http://host:port, https://host:port or unix:/path, is '${address.replace(/\/\/[^/]*@/, '//…@')}'.`,
		{ param: 'upstream' },
	);

/** Shorter than the 10 s for which balancers and the 15 s for which servers keep a connection on which nothing is said. */
const keptMs = 8000;

export class Upstream implements Disposable {
	readonly #agent: Agent | SecureAgent;
	readonly #secure: boolean;
	readonly #socketPath: string | undefined;
	/** Of an address; a socket in the file system has none. */
	readonly hostname: string;
	readonly port: number;
	/** `host[:port]` for the Host header. */
	readonly host: string;
	readonly origin: string;

	/** @param address `http://127.0.0.1:8080`, `https://…` or `unix:/path/to/socket`. */
	constructor(address: string) {
		if (address.startsWith('unix:')) {
			this.#socketPath = address.slice('unix:'.length);
			if (this.#socketPath === '') throw wrong(address);
			this.hostname = '';
			this.port = 0;
			this.#secure = false;
			this.host = 'localhost';
			this.origin = 'http://localhost';
		} else {
			const url = URL.canParse(address) ? new URL(address) : undefined;
			const known = url && (url.protocol === 'http:' || url.protocol === 'https:');
			const isMore = url?.search || url?.hash || url?.username || url?.password;
			if (!known || url.pathname !== '/' || isMore || url.port === '0') throw wrong(address);
			this.#socketPath = undefined;
			this.#secure = url.protocol === 'https:';
			this.hostname = url.hostname.replace(/^\[|\]$/g, '');
			this.port = url.port === '' ? (this.#secure ? 443 : 80) : Number(url.port);
			this.host = url.host;
			this.origin = url.origin;
		}
		const options = {
			...{ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY, maxFreeSockets: 256 },
			timeout: keptMs,
		};
		this.#agent = this.#secure ? new SecureAgent(options) : new Agent(options);
	}

	/** Opens a request; the caller writes the body and listens. */
	open(call: UpstreamCall): ClientRequest {
		const options = {
			method: call.method,
			path: call.target,
			headers: [...call.headers],
			agent: call.single ? false : this.#agent,
			setHost: false,
			insecureHTTPParser: false,
			...(this.#socketPath === undefined
				? { host: this.hostname, port: this.port }
				: { socketPath: this.#socketPath }),
		} as const;
		return this.#secure ? httpsRequest(options) : httpRequest(options);
	}

	/** A connection on which nothing is said; the caller closes it. */
	connect(): Socket {
		return this.#socketPath === undefined
			? connect(this.port, this.hostname)
			: connect(this.#socketPath);
	}

	[Symbol.dispose](): void {
		this.#agent.destroy();
	}
}
