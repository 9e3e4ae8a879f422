/** One request to a route of the layer, and the ways to answer it. */

import type { IncomingMessage, ServerResponse } from 'node:http';
import { onClose } from '../../net/onClose.ts';
import { isRecord } from '../../protocol/errorBody.ts';
import { AppError } from '../../protocol/errors.ts';
import { corsHeaders } from '../access/cors.ts';
import { asFields, type ConfigFields } from '../config/configFields.ts';
import type { GatewayContext } from '../context.ts';
import type { RequestHead } from '../proxy/requestHead.ts';
import { header } from '../proxy/requestHead.ts';
import type { Cookie } from '../session/cookies.ts';

export interface RequestContext {
	readonly head: RequestHead;
	readonly request: IncomingMessage;
	readonly response: ServerResponse;
	readonly query: URLSearchParams;
	readonly cookies: readonly Cookie[];
	readonly context: GatewayContext;
	readonly signal: AbortSignal;
	/** Web origin whose script calls. */
	readonly corsOrigin: string | undefined;
}

/** A route; `name` is the provider segment where there is one. */
export type GatewayRoute = (exchange: RequestContext, name: string) => Promise<void>;

/** Longest body of a route of the layer, in bytes. */
const maxBodyBytes = 64 * 1024;
/** Longest time such a body may take. */
const bodyMs = 30_000;

export interface PageOptions {
	readonly status?: number;
	/** Nonce of the page's own script. */
	readonly scriptNonce?: string;
	/** Targets a form of the page may lead to. */
	readonly formTargets?: readonly string[];
	/** Origin that may show the page in a frame. */
	readonly frameOrigin?: string;
	/** The page talks to the window that opened it. */
	readonly keepOpener?: boolean;
}

function begin(exchange: RequestContext, setCookies: readonly string[]): void {
	const { response } = exchange;
	response.setHeader('Cache-Control', 'no-store');
	response.setHeader('X-Content-Type-Options', 'nosniff');
	response.setHeader('Referrer-Policy', 'no-referrer');
	if (setCookies.length > 0) response.setHeader('Set-Cookie', [...setCookies]);
	if (exchange.corsOrigin !== undefined) {
		const lines = corsHeaders(exchange.corsOrigin);
		for (let at = 0; at < lines.length; at += 2) response.setHeader(lines[at]!, lines[at + 1]!);
	}
}

function end(exchange: RequestContext, status: number, type: string, text: string): void {
	const body = Buffer.from(text);
	exchange.response.writeHead(status, { 'Content-Type': type, 'Content-Length': body.length });
	exchange.response.end(exchange.head.method === 'HEAD' ? undefined : body);
}

export function sendJson(
	exchange: RequestContext,
	status: number,
	value: unknown,
	setCookies: readonly string[] = [],
): void {
	begin(exchange, setCookies);
	const { response } = exchange;
	response.setHeader('Content-Security-Policy', "default-src 'none'; frame-ancestors 'none'");
	// Not as a script or picture of another site's page, whichever way its browser came by the cookie.
	response.setHeader('Cross-Origin-Resource-Policy', 'same-origin');
	end(exchange, status, 'application/json; charset=utf-8', JSON.stringify(value));
}

export function sendEmpty(
	exchange: RequestContext,
	status: number,
	setCookies: readonly string[] = [],
): void {
	begin(exchange, setCookies);
	exchange.response.writeHead(status).end();
}

export function redirect(
	exchange: RequestContext,
	location: string,
	setCookies: readonly string[] = [],
	status = 302,
): void {
	begin(exchange, setCookies);
	exchange.response.setHeader('Location', asciiAddress(location));
	exchange.response.setHeader(
		'Content-Security-Policy',
		"default-src 'none'; frame-ancestors 'none'",
	);
	exchange.response.writeHead(status, { 'Content-Length': 0 }).end();
}

/** An address as headers and browsers take it: letters beyond ASCII become UTF-8 in percents, in names of hosts Punycode. */
function asciiAddress(address: string): string {
	const text = address.toWellFormed();
	if (/^[\x21-\x7e]*$/.test(text)) return text;
	const url = /^https?:/i.test(text) ? URL.parse(text) : null;
	return url?.href ?? text.replace(/[^\x21-\x7e]+/g, encodeURIComponent);
}

export function sendPage(
	exchange: RequestContext,
	html: string,
	options: PageOptions = {},
	setCookies: readonly string[] = [],
): void {
	begin(exchange, setCookies);
	const { response } = exchange;
	const policy = [
		"default-src 'none'",
		"style-src 'unsafe-inline'",
		"base-uri 'none'",
		`form-action ${["'self'", ...(options.formTargets ?? [])].join(' ')}`,
		`frame-ancestors ${options.frameOrigin ?? "'none'"}`,
		...(options.scriptNonce === undefined ? [] : [`script-src 'nonce-${options.scriptNonce}'`]),
	];
	response.setHeader('Content-Security-Policy', policy.join('; '));
	if (options.frameOrigin === undefined) response.setHeader('X-Frame-Options', 'DENY');
	if (!options.keepOpener) response.setHeader('Cross-Origin-Opener-Policy', 'same-origin');
	end(exchange, options.status ?? 200, 'text/html; charset=utf-8', html);
}

/** @throws AppError `payload_too_large`, `invalid_request`. */
export async function readBody(exchange: RequestContext): Promise<string> {
	const chunks: Buffer[] = [];
	let size = 0;
	const timer = setTimeout(() => exchange.request.destroy(), bodyMs);
	onClose(exchange.response, () => clearTimeout(timer));
	for await (const chunk of exchange.request as AsyncIterable<Buffer>) {
		size += chunk.length;
		if (size > maxBodyBytes) {
			exchange.response.shouldKeepAlive = false;
			throw new AppError(
				'payload_too_large',
				`The body must not be longer than ${maxBodyBytes} bytes.`,
			);
		}
		chunks.push(chunk);
	}
	clearTimeout(timer);
	return Buffer.concat(chunks).toString('utf8');
}

/** Media type without parameters, lower case. */
export function mediaType(exchange: RequestContext): string {
	return (header(exchange.head, 'content-type') ?? '').split(';', 1)[0]!.trim().toLowerCase();
}

/**
 * Reads a JSON object (or a form where allowed). Keys that could reach an object's prototype are refused.
 *
 * @returns undefined when the media type is another one.
 */
export async function readFormFields(
	exchange: RequestContext,
	allowForm: boolean,
): Promise<ConfigFields | undefined> {
	const type = mediaType(exchange);
	if (allowForm && type === 'application/x-www-form-urlencoded') {
		return Object.fromEntries(new URLSearchParams(await readBody(exchange)));
	}
	if (type !== 'application/json' && !/^application\/[\w.-]+\+json$/.test(type)) return undefined;
	let value: unknown;
	try {
		value = JSON.parse(await readBody(exchange), (key, item: unknown) => {
			if (key === '__proto__' || key === 'constructor' || key === 'prototype')
				throw new SyntaxError(`key ${key}`);
			return item;
		});
	} catch (error) {
		if (error instanceof AppError) throw error;
		throw new AppError('invalid_json', 'The body is not a JSON object that can be used.');
	}
	if (!isRecord(value)) {
		throw new AppError('invalid_request', 'The body must be a JSON object.');
	}
	return asFields(value);
}
