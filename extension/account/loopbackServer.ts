/**
 * Receives the answer of a sign-in page on 127.0.0.1 (RFC 8252, 7.3): one answer with the right nonce,
 * then the port is closed. Everything else on the machine that calls it gets a refusal.
 */

import { createHash, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface HandedCode {
	readonly code: string;
	/** Path segment of the provider at the team server. */
	readonly provider: string;
}

export interface LoopbackServer {
	/** What the page is told: the address without the nonce, and with it. */
	readonly callback: string;
	/** The answer; rejects never: it waits until {@link close}. */
	readonly answer: Promise<HandedCode>;
	close(): void;
}

/** @param words Title and sentence of the page people see at the end. */
export async function startLoopbackServer(
	nonce: string,
	words: { readonly title: string; readonly text: string },
): Promise<LoopbackServer> {
	let received = (_code: HandedCode) => {};
	const answer = new Promise<HandedCode>((resolve) => {
		received = resolve;
	});
	let used = false;
	const server = createServer((request, response) => {
		const host = `127.0.0.1:${(server.address() as AddressInfo | null)?.port}`;
		const handed = used ? undefined : codeOf(request, host, nonce);
		if (!handed) return reply(response, 404, { title: '404', text: '' });
		used = true;
		reply(response, 200, words);
		response.once('close', () => server.close());
		received(handed);
	});
	server.requestTimeout = 10_000;
	await new Promise<void>((resolve, reject) => {
		server.once('error', reject);
		server.listen(0, '127.0.0.1', resolve);
	});
	// A window that closes must not wait for the port.
	server.unref();
	const { port } = server.address() as AddressInfo;
	return {
		callback: `http://127.0.0.1:${port}/signed-in?nonce=${nonce}`,
		answer,
		close: () => {
			server.close();
			server.closeAllConnections();
		},
	};
}

function codeOf(request: IncomingMessage, host: string, nonce: string): HandedCode | undefined {
	// Another name for this machine would be a page that lets its own name point here.
	if (request.method !== 'GET' || request.headers.host !== host) return undefined;
	const url = new URL(request.url ?? '/', `http://${host}`);
	const [code, provider] = [url.searchParams.get('code'), url.searchParams.get('provider')];
	if (url.pathname !== '/signed-in' || !same(url.searchParams.get('nonce') ?? '', nonce))
		return undefined;
	return code && provider ? { code, provider } : undefined;
}

function same(one: string, other: string): boolean {
	const hash = (text: string) => createHash('sha256').update(text).digest();
	return timingSafeEqual(hash(one), hash(other));
}

function reply(
	response: ServerResponse,
	status: number,
	{ title, text }: { readonly title: string; readonly text: string },
): void {
	const plain = (words: string) =>
		words.replace(/[&<>"]/g, (letter) => `&#${letter.charCodeAt(0)};`);
	response
		.writeHead(status, {
			'content-type': 'text/html; charset=utf-8',
			'cache-control': 'no-store',
			'content-security-policy': "default-src 'none'",
			'referrer-policy': 'no-referrer',
			'x-content-type-options': 'nosniff',
			connection: 'close',
		})
		.end(
			`<!doctype html><meta charset="utf-8"><meta name="color-scheme" content="light dark"><title>${plain(title)}</title>` +
				`<h1>${plain(title)}</h1><p>${plain(text)}</p>`,
		);
}
