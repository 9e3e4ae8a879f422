/** `nearglot batch run`: uploads a file of requests, watches its batch, fetches the rows. Goes on where it was. */

import { createHash, randomUUID } from 'node:crypto';
import { createReadStream, openAsBlob } from 'node:fs';
import { basename, dirname, extname, join, resolve } from 'node:path';
import type { DaemonConnection } from '../daemon/daemonConnection.ts';
import { findOrStartDaemon } from '../daemon/findDaemon.ts';
import { jobLimits } from '../jobs/batchLimits.ts';
import { maxLineBytes, Unreadable } from '../jobs/batchManifest.ts';
import { windowSeconds } from '../jobs/completionWindow.ts';
import { batchEndpoints, type RequestEndpoint } from '../jobs/jobTypes.ts';
import { fileLines } from '../jobs/lines.ts';
import { timeOfId } from '../jobs/storedFiles.ts';
import { AppError, setFormFile } from '../protocol/index.ts';
import { createBatch, showBatch, uploadFile } from '../protocol/routeAddresses.ts';
import type { BatchAnswer } from '../protocol/routes/batches.ts';
import { readPlainText, writePrivateFile } from '../store/files.ts';
import { makeFolder } from '../store/makeFolder.ts';
import { removePath } from '../store/movePath.ts';
import { readArgs } from './args.ts';
import { runPart, shardPart } from './batchShards.ts';
import { batchText, progressText } from './batchText.ts';
import { type CommandIo, UsageError } from './command.ts';
import { fileProblem } from './fileProblem.ts';
import { followedBatch } from './followedBatch.ts';
import { checkNoStandardOutput, writeOutput } from './outputFile.ts';
import { firstTry, triesOf, writeRows } from './retriedRows.ts';

/** Beside the rows: which batch of which file they are of. */
const noteName = 'batch.json';

interface Asked {
	readonly sha256: string;
	readonly endpoint: RequestEndpoint;
}

interface Note extends Asked {
	/** Absent: it was asked for, and no answer has come. */
	readonly id?: string;
	readonly window?: string;
	/** By which the server knows the same request again, and the file that was uploaded for it. */
	readonly key?: string;
	readonly file?: string;
}

const usualWindow = '24h';

export async function batchRun(args: readonly string[], io: CommandIo): Promise<number> {
	const options = readArgs(args, {
		endpoint: { type: 'string' },
		out: { type: 'string' },
		window: { type: 'string' },
		shard: { type: 'string' },
	});
	const [path, ...others] = options.positionals;
	if (path === undefined || others.length > 0)
		throw new UsageError('Name one file of requests: nearglot batch run FILE');
	checkNoStandardOutput('out', options.text('out'), 'the rows lie in a folder');
	const shard = options.text('shard');
	const part = shard === undefined ? undefined : shardPart(shard);
	const sha256 = await digestOf(path);
	const endpoint = await endpointOf(path, options.text('endpoint'));
	const out = resolve(options.text('out') ?? path.slice(0, path.length - extname(path).length));
	if (out === resolve(path)) throw new UsageError('Name a folder for the rows: --out DIR');
	const window = options.text('window');
	if (part !== undefined && window !== undefined)
		throw new UsageError('--window does not go with --shard: nothing is given up there.');
	// What the server would refuse is not noted as begun.
	if (window !== undefined) checkWindow(window);
	makeFolder(out, 0o777);
	if (part !== undefined) {
		const limits = jobLimits(io.env);
		const connect = () => findOrStartDaemon({ env: io.env }, io.signal);
		let shownWhy: string | undefined;
		const done = await runPart(
			{ path, sha256 },
			endpoint,
			out,
			part,
			limits,
			connect,
			(batch) => {
				const { items, secondsLeft } = batch.progress(performance.now());
				const why = batch.obstacle?.message;
				if (why !== undefined && why !== shownWhy) io.stderr.write(`Waiting: ${why}\n`);
				shownWhy = why ?? shownWhy;
				if (io.stderr.isTTY) io.stderr.status(`${items} items  ${secondsLeft ?? '?'} s left`);
			},
			io.signal,
		).catch((error) => {
			throw error instanceof Unreadable ? new UsageError(`${path}: ${error.message}`) : error;
		});
		if (done.end === undefined) {
			io.stderr.write(
				`Part ${part.index} of ${part.count} is done; ${done.done} of ${done.total} shards of all are.\n`,
			);
			return 0;
		}
		const { outputFileId, errorFileId, counts } = done.end;
		await write(join(out, 'output.jsonl'), outputFileId && done.content(outputFileId));
		await write(join(out, 'errors.jsonl'), errorFileId && done.content(errorFileId));
		return writeEnd(io, out, counts);
	}
	const daemon = await findOrStartDaemon({ env: io.env }, io.signal);
	const asked = { sha256, endpoint };
	const first = await begin(daemon, path, asked, out, window, io);
	const batch = await follow(daemon, first, io);
	return fetchRows(daemon, batch, out, io);
}

