/**
 * `nearglot embed`: vectors of the texts of a file, made by batches beside what people ask. Nothing is noted here: each
 * batch says of which texts it is, so the same command finds what was done before.
 */

import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { basename } from 'node:path';
import { findOrStartDaemon } from '../daemon/findDaemon.ts';
import { fileLines } from '../jobs/lines.ts';
import { defined } from '../protocol/defined.ts';
import { AppError } from '../protocol/index.ts';
import { listOwnModels } from '../protocol/routeAddresses.ts';
import { readArgs } from './args.ts';
import { type Command, type CommandIo, UsageError } from './command.ts';
import { EmbeddingBatches, type TextPart } from './embeddingBatches.ts';
import { fileProblem } from './fileProblem.ts';
import { checkTarget, writeOutput } from './outputFile.ts';
import { timeText } from './progressBar.ts';

const help = `
Usage: nearglot embed FILE --out OUT [--model M] [--field NAME] [--dimensions N] [--base64] [--force]

Makes vectors of the texts of FILE: one a line, or in a .jsonl file one a row, a string or an object with a "text" and,
if you like, an "id". OUT gets a row for each, in their order: {"id", "embedding"}, where id is that of the row or the
number of the line, from 1. The work runs beside that of people, which goes first. Ctrl+C leaves it running: the same
command goes on where it was, and OUT is there when it is complete.

  --out OUT         the file to write, - for the terminal
  --model M         the embedding model (default: the one that is there)
  --field NAME      where the text of a row is (default: text)
  --dimensions N    shorter vectors, of models that were trained for it
  --base64          vectors as base64 of little-endian 32-bit floats
  --force           replace OUT

Of texts that are longer than the model reads, the end is left out, and how many they are is said.
`;

/** Texts of one batch, and of one request in it. */
const partTexts = 8192;
const partCharacters = 16 * 1024 * 1024;
const maxLineBytes = 8 * 1024 * 1024;

export const embedCommand: Command = {
	name: 'embed',
	summary: 'Make vectors of the texts of a file.',
	help,
	run: async (args, io) => {
		const options = readArgs(args, {
			...{ out: { type: 'string' }, model: { type: 'string' }, field: { type: 'string' } },
			...{
				dimensions: { type: 'string' },
				base64: { type: 'boolean' },
				force: { type: 'boolean' },
			},
		});
		const [path, ...others] = options.positionals;
		if (path === undefined || others.length > 0)
			throw new UsageError('Name one file of texts: nearglot embed FILE --out OUT');
		const out = options.text('out');
		if (out === undefined) throw new UsageError('Name the file to write: --out OUT');
		if (out !== '-') await checkTarget(out, options.has('force'));
		const dimensions = options.integer('dimensions', 1, 1 << 20);
		const field = options.text('field');
		if (field !== undefined && !isRows(path))
			throw new UsageError('--field is for files of rows, whose name ends in .jsonl.');
		const total = await countTexts(path, field ?? 'text', io.signal);
		const daemon = await findOrStartDaemon({ env: io.env }, io.signal);
		const model = options.text('model') ?? (await ownModel(daemon, io.signal));
		const batches = new EmbeddingBatches({
			...{ daemon, signal: io.signal, name: basename(path) },
			body: { model, truncate: true, encoding_format: 'base64', ...defined({ dimensions }) },
		});
		const work = new Embedding(batches, total, io);
		try {
			const rows = work.rows(textParts(path, field ?? 'text', io.signal), options.has('base64'));
			if (out === '-') for await (const row of rows) io.stdout.data(row.toString());
			else await writeOutput(out, rows);
		} catch (error) {
			if (io.signal.aborted && batches.isBusy)
				io.stderr.write(
					'\nThe texts go on being embedded. The same command fetches what is done; nearglot batch list shows them.\n',
				);
			throw error;
		}
		// Only now nothing can be lost any more.
		await batches.remove();
		return work.end(out);
	},
};

/** What is done, told as it goes, and the rows of the result. */
class Embedding {
	readonly #batches: EmbeddingBatches;
	readonly #total: number;
	readonly #io: CommandIo;
	readonly #began = performance.now();
	#done = 0;
	#truncated = 0;
	readonly #failed: string[] = [];

	constructor(batches: EmbeddingBatches, total: number, io: CommandIo) {
		this.#batches = batches;
		this.#total = total;
		this.#io = io;
	}

