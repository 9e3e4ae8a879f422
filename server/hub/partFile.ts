/**
 * A file while it is being fetched: the bytes beside a journal of how far every part has come. Killed
 * at any moment, the next run goes on where this one was; the hash at the end judges the whole.
 */

import { createHash } from 'node:crypto';
import { type FileHandle, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { makeFolder } from '../store/makeFolder.ts';
import { movePath, removePath } from '../store/movePath.ts';
import { openPath, readPathBytes, readPathText } from '../store/openPath.ts';
import type { HubFile } from './repository.ts';

export interface Part {
	readonly index: number;
	/** Offset of the part's first byte in the file. */
	readonly start: number;
	readonly length: number;
	/** Bytes written so far. */
	done: number;
}

/** Bytes of one part: small enough that four run side by side on middle-sized files. */
const partBytes = 8 * 1024 * 1024;

export class PartFile {
	readonly target: string;
	readonly parts: Part[];
	/** Validator of the server's copy, for `If-Range`. */
	etag: string | undefined;
	readonly #data: FileHandle;
	readonly #journal: FileHandle;
	readonly #file: HubFile;

	private constructor(
		target: string,
		file: HubFile,
		data: FileHandle,
		journal: FileHandle,
		parts: Part[],
		etag: string | undefined,
	) {
		this.target = target;
		this.#file = file;
		this.#data = data;
		this.#journal = journal;
		this.parts = parts;
		this.etag = etag;
	}

	/** Opens what an earlier run left when it belongs to the same content, else starts anew. */
	static async open(target: string, file: HubFile): Promise<PartFile> {
		makeFolder(dirname(target));
		const identity = JSON.stringify([file.sizeBytes, file.sha256 ?? file.gitSha1 ?? '', partBytes]);
		const names = partNames(target);
		let etag: string | undefined;
		let fresh = true;
		try {
			const saved = JSON.parse(await readPathText(names.identity)) as {
				identity?: unknown;
				etag?: unknown;
			};
			fresh = saved.identity !== identity;
			if (!fresh && typeof saved.etag === 'string') etag = saved.etag;
		} catch {
			// Absent or unreadable: start anew.
		}
		const count = Math.max(1, Math.ceil(file.sizeBytes / partBytes));
		if (fresh) {
			await removeParts(target);
			await writeFile(`${names.identity}.new`, JSON.stringify({ identity }));
			await movePath(`${names.identity}.new`, names.identity);
		}
		const data = await openPath(names.data, fresh ? 'w+' : 'a+').then(async (handle) => {
			if (fresh) return handle;
			await handle.close();
			return openPath(names.data, 'r+');
		});
		const journal = await openPath(names.journal, 'a+').then(async (handle) => {
			await handle.close();
			return openPath(names.journal, 'r+');
		});
		const saved = Buffer.alloc(count * 8);
		if (!fresh) await journal.read(saved, 0, saved.length, 0);
		const present = (await data.stat()).size;
		const parts = Array.from({ length: count }, (_, index): Part => {
			const start = index * partBytes;
			const length = Math.min(partBytes, file.sizeBytes - start);
			const done = Number(saved.readBigUInt64LE(index * 8));
			return { index, start, length, done: Math.max(0, Math.min(done, length, present - start)) };
		});
		return new PartFile(target, file, data, journal, parts, etag);
	}

	get doneBytes(): number {
		return this.parts.reduce((sum, part) => sum + part.done, 0);
	}

	/** Writes a piece where the part has come to. Data first, then the journal. */
	async write(part: Part, bytes: Uint8Array): Promise<void> {
		let written = 0;
		while (written < bytes.length) {
			const result = await this.#data.write(
				bytes,
				written,
				bytes.length - written,
				part.start + part.done + written,
			);
			written += result.bytesWritten;
		}
		part.done += bytes.length;
		const position = Buffer.alloc(8);
		position.writeBigUInt64LE(BigInt(part.done));
		await this.#journal.write(position, 0, 8, part.index * 8);
	}

	/** Remembers the validator for later runs. */
	async setEtag(etag: string): Promise<void> {
		this.etag = etag;
		const names = partNames(this.target);
		const identity = JSON.stringify([
			this.#file.sizeBytes,
			this.#file.sha256 ?? this.#file.gitSha1 ?? '',
			partBytes,
		]);
		await writeFile(`${names.identity}.new`, JSON.stringify({ identity, etag }));
		await movePath(`${names.identity}.new`, names.identity);
	}

	/** Forgets everything fetched: the server's copy has changed or the hash was wrong. */
	async reset(): Promise<void> {
		for (const part of this.parts) part.done = 0;
		this.etag = undefined;
		await this.#journal.write(Buffer.alloc(this.parts.length * 8), 0, this.parts.length * 8, 0);
		await this.#data.truncate(0);
	}

	/** Compares with the hub's own hash; `true` when there is none to compare with but the size fits. */
	async verify(signal: AbortSignal): Promise<boolean> {
		if ((await this.#data.stat()).size !== this.#file.sizeBytes) return false;
		const hash = createHash(this.#file.sha256 === undefined ? 'sha1' : 'sha256');
		if (this.#file.sha256 === undefined) hash.update(`blob ${this.#file.sizeBytes}\0`);
		const buffer = Buffer.allocUnsafe(1024 * 1024);
		for (let at = 0; at < this.#file.sizeBytes; ) {
			signal.throwIfAborted();
			const { bytesRead } = await this.#data.read(buffer, 0, buffer.length, at);
			if (bytesRead === 0) return false;
			hash.update(buffer.subarray(0, bytesRead));
			at += bytesRead;
		}
		const wanted = this.#file.sha256 ?? this.#file.gitSha1;
		return wanted === undefined || hash.digest('hex') === wanted;
	}

	/** Makes the finished file appear under its name, all at once. */
	async finish(): Promise<void> {
		await this.#data.sync();
		await this.close();
		const names = partNames(this.target);
		await movePath(names.data, this.target);
		await removeParts(this.target);
	}

	async close(): Promise<void> {
		await this.#data.close();
		await this.#journal.close();
	}
}

function partNames(target: string) {
	return { data: `${target}.part`, journal: `${target}.part.at`, identity: `${target}.part.id` };
}

/** Bytes of a file that an unfinished download has fetched; its data has holes, so only the journal tells. */
export async function arrivedBytes(target: string): Promise<number> {
	const journal = await readPathBytes(partNames(target).journal).catch(() => Buffer.alloc(0));
	let sum = 0;
	for (let at = 0; at + 8 <= journal.length; at += 8)
		sum += Math.min(partBytes, Number(journal.readBigUInt64LE(at)));
	return sum;
}

/** Deletes what an unfinished download of this file left. */
export async function removeParts(target: string): Promise<void> {
	const names = partNames(target);
	await Promise.all(
		[...Object.values(names), `${names.identity}.new`].map((name) =>
			removePath(name, { force: true }),
		),
	);
}