/** `nearglot batch fetch`: the rows of a batch that was begun anywhere, once it and its retries have ended. */
export async function batchFetch(args: readonly string[], io: CommandIo): Promise<number> {
	const options = readArgs(args, { out: { type: 'string' } });
	const [id, ...others] = options.positionals;
	if (id === undefined || others.length > 0)
		throw new UsageError('Name one batch: nearglot batch fetch ID');
	checkNoStandardOutput('out', options.text('out'), 'the rows lie in a folder');
	const daemon = await findOrStartDaemon({ env: io.env }, io.signal);
	const named = await daemon.call(showBatch, { params: { id } }, { signal: io.signal });
	const out = resolve(options.text('out') ?? named.id);
	makeFolder(out, 0o777);
	const first = await firstTry(daemon, named, io.signal);
	const batch = await follow(daemon, first, io);
	return fetchRows(daemon, batch, out, io);
}

/** Waits for what tries an ended batch again, and writes the rows of all of them. */
async function fetchRows(
	daemon: DaemonConnection,
	batch: BatchAnswer,
	out: string,
	io: CommandIo,
): Promise<number> {
	const { total } = batch.request_counts;
	const isWhole = batch.request_counts.completed === total;
	const tries = [batch];
	// Only what is not done is tried again.
	for (const each of isWhole ? [] : (await triesOf(daemon, batch, io.signal)).slice(1))
		tries.push(await follow(daemon, each, io));
	const { completed, failed } = await writeRows(daemon, tries, out, io.signal);
	const isTriedAgain = tries.length > 1;
	const rest = total - completed - failed;
	if (isTriedAgain && rest === 0) return writeEnd(io, out, { completed, failed });
	const last = tries.at(-1) ?? batch;
	if (batch.status === 'completed' && rest === 0) return writeEnd(io, out, batch.request_counts);
	io.stderr.write(batchText(last));
	if (isTriedAgain)
		io.stderr.write(`${completed} done, ${failed} failed, ${rest} not run: ${out}\n`);
	if (last.status === 'cancelled')
		io.stderr.write(`nearglot batch retry ${last.id} runs what it did not come to.\n`);
	return 1;
}

function writeEnd(
	io: CommandIo,
	out: string,
	{ completed, failed }: { readonly completed: number; readonly failed: number },
): number {
	io.stderr.write(`${completed} done, ${failed} failed: ${out}\n`);
	return failed > 0 ? 1 : 0;
}

/** The batch that was begun before, or a new one. */
async function begin(
	daemon: DaemonConnection,
	path: string,
	asked: Asked,
	out: string,
	window: string | undefined,
	io: CommandIo,
): Promise<BatchAnswer> {
	const place = join(out, noteName);
	const before = await noteAt(place, asked, window);
	if (before !== undefined) {
		const known = await goOn(daemon, place, before, io.signal).catch((error) => {
			if (!(error instanceof AppError) || error.code !== 'not_found') throw error;
			const keptMs = jobLimits(io.env).keepDays * 86_400_000;
			if (before.id !== undefined && timeOfId(before.id) > Date.now() - keptMs)
				throw new AppError(
					'not_found',
					`The model server that runs now does not know the batch ${before.id} of this file. Where it belongs to one with another store (serve --store), start that one. To run all of the file anew, remove ${place}.`,
				);
			// What is kept no longer is asked for anew.
			return undefined;
		});
		if (known !== undefined) return known;
	}
	const form = new FormData();
	form.append('purpose', 'batch');
	setFormFile(form, await openAsBlob(path), basename(path));
	const { id: file } = await daemon.call(uploadFile, { body: form }, { signal: io.signal });
	const note = { ...asked, window: window ?? usualWindow, key: randomUUID(), file };
	// Before it is asked for: whenever this command ends, the next one asks for the same batch.
	await writePrivateFile(place, JSON.stringify(note));
	return goOn(daemon, place, note, io.signal);
}