	/** Rows of the result, in the order of the texts. One batch is always at work while another is fetched. */
	async *rows(parts: AsyncIterable<TextPart>, isBase64: boolean): AsyncIterable<Buffer> {
		const open: { readonly part: TextPart; readonly id: string }[] = [];
		const take = async (): Promise<Buffer> => {
			const next = open.shift();
			if (next === undefined) return Buffer.alloc(0);
			const { vectors, truncated, problems } = await this.#batches.take(next.id, (items) =>
				this.#show(this.#done + items),
			);
			this.#truncated += truncated;
			const rows: string[] = [];
			for (const [index, id] of next.part.ids.entries()) {
				const vector = vectors[index];
				if (vector === undefined)
					this.#failed.push(`${id}: ${problems.get(index) ?? 'There is no vector of it.'}`);
				else
					rows.push(
						`${JSON.stringify({ id, embedding: isBase64 ? vector : numbersOf(vector) })}\n`,
					);
			}
			this.#done += next.part.ids.length;
			this.#show(this.#done);
			return Buffer.from(rows.join(''));
		};
		for await (const part of parts) {
			open.push({ part, id: await this.#batches.begin(part) });
			if (open.length > 1) yield await take();
		}
		while (open.length > 0) yield await take();
		// A file of nothing must not take the place of another.
		if (this.#failed.length === this.#done)
			throw new AppError(
				'invalid_request',
				`None of the texts could be embedded. ${this.#failed[0]}`,
			);
	}

	end(out: string): number {
		const { stderr } = this.#io;
		if (stderr.isTTY) stderr.write('\n');
		for (const line of this.#failed.slice(0, 10)) stderr.write(`${line}\n`);
		const failed = this.#failed.length;
		const ends = this.#truncated;
		stderr.write(
			[
				`${this.#done - failed} of ${this.#total} texts embedded`,
				...(failed > 0 ? [`${failed} failed`] : []),
				...(ends > 0 ? [`of ${ends} the end was left out`] : []),
			].join(', ') + (out === '-' ? '\n' : `: ${out}\n`),
		);
		return failed > 0 ? 1 : 0;
	}

	#show(done: number): void {
		if (!this.#io.stderr.isTTY) return;
		const seconds = (performance.now() - this.#began) / 1000;
		const rate = done / seconds;
		const left = seconds < 3 || rate === 0 ? '' : `  ${timeText((this.#total - done) / rate)} left`;
		this.#io.stderr.status(`${done} of ${this.#total}  ${rate.toFixed(1)}/s${left}`);
	}
}

function numbersOf(base64: string): number[] {
	const bytes = Buffer.from(base64, 'base64');
	return Array.from({ length: bytes.length / 4 }, (_, at) => bytes.readFloatLE(4 * at));
}

const isRows = (path: string): boolean => /\.(?:jsonl|ndjson)$/i.test(path);

interface Text {
	readonly id: string | number;
	readonly text: string;
}

/** Texts of a file, in order. @throws UsageError that names the line */
async function* textsOf(path: string, field: string, signal: AbortSignal): AsyncIterable<Text> {
	try {
		for await (const { bytes, number } of fileLines(
			createReadStream(path, { signal }),
			maxLineBytes,
		)) {
			const where = `${path}:${number + 1}`;
			if (bytes === undefined)
				throw new UsageError(`${where} is longer than ${maxLineBytes / 1_048_576} MB. Split it.`);
			const line = bytes.toString('utf8').replace(/^\uFEFF/, '');
			yield isRows(path)
				? rowOf(line, field, where, number + 1)
				: { id: number + 1, text: line.replace(/\r$/, '') };
		}
	} catch (error) {
		if (error instanceof UsageError || signal.aborted) throw error;
		throw new UsageError(`${path} cannot be read: ${fileProblem(error)}.`);
	}
}

function rowOf(line: string, field: string, where: string, number: number): Text {
	let row: unknown;
	try {
		row = JSON.parse(line);
	} catch {
		throw new UsageError(`${where} is no JSON.`);
	}
	const fields = new Map<string, unknown>(
		typeof row === 'object' && row !== null ? Object.entries(row as object) : [],
	);
	const text = typeof row === 'string' ? row : fields.get(field);
	if (typeof text !== 'string' || text === '')
		throw new UsageError(`${where} has no text: a string, or an object with a '${field}'.`);
	const id = fields.get('id');
	return { id: typeof id === 'string' || typeof id === 'number' ? id : number, text };
}

async function countTexts(path: string, field: string, signal: AbortSignal): Promise<number> {
	let count = 0;
	for await (const _ of textsOf(path, field, signal)) count++;
	if (count === 0) throw new UsageError(`${path} has no texts.`);
	return count;
}

async function* textParts(
	path: string,
	field: string,
	signal: AbortSignal,
): AsyncIterable<TextPart> {
	let ids: (string | number)[] = [];
	let texts: string[] = [];
	let characters = 0;
	const digest = createHash('sha256');
	for await (const { id, text } of textsOf(path, field, signal)) {
		if (ids.length === partTexts || (ids.length > 0 && characters + text.length > partCharacters)) {
			yield { ids, texts, mark: digest.copy().digest('hex') };
			[ids, texts, characters] = [[], [], 0];
		}
		ids.push(id);
		texts.push(text);
		characters += text.length;
		digest.update(JSON.stringify(text));
	}
	yield { ids, texts, mark: digest.digest('hex') };
}

async function ownModel(
	daemon: Awaited<ReturnType<typeof findOrStartDaemon>>,
	signal: AbortSignal,
): Promise<string> {
	const { models } = await daemon.call(listOwnModels, {}, { signal });
	const there = models.filter(
		({ task, state }) =>
			task === 'embeddings' && (state === 'cached' || state === 'loading' || state === 'loaded'),
	);
	const [only] = there;
	if (only !== undefined && there.length === 1) return only.id;
	if (only === undefined)
		throw new AppError(
			'model_not_found',
			'There is no embedding model here. nearglot models search embed shows some; nearglot models pull all-minilm-l6-v2 gets a small one.',
		);
	throw new UsageError(
		`There are several embedding models; name one with --model: ${there.map(({ id }) => id).join(', ')}.`,
	);
}
