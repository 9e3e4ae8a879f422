/** A hub on loopback that misbehaves on request: ranges, redirects, ETags, stalls, truncation, damage. */

import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface HubContent {
	readonly [path: string]: Buffer;
}

export interface HubFaults {
	/** Called before a file is served; answering `true` means the fault has taken over. */
	onFile?: (
		request: IncomingMessage,
		response: ServerResponse,
		path: string,
	) => boolean | Promise<boolean>;
	/** Called before a list or the facts of the repository are served. */
	onList?: (request: IncomingMessage, response: ServerResponse) => boolean;
	ranges?: boolean;
	/** Whether the list states hashes; it does unless this is false. */
	hashes?: boolean;
	/** Of its page, which names none where this is `null`; `mit` where it is not given. */
	license?: string | null;
	/** Serves files from a second server by redirect. */
	redirect?: string;
	etag?: (path: string) => string | undefined;
	/** Pace of file bodies; without one the kernel's buffers hold megabytes nobody has read. */
	bytesPerMs?: number;
	/** Bytes of file bodies after which it sends no more until it may. */
	maxSentBytes?: number;
}

export interface TestHub extends AsyncDisposable {
	readonly url: string;
	readonly requests: {
		path: string;
		range: string | undefined;
		authorization: string | undefined;
	}[];
	/** Bytes of file bodies handed to sockets. */
	sentBytes: number;
	faults: HubFaults;
}

export const testCommit = 'a'.repeat(40);

/** Starts the hub with one repository. */
export async function startHub(
	content: HubContent,
	faults: HubFaults = {},
	repository = 'acme/tiny',
): Promise<TestHub> {
	const server: Server = createServer((request, response) => {
		void answer(request, response).catch(() => response.destroy());
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	const { port } = server.address() as AddressInfo;
	const hub: TestHub = {
		url: `http://127.0.0.1:${port}`,
		requests: [],
		sentBytes: 0,
		faults,
		[Symbol.asyncDispose]: async () => {
			server.closeAllConnections();
			await new Promise((resolve) => server.close(resolve));
		},
	};

	async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
		const url = new URL(request.url ?? '/', hub.url);
		const path = decodeURIComponent(url.pathname);
		const range = request.headers.range;
		hub.requests.push({ path, range, authorization: request.headers.authorization });
		if (path.startsWith('/api/') && hub.faults.onList?.(request, response) === true) return;
		if (path.startsWith(`/api/models/${repository}/revision/`)) {
			const { license = 'mit' } = hub.faults;
			response.end(JSON.stringify({ sha: testCommit, cardData: { license } }));
			return;
		}
		if (path.startsWith(`/api/models/${repository}/tree/`)) {
			response.end(
				JSON.stringify(
					Object.entries(content).map(([name, bytes]) => ({
						type: 'file',
						path: name,
						size: bytes.length,
						...(hub.faults.hashes === false ? {} : hashesOf(bytes)),
					})),
				),
			);
			return;
		}
		const prefix = `/${repository}/resolve/`;
		const name = path.startsWith(prefix)
			? path.slice(prefix.length).replace(/^[^/]+\//, '')
			: path.match(/^\/cdn\/(.*)$/)?.[1];
		const bytes = name === undefined ? undefined : content[name];
		if (name === undefined || bytes === undefined) {
			response.writeHead(404).end('{}');
			return;
		}
		if ((await hub.faults.onFile?.(request, response, name)) === true) return;
		if (hub.faults.redirect !== undefined && !path.startsWith('/cdn/')) {
			response.writeHead(302, { location: `${hub.faults.redirect}/cdn/${name}` }).end();
			return;
		}
		serve(request, response, hub, bytes, name);
	}
	return hub;
}

function hashesOf(bytes: Buffer): object {
	const sha256 = createHash('sha256').update(bytes).digest('hex');
	return {
		oid: createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex'),
		...(bytes.length > 1000 ? { lfs: { oid: sha256, size: bytes.length } } : {}),
	};
}

/** Serves bytes with ranges and validators, as a good server does. */
export function serve(
	request: IncomingMessage,
	response: ServerResponse,
	hub: TestHub,
	bytes: Buffer,
	name: string,
): void {
	const etag =
		hub.faults.etag === undefined
			? `"${createHash('sha256').update(bytes).digest('hex')}"`
			: hub.faults.etag(name);
	const condition = request.headers['if-range'];
	const match =
		hub.faults.ranges === false || (condition !== undefined && condition !== etag)
			? null
			: (request.headers.range?.match(/^bytes=(\d+)-(\d*)$/) ?? null);
	const start = match === null ? 0 : Number(match[1]);
	const end =
		match === null || match[2] === ''
			? bytes.length - 1
			: Math.min(Number(match[2]), bytes.length - 1);
	const body = bytes.subarray(start, end + 1);
	response.writeHead(match === null ? 200 : 206, {
		'content-length': body.length,
		...(etag === undefined ? {} : { etag }),
		...(match === null ? {} : { 'content-range': `bytes ${start}-${end}/${bytes.length}` }),
	});
	let at = 0;
	const started = performance.now();
	const push = () => {
		while (at < body.length) {
			const pace = hub.faults.bytesPerMs;
			const early = pace !== undefined && at > (performance.now() - started) * pace;
			if (early || hub.sentBytes >= (hub.faults.maxSentBytes ?? Number.POSITIVE_INFINITY)) {
				if (!response.destroyed) setTimeout(push, 1);
				return;
			}
			const piece = body.subarray(at, at + 64 * 1024);
			at += piece.length;
			hub.sentBytes += piece.length;
			if (!response.write(piece)) {
				response.once('drain', push);
				return;
			}
		}
		response.end();
	};
	push();
}