/** @throws UsageError for one of another file, or of another time */
async function noteAt(
	place: string,
	asked: Asked,
	window: string | undefined,
): Promise<Note | undefined> {
	const text = await readPlainText(place);
	if (text === undefined) return undefined;
	const note = JSON.parse(text) as Note;
	if (note.sha256 !== asked.sha256 || note.endpoint !== asked.endpoint)
		throw new UsageError(
			`${dirname(place)} holds the rows of another file; name another folder with --out.`,
		);
	if (window !== undefined && window !== note.window)
		throw new UsageError(
			`The batch of this file has begun with another --window${note.window === undefined ? '' : ` (${note.window})`}. Leave it out, or name another folder with --out.`,
		);
	return note;
}

/** Finds the batch of a note, or asks for it. @throws AppError `not_found` when it, or what it reads, is gone */
async function goOn(
	daemon: DaemonConnection,
	place: string,
	note: Note,
	signal: AbortSignal,
): Promise<BatchAnswer> {
	const { id, key, file, sha256, endpoint, window = usualWindow } = note;
	if (id !== undefined) return daemon.call(showBatch, { params: { id } }, { signal });
	if (key === undefined || file === undefined) throw new AppError('not_found');
	const body = { input_file_id: file, endpoint, completion_window: window };
	const headers = { 'idempotency-key': key };
	const batch = await daemon.call(createBatch, { body, headers }, { signal });
	await writePrivateFile(place, JSON.stringify({ id: batch.id, sha256, endpoint, window }));
	return batch;
}

async function follow(
	daemon: DaemonConnection,
	first: BatchAnswer,
	io: CommandIo,
): Promise<BatchAnswer> {
	let last = first;
	const { id } = first;
	try {
		for await (const event of followedBatch(daemon, id, io.signal)) {
			last = event;
			if (io.stderr.isTTY) io.stderr.status(progressText(last));
		}
	} catch (error) {
		if (io.signal.aborted)
			io.stderr.write(
				`\nThe batch ${id} goes on. The same command shows it again; nearglot batch cancel ${id} ends it.\n`,
			);
		throw error;
	}
	if (io.stderr.isTTY) io.stderr.write('\n');
	return last;
}

/** Rows of an earlier run do not stay beside those of this one. */
async function write(
	path: string,
	content: AsyncIterable<Uint8Array> | '' | undefined,
): Promise<void> {
	if (content === undefined || content === '') return removePath(path, { force: true });
	await writeOutput(path, content);
}

/** @throws UsageError */
function checkWindow(window: string): void {
	try {
		windowSeconds(window);
	} catch {
		throw new UsageError(
			`--window takes a time such as 24h: a number with m, h or d, from 1m to 366d; not '${window}'.`,
		);
	}
}

async function digestOf(path: string): Promise<string> {
	const digest = createHash('sha256');
	try {
		for await (const part of createReadStream(path)) digest.update(part as Uint8Array);
	} catch (error) {
		throw new UsageError(`${path} cannot be read: ${fileProblem(error)}.`);
	}
	return digest.digest('hex');
}

/** What was named, or what the first line that is a request asks. */
async function endpointOf(path: string, named: string | undefined): Promise<RequestEndpoint> {
	let url = named;
	if (url === undefined)
		for await (const { bytes } of fileLines(createReadStream(path), maxLineBytes)) {
			try {
				const found: unknown = JSON.parse(bytes?.toString('utf8') ?? '').url;
				if (typeof found === 'string') url = found.split('?', 1)[0];
			} catch {
				continue;
			}
			if (url !== undefined) break;
		}
	const endpoint = batchEndpoints.find((each) => each === url);
	if (endpoint !== undefined) return endpoint;
	throw new UsageError(
		url === undefined
			? `No line of ${path} is a request. Each must be {"custom_id", "method", "url", "body"}.`
			: `'${url.slice(0, 100)}' takes no batches. Known: ${batchEndpoints.join(', ')}.`,
	);
}
