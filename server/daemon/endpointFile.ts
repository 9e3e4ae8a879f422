/** `endpoint.json`: how other processes find the daemon of this user. */

import { readFile, rm } from 'node:fs/promises';
import type { EndpointFile } from '../protocol/index.ts';
import { writePrivateFile } from '../store/files.ts';

/** The file's content, or `undefined` when it is absent or not what it should be. */
export async function readEndpoint(path: string): Promise<EndpointFile | undefined> {
	try {
		return parseEndpoint(JSON.parse(await readFile(path, 'utf8')));
	} catch {
		return undefined;
	}
}

export function parseEndpoint(value: unknown): EndpointFile | undefined {
	if (typeof value !== 'object' || value === null) return undefined;
	const { pid, url, key, version, startedAt, pipe } = value as Record<string, unknown>;
	if (!Number.isInteger(pid) || typeof key !== 'string' || typeof version !== 'string')
		return undefined;
	if (typeof url !== 'string' || !/^https?:\/\/[^/\s]+$/.test(url)) return undefined;
	return {
		pid: pid as number,
		url,
		key,
		version,
		startedAt: typeof startedAt === 'string' ? startedAt : '',
		...(typeof pipe === 'string' ? { pipe } : {}),
	};
}

export async function writeEndpoint(path: string, endpoint: EndpointFile): Promise<void> {
	await writePrivateFile(path, `${JSON.stringify(endpoint, null, '\t')}\n`);
}

/** Removes the file if it still speaks of the given process. */
export async function removeEndpoint(path: string, pid: number): Promise<void> {
	if ((await readEndpoint(path))?.pid === pid) await rm(path, { force: true });
}
