/** A bucket of s3rver, which knows no conditional writes; a front before it does, as S3 has them, and can be told to fail. */

import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import S3rver from 's3rver';
import { temporaryFolder } from '../support/temporaryFolder.ts';

export interface S3Bucket extends AsyncDisposable {
	/** Without conditional writes. */
	readonly plainUrl: string;
	readonly url: string;
	/** The next so many requests get this answer instead. */
	fail(count: number, status: number): void;
	/** From now on requests are taken and nothing is said; or answers stop in the middle of their content. */
	hang(where: 'answer' | 'content' | undefined): void;
}

/** The credentials that s3rver knows. */
export const s3Credentials = { AWS_ACCESS_KEY_ID: 'S3RVER', AWS_SECRET_ACCESS_KEY: 'S3RVER' };

export async function startS3Bucket(): Promise<S3Bucket> {
	const s3 = new S3rver({
		...{ port: 0, address: '127.0.0.1', silent: true, directory: temporaryFolder('s3') },
		configureBuckets: [{ name: 'batches' }],
	});
	const { port } = (await s3.run()) as AddressInfo;
	let failing = { count: 0, status: 503 };
	let hanging: 'answer' | 'content' | undefined;
	/** Writes of a key come one after the other. */
	const writing = new Map<string, Promise<void>>();
	const pass = (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> =>
		new Promise((resolve) => {
			const { method, url, headers } = incoming;
			const next = request({ port, host: '127.0.0.1', method, path: url, headers }, (answer) => {
				outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
				if (hanging === 'content') {
					answer.once('data', (part: Buffer) => {
						outgoing.write(part.subarray(0, part.length >> 1));
						answer.pause();
					});
					return;
				}
				answer.pipe(outgoing);
				answer.once('end', resolve);
			});
			next.once('error', () => {
				outgoing.destroy();
				resolve();
			});
			incoming.pipe(next);
		});
	const isThere = (path: string, headers: IncomingMessage['headers']): Promise<boolean> =>
		new Promise((resolve) => {
			// s3rver lets unsigned requests read what is there.
			const { host } = headers;
			request({ port, host: '127.0.0.1', method: 'HEAD', path, headers: { host } }, (answer) => {
				answer.resume();
				resolve(answer.statusCode === 200);
			}).end();
		});
	const front = createServer(async (incoming, outgoing) => {
		if (hanging === 'answer') return void incoming.resume();
		if (failing.count > 0) {
			failing.count--;
			incoming.resume();
			outgoing.writeHead(failing.status).end();
			return;
		}
		const { method, url = '/', headers } = incoming;
		const path = url.split('?', 1)[0] ?? '/';
		if (headers['if-none-match'] !== '*' || (method !== 'PUT' && method !== 'POST'))
			return void (await pass(incoming, outgoing));
		const before = writing.get(path) ?? Promise.resolve();
		const done = before.then(async () => {
			if (!(await isThere(path, headers))) return pass(incoming, outgoing);
			incoming.resume();
			outgoing
				.writeHead(412, { 'content-type': 'application/xml' })
				.end('<Error><Code>PreconditionFailed</Code></Error>');
		});
		writing.set(path, done);
		await done;
	});
	await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve));
	const { port: frontPort } = front.address() as AddressInfo;
	const urlOf = (at: number) => `s3://batches/some/folder?endpoint=http://127.0.0.1:${at}`;
	return {
		plainUrl: urlOf(port),
		url: urlOf(frontPort),
		fail: (count, status) => {
			failing = { count, status };
		},
		hang: (where) => {
			hanging = where;
		},
		[Symbol.asyncDispose]: async () => {
			front.closeAllConnections();
			front.close();
			await s3.close();
		},
	};
}
