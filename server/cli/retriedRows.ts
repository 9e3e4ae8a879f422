/** The rows of a batch and of those that have tried it again, as those of one: each line of the first file has one. */

import { join } from 'node:path';
import type { DaemonConnection } from '../daemon/daemonConnection.ts';
import { maxLineBytes } from '../jobs/batchManifest.ts';
import { lineOfRow, rowWithLine } from '../jobs/itemRow.ts';
import { fileLines } from '../jobs/lines.ts';
import { retryField } from '../jobs/personBatches.ts';
import { AppError } from '../protocol/index.ts';
import { fileContent, listBatches, showBatch } from '../protocol/routeAddresses.ts';
import type { BatchAnswer } from '../protocol/routes/batches.ts';
import { removePath } from '../store/movePath.ts';
import { writeOutput } from './outputFile.ts';

export type BatchReader = Pick<DaemonConnection, 'call' | 'open'>;

export interface RowCounts {
	readonly completed: number;
	readonly failed: number;
}

const pageSize = '100';

/** The first of the batches of which this one tries something again, or itself. */
export async function firstTry(
	daemon: BatchReader,
	batch: BatchAnswer,
	signal: AbortSignal,
): Promise<BatchAnswer> {
	let first = batch;
	for (;;) {
		const id = first.metadata?.[retryField];
		// Ids begin with their time: what people write there themselves leads in no circle.
		if (id === undefined || id >= first.id) return first;
		const before = await daemon
			.call(showBatch, { params: { id } }, { signal })
			.catch((error: unknown) => {
				if (error instanceof AppError && error.code === 'not_found') return undefined;
				throw error;
			});
		if (before === undefined) return first;
		first = before;
	}
}

/** A batch and all that try something of it again, in the order in which they were made. */
export async function triesOf(
	daemon: BatchReader,
	first: BatchAnswer,
	signal: AbortSignal,
): Promise<BatchAnswer[]> {
	const later: BatchAnswer[] = [];
	for (let after: string | undefined; ; ) {
		const query = { limit: pageSize, ...(after === undefined ? {} : { after }) };
		const { data, has_more: hasMore } = await daemon.call(listBatches, { query }, { signal });
		for (const batch of data)
			if (batch.id > first.id && batch.metadata?.[retryField] !== undefined) later.push(batch);
		const last = data.at(-1);
		if (!hasMore || last === undefined || last.id <= first.id) break;
		after = last.id;
	}
	const tries = [first];
	for (const batch of later.reverse())
		if (tries.some(({ id }) => id === batch.metadata?.[retryField])) tries.push(batch);
	return tries;
}

/**
 * Writes `output.jsonl` and `errors.jsonl` of batches that have ended. A line that was answered by any of them is in the
 * first, one that was not has its last failure in the second.
 * @param tries as {@link triesOf} has them
 */
export async function writeRows(
	daemon: BatchReader,
	tries: readonly BatchAnswer[],
	out: string,
	signal: AbortSignal,
): Promise<RowCounts> {
	const read = async (id: string | null): Promise<AsyncIterable<Uint8Array>> => {
		if (id === null) return none();
		const { body } = await daemon.open(fileContent, { params: { id } }, { signal });
		return (body ?? none()) as AsyncIterable<Uint8Array>;
	};
	const firstLines = await linesOfTries(tries, read);
	const done = new Set<number>();
	const failed = new Set<number>();
	const rowsOf = async function* (
		batches: readonly BatchAnswer[],
		fileOf: (batch: BatchAnswer) => string | null,
		taken: Set<number>,
	): AsyncIterable<Uint8Array> {
		for (const batch of batches) {
			const lines = firstLines.get(batch.id);
			for await (const { bytes } of fileLines(
				await read(fileOf(batch)),
				Number.POSITIVE_INFINITY,
			)) {
				if (bytes === undefined) continue;
				const own = lineOfRow(bytes);
				const line = lines === undefined ? own : lines[own];
				if (line === undefined || done.has(line) || taken.has(line)) continue;
				taken.add(line);
				yield Buffer.concat([lines === undefined ? bytes : rowWithLine(bytes, line), newline]);
			}
		}
	};
	const [first] = tries;
	const only = tries.length === 1 ? first : undefined;
	const write = async (
		name: string,
		batches: readonly BatchAnswer[],
		fileOf: (batch: BatchAnswer) => string | null,
		taken: Set<number>,
	): Promise<void> => {
		const path = join(out, name);
		const hasRows = batches.some((batch) => fileOf(batch) !== null);
		// Rows of an earlier run do not stay beside those of this one.
		if (!hasRows) return removePath(path, { force: true });
		if (only !== undefined) return writeOutput(path, await read(fileOf(only)));
		await writeOutput(path, rowsOf(batches, fileOf, taken));
		if (taken.size === 0) await removePath(path, { force: true });
	};
	await write('output.jsonl', tries, (batch) => batch.output_file_id, done);
	await write('errors.jsonl', tries.toReversed(), (batch) => batch.error_file_id, failed);
	return only?.request_counts ?? { completed: done.size, failed: failed.size };
}

/** Which lines of the first file those of each further try are, from 0; of the first itself nothing. */
async function linesOfTries(
	tries: readonly BatchAnswer[],
	read: (id: string | null) => Promise<AsyncIterable<Uint8Array>>,
): Promise<ReadonlyMap<string, readonly (number | undefined)[]>> {
	/** Those of a batch that its retries have, by the same choice as the server's. */
	const undone = new Map<string, readonly number[]>();
	const found = new Map<string, readonly (number | undefined)[]>();
	const byId = new Map(tries.map((batch) => [batch.id, batch]));
	for (const { id, metadata } of tries.slice(1)) {
		const parent = byId.get(metadata?.[retryField] ?? '');
		if (parent === undefined) continue;
		let rest = undone.get(parent.id);
		if (rest === undefined) {
			rest = await undoneOf(parent, read);
			undone.set(parent.id, rest);
		}
		const own = found.get(parent.id);
		found.set(id, own === undefined ? rest : rest.map((line) => own[line]));
	}
	return found;
}

async function undoneOf(
	{ input_file_id: input, output_file_id: output }: BatchAnswer,
	read: (id: string | null) => Promise<AsyncIterable<Uint8Array>>,
): Promise<number[]> {
	const done = new Set<number>();
	for await (const { bytes } of fileLines(await read(output), Number.POSITIVE_INFINITY))
		if (bytes !== undefined) done.add(lineOfRow(bytes));
	const rest: number[] = [];
	for await (const { bytes, number } of fileLines(await read(input), maxLineBytes))
		if (bytes !== undefined && !done.has(number)) rest.push(number);
	return rest;
}

const newline = Buffer.from('\n');

async function* none(): AsyncIterable<Uint8Array> {}
