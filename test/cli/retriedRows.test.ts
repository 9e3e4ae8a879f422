/** Rows of a batch and of what tried it again: each line of the first file has one. */

import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { type BatchReader, firstTry, triesOf, writeRows } from '../../server/cli/retriedRows.ts';
import { rowOf } from '../../server/jobs/itemRow.ts';
import { AppError } from '../../server/protocol/index.ts';
import type { BatchAnswer } from '../../server/protocol/routes/batches.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

const { signal } = new AbortController();

/** A server with batches, of which each knows the lines of its file and what became of them: by line, status and answer. */
class Server {
	readonly batches: BatchAnswer[] = [];
	readonly #files = new Map<string, string>();
	pages = 0;

	add(
		id: string,
		lines: readonly string[],
		rows: Readonly<Record<number, number>>,
		metadata: Record<string, string> | null = null,
	): BatchAnswer {
		const of = (kind: string, isKind: (status: number) => boolean): string | null => {
			const own = Object.entries(rows).filter(([, status]) => isKind(status));
			if (own.length === 0) return null;
			const text = own.map(([line, status]) =>
				rowOf(id, Number(line), lines[Number(line)]?.trim() ?? null, {
					...{ status, requestId: '', body: { of: id } },
				}),
			);
			return this.#file(`${id}-${kind}`, text.join(''));
		};
		const completed = Object.values(rows).filter((status) => status === 200).length;
		const batch = {
			...{ id, metadata, input_file_id: this.#file(`${id}-input`, lines.join('')) },
			output_file_id: of('output', (status) => status === 200),
			error_file_id: of('errors', (status) => status !== 200),
			request_counts: {
				...{ total: lines.filter((line) => line.trim() !== '').length, completed },
				failed: Object.keys(rows).length - completed,
			},
		} as BatchAnswer;
		this.batches.unshift(batch);
		return batch;
	}

	#file(name: string, text: string): string {
		this.#files.set(name, text);
		return name;
	}

	readonly daemon = {
		call: async (route: { path: string }, { params, query }: Record<string, unknown>) => {
			if (route.path.endsWith(':id')) {
				const { id } = params as { id: string };
				const found = this.batches.find((batch) => batch.id === id);
				if (found === undefined) throw new AppError('not_found');
				return found;
			}
			this.pages++;
			const { after } = query as { after?: string };
			const rest = this.batches.filter(({ id }) => after === undefined || id < after);
			return { data: rest.slice(0, 2), has_more: rest.length > 2 };
		},
		open: async (_: unknown, { params }: { params: { id: string } }) => {
			const text = this.#files.get(params.id);
			if (text === undefined) throw new AppError('not_found');
			return new Response(text);
		},
	} as unknown as BatchReader;
}

/** `custom_id`, number of the line, and whose answer it is. */
async function rowsIn(path: string): Promise<string[]> {
	const text = await readFile(path, 'utf8');
	return text
		.trim()
		.split('\n')
		.map((line) => {
			const { custom_id: id, line: number, response } = JSON.parse(line);
			return `${id} ${number} ${response.body.of} ${response.status_code}`;
		});
}

const lines = ['a\n', 'b\n', '\n', 'c\n', 'd\n', 'e\n'];

test('rows of a batch and of what tried it again are written as those of one file', async () => {
	const server = new Server();
	server.add('batch_0', ['other\n'], { 0: 500 });
	const first = server.add('batch_1', lines, { 0: 200, 1: 500, 3: 500, 4: 200, 5: 500 });
	const of = (id: string) => ({ name: 'n', retry_of: id });
	// Lines 2, 4 and 6 of the first; then 2 and 6 again.
	server.add('batch_2', ['b\n', 'c\n', 'e\n'], { 0: 500, 1: 200, 2: 500 }, of('batch_1'));
	server.add('batch_3', ['foreign\n'], { 0: 200 }, of('batch_0'));
	server.add('batch_4', ['x\n'], { 0: 200 });
	const last = server.add('batch_5', ['b\n', 'e\n'], { 0: 200, 1: 503 }, of('batch_2'));
	assert.equal(await firstTry(server.daemon, last, signal), first);
	const tries = await triesOf(server.daemon, first, signal);
	assert.deepEqual(
		tries.map(({ id }) => id),
		['batch_1', 'batch_2', 'batch_5'],
	);
	const out = temporaryFolder('rows');
	assert.deepEqual(await writeRows(server.daemon, tries, out, signal), { completed: 4, failed: 1 });
	assert.deepEqual(await rowsIn(join(out, 'output.jsonl')), [
		...['a 1 batch_1 200', 'd 5 batch_1 200', 'c 4 batch_2 200', 'b 2 batch_5 200'],
	]);
	assert.deepEqual(await rowsIn(join(out, 'errors.jsonl')), ['e 6 batch_5 503']);
});

test('what was tried twice side by side has one row, and no file of errors stays where nothing failed at last', async () => {
	const server = new Server();
	const first = server.add('batch_1', lines, { 0: 200, 1: 500 });
	const metadata = { retry_of: 'batch_1' };
	// It was cancelled after two lines.
	server.add('batch_2', ['b\n', 'c\n', 'd\n', 'e\n'], { 0: 200, 1: 200, 2: 500 }, metadata);
	server.add('batch_3', ['b\n', 'c\n', 'd\n', 'e\n'], { 1: 200, 2: 200, 3: 200 }, metadata);
	const out = temporaryFolder('rows');
	await writeFile(join(out, 'errors.jsonl'), 'of an earlier run\n');
	const tries = await triesOf(server.daemon, first, signal);
	assert.deepEqual(await writeRows(server.daemon, tries, out, signal), { completed: 5, failed: 0 });
	assert.deepEqual((await rowsIn(join(out, 'output.jsonl'))).sort(), [
		...['a 1 batch_1 200', 'b 2 batch_2 200', 'c 4 batch_2 200', 'd 5 batch_3 200'],
		'e 6 batch_3 200',
	]);
	assert.equal(existsSync(join(out, 'errors.jsonl')), false);
});

test('what people note on a batch leads in no circle, and what is gone is left out', async () => {
	const server = new Server();
	const own = server.add('batch_1', ['a\n'], { 0: 500 }, { retry_of: 'batch_1' });
	const later = server.add('batch_2', ['a\n'], { 0: 500 }, { retry_of: 'batch_9' });
	const orphan = server.add('batch_3', ['a\n'], { 0: 500 }, { retry_of: 'batch_0' });
	for (const batch of [own, later, orphan])
		assert.equal(await firstTry(server.daemon, batch, signal), batch);
	server.pages = 0;
	assert.deepEqual(await triesOf(server.daemon, orphan, signal), [orphan]);
	assert.equal(server.pages, 1, 'older ones are not asked for');
});
