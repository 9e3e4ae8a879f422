/** `endpoint.json`: how other processes find the daemon of this user. */

import { isDeepStrictEqual } from 'node:util';
import type { EndpointFile } from '../protocol/index.ts';
import { readPlainText, writePrivateFile } from '../store/files.ts';
import { removePath } from '../store/movePath.ts';

/** Somebody who looks for the daemon waits this long at most for a file that was lost. */
const lookMs = 3000;

/** The file's content, or `undefined` when it is absent or not what it should be. */
export async function readEndpoint(path: string): Promise<EndpointFile | undefined> {
	try {
		return parseEndpoint(JSON.parse((await readPlainText(path)) ?? ''));
	} catch {
		return undefined;
	}
}

function parseEndpoint(value: unknown): EndpointFile | undefined {
	if (typeof value !== 'object' || value === null) return undefined;
	const { pid, url, key, secret, version, startedAt, pipe } = value as Record<string, unknown>;
	if (!Number.isInteger(pid) || typeof key !== 'string' || typeof version !== 'string')
		return undefined;
	if (typeof url !== 'string' || !/^https?:\/\/[^/\s]+$/.test(url)) return undefined;
	return {
		pid: pid as number,
		url,
		key,
		// Of an earlier version, which proves nothing, there is none.
		secret: typeof secret === 'string' ? secret : '',
		version,
		startedAt: typeof startedAt === 'string' ? startedAt : '',
		...(typeof pipe === 'string' ? { pipe } : {}),
	};
}

/**
 * Writes the file and looks after it: one that was deleted, damaged or written over is written again, so that
 * a living daemon can always be found. Disposing removes it.
 * @param onFault told each time it cannot be written again
 */
export async function keepEndpoint(
	path: string,
	endpoint: EndpointFile,
	onFault: (error: unknown) => void,
): Promise<AsyncDisposable> {
	const write = () => writePrivateFile(path, `${JSON.stringify(endpoint, null, '\t')}\n`);
	const isOurs = async () => isDeepStrictEqual(await readEndpoint(path), endpoint);
	await write();
	let work = Promise.resolve();
	const look = async (): Promise<void> => {
		if (!(await isOurs())) await write();
	};
	const timer = setInterval(() => {
		work = work.then(look).catch(onFault);
	}, lookMs).unref();
	return {
		[Symbol.asyncDispose]: async () => {
			clearInterval(timer);
			await work;
			if (await isOurs()) await removePath(path, { force: true });
		},
	};
}
