/**
 * Rows of a shard as its items end, in the order of its lines when all are there: in memory while they are few, then in a
 * file. A small request may have a long answer, such as one of thousands of vectors.
 */

import type { FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '../protocol/index.ts';
import { removePath } from '../store/movePath.ts';
import { openPath } from '../store/openPath.ts';
import { fillScratchFolder } from '../store/scratch.ts';
import { errorAnswer, type ItemAnswer, isGood, itemTokens, rowOf } from './itemRow.ts';
import { batchVersion, type ShardHead } from './jobTypes.ts';
import type { ObjectContent } from './objectStore.ts';

/** Bytes of rows that are kept in memory. */
const maxMemory = 8 * 1_048_576;

interface Row {
	readonly isGood: boolean;
	readonly bytes: number;
	/** Its bytes, or where they begin in the file. */
	readonly at: Buffer | number;
}

interface Spool {
	readonly folder: string;
	readonly file: FileHandle;
}

export class ShardRows implements AsyncDisposable {
	readonly #batch: string;
	readonly #scratch: string;
	readonly #rows = new Map<number, Row>();
	#inMemory = 0;
	#inFile = 0;
	#spool: Promise<Spool> | undefined;
	#tokens = { input: 0, output: 0 };

	/** @param scratch folder for a temporary one: see `scratchIn` */
	constructor(batch: string, scratch: string) {
		this.#batch = batch;
		this.#scratch = scratch;
	}

	/**
	 * Notes how a line ended; of one that has ended already the first counts. Rejects with errors of the disk: then nothing
	 * is noted, and the same may be noted again.
	 */
	async add(line: number, customId: string | null, answer: ItemAnswer): Promise<void> {
		if (this.#rows.has(line)) return;
		const { text, said } = this.#textOf(line, customId, answer);
		const content = Buffer.from(text);
		const row = { isGood: isGood(said), bytes: content.length };
		if (this.#inMemory + row.bytes <= maxMemory) {
			this.#inMemory += row.bytes;
			this.#rows.set(line, { ...row, at: content });
		} else {
			const at = this.#inFile;
			this.#inFile += row.bytes;
			this.#rows.set(line, { ...row, at });
			try {
				await this.#write(content, at);
			} catch (error) {
				this.#rows.delete(line);
				throw error;
			}
		}
		const { input, output } = itemTokens(said);
		this.#tokens.input += input;
		this.#tokens.output += output;
	}

	async #write(content: Buffer, at: number): Promise<void> {
		const spool = this.#spool ?? this.#open();
		this.#spool = spool;
		const { file } = await spool.catch((error) => {
			if (this.#spool === spool) this.#spool = undefined;
			throw error;
		});
		for (let written = 0; written < content.length; )
			written += (await file.write(content, written, content.length - written, at + written))
				.bytesWritten;
	}

	/** An answer that cannot be written as text becomes a row that says so. */
	#textOf(line: number, customId: string | null, said: ItemAnswer) {
		try {
			return { text: rowOf(this.#batch, line, customId, said), said };
		} catch {
			const error = new AppError('internal', 'The answer is longer than a row can be.');
			const refused = errorAnswer(error, said.requestId);
			return { text: rowOf(this.#batch, line, customId, refused), said: refused };
		}
	}

	#open(): Promise<Spool> {
		return fillScratchFolder('rows', this.#scratch, async (folder) => ({
			...{ folder, file: await openPath(join(folder, 'rows'), 'wx+', 0o600) },
		}));
	}

	/** What the shard's object begins with. */
	head(): ShardHead {
		const all = [...this.#rows.values()];
		const good = all.filter((row) => row.isGood);
		return {
			version: batchVersion,
			completed: good.length,
			failed: all.length - good.length,
			okBytes: good.reduce((sum, { bytes }) => sum + bytes, 0),
			...this.#tokens,
		};
	}

	/** The shard's object: its head, rows of success, then rows of failure. */
	content(): ObjectContent {
		const head = Buffer.from(`${JSON.stringify(this.head())}\n`);
		const lines = [...this.#rows].sort(([one], [other]) => one - other).map(([, row]) => row);
		const rows = [true, false].flatMap((kind) => lines.filter(({ isGood: is }) => is === kind));
		if (this.#spool === undefined)
			return Buffer.concat([head, ...rows.map(({ at }) => at as Buffer)]);
		return this.#stream(head, rows, this.#spool);
	}

	async *#stream(
		head: Buffer,
		rows: readonly Row[],
		spool: Promise<Spool>,
	): AsyncIterable<Uint8Array> {
		yield head;
		const { file } = await spool;
		for (const { at, bytes } of rows)
			if (typeof at !== 'number') yield at;
			else {
				const content = Buffer.alloc(bytes);
				const { bytesRead } = await file.read(content, 0, bytes, at);
				if (bytesRead < bytes)
					throw new AppError('store_unavailable', 'Rows of a batch were lost.');
				yield content;
			}
	}

	/** Never rejects: what cannot be removed goes with the next start. */
	async [Symbol.asyncDispose](): Promise<void> {
		const spool = await this.#spool?.catch(() => undefined);
		if (spool === undefined) return;
		await spool.file.close().catch(() => {});
		await removePath(spool.folder, { recursive: true, force: true }).catch(() => {});
	}
}
