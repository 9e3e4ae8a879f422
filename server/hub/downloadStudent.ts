/** Fetches a file of the list of translation models, unpacked and held against its hash. */

import { createHash } from 'node:crypto';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { AppError } from '../protocol/index.ts';
import { movePath, removePath } from '../store/movePath.ts';
import { openPath } from '../store/openPath.ts';
import { diskError } from './downloadFile.ts';
import type { HubHttp } from './http.ts';
import { hubStatusError } from './repository.ts';
import { discard, piecesOf } from './responseBody.ts';
import { Retry, type RetryOptions, withRetries } from './retry.ts';
import type { StudentFile } from './studentRegistry.ts';

/** Writes the file under its name when all of it has come and its hash is right. */
export async function downloadStudentFile(
	http: HubHttp,
	{ name, url, sizeBytes, sha256 }: StudentFile,
	path: string,
	retries: RetryOptions,
	signal: AbortSignal,
	onBytes: (bytes: number) => void,
): Promise<void> {
	const part = `${path}.part`;
	const damaged = (what: string) =>
		new AppError(
			'download_failed',
			`${name} of ${url} ${what}. It was thrown away; try again later or use another mirror (NEARGLOT_STUDENTS).`,
		);
	const work = async () => {
		// Packed as they are stored: what a server unpacks on the way is longer.
		const response = await http.get(url, { 'accept-encoding': 'gzip' }, signal);
		if (!response.ok) {
			discard(response);
			throw hubStatusError(response, url, http.endpoint);
		}
		await using file = await openPath(part, 'w');
		const hash = createHash('sha256');
		let written = 0;
		const take = async (pieces: AsyncIterable<Buffer>) => {
			for await (const piece of pieces) {
				written += piece.length;
				if (written > sizeBytes) throw damaged(`is longer than the ${sizeBytes} bytes of the list`);
				hash.update(piece);
				await file.writeFile(piece);
				onBytes(written);
			}
		};
		const pieces = piecesOf(response, signal, undefined, http.waitNotices);
		const first = await pieces.next();
		const all = async function* () {
			if (first.done !== true) yield first.value;
			yield* pieces;
		};
		if (first.done !== true && first.value[0] === 0x1f && first.value[1] === 0x8b) {
			await pipeline(all(), createGunzip(), take).catch((error: unknown) => {
				throw (error as NodeJS.ErrnoException).code?.startsWith('Z_') === true
					? new Retry('what came cannot be unpacked.', undefined, error)
					: error;
			});
		} else await take(all());
		if (written < sizeBytes) throw new Retry('the server closed too early.');
		if (hash.digest('hex') !== sha256) throw damaged('is not what its hash in the list says');
		await file.sync();
	};
	try {
		await withRetries(work, { ...retries, waitNotices: http.waitNotices }, signal);
		await movePath(part, path);
	} catch (error) {
		await removePath(part, { force: true });
		if (signal.aborted) throw new AppError('cancelled');
		throw diskError(error, path) ?? error;
	}
}
