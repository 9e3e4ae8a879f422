/** `nearglot batch run --shard I/N`: a part of a batch without a queue, for machines that share a folder. */

import { hash } from 'node:crypto';
import { createReadStream, openAsBlob } from 'node:fs';
import { access } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import type { DaemonConnection } from '../daemon/daemonConnection.ts';
import type { JobLimits } from '../jobs/batchLimits.ts';
import { laterVersion, makeManifest, writeBatchManifest } from '../jobs/batchManifest.ts';
import { commitShard } from '../jobs/commitShard.ts';
import { finishBatch } from '../jobs/finishBatch.ts';
import { openFolderStore } from '../jobs/folderStore.ts';
import {
	bodyText,
	errorAnswer,
	failureHeaders,
	formOfFields,
	type ItemAnswer,
	type RunItem,
} from '../jobs/itemRow.ts';
import {
	type BatchEnd,
	type BatchEndpoint,
	type BatchRecord,
	batchVersion,
	keys,
	type Shard,
} from '../jobs/jobTypes.ts';
import { jsonContent, readJsonObject } from '../jobs/objectStore.ts';
import { OpenBatch } from '../jobs/openBatch.ts';
import { realPause } from '../jobs/runItem.ts';
import { laneRoom, runShard } from '../jobs/shardRun.ts';
import type { OnWait } from '../jobs/shardWaits.ts';
import { StoredFiles } from '../jobs/storedFiles.ts';
import { WorkPlaces } from '../jobs/workPlaces.ts';
import { AppError, asAppError, setFormFile } from '../protocol/index.ts';
import { health } from '../protocol/routes/status.ts';
import { notify } from '../store/notices.ts';
import { UsageError } from './command.ts';
import { fileProblem } from './fileProblem.ts';

export interface ShardPart {
	/** From 0. */
	readonly index: number;
	readonly count: number;
}

export interface PartOutcome {
	/** Shards that are done, by everybody, and all that there are. */
	readonly done: number;
	readonly total: number;
	/** Where output and errors lie in the store, when this was the last part. */
	readonly end?: BatchEnd;
	readonly content: (fileId: string) => AsyncIterable<Uint8Array>;
}

/** `2/8`, from 0. @throws UsageError */
export function shardPart(text: string): ShardPart {
	const [index = Number.NaN, count = Number.NaN] = text.split('/').map(Number);
	if (/^\d{1,6}\/\d{1,6}$/.test(text) && index < count) return { index, count };
	throw new UsageError(`--shard takes I/N, I from 0 to N-1, such as 0/8; not '${text}'.`);
}

/** One whose items begin, and one that comes to its end. */
const shardsAtOnce = 2;

/** For so long no request may be answered before a part is given up. */
const maxSilenceMs = 10 * 60_000;

/** Times that a daemon may end during an item, alone: it also ends for reasons of its own. */
const maxDeaths = 3;

const owner = { caller: 'local', person: 'local' } as const;

/** Runs every N-th shard of a file. What is done already, by whomever, is not run again. */
export async function runPart(
	file: { readonly path: string; readonly sha256: string },
	endpoint: BatchEndpoint,
	folder: string,
	part: ShardPart,
	limits: JobLimits,
	daemon: () => Promise<DaemonConnection>,
	onProgress: (batch: OpenBatch) => void,
	signal: AbortSignal,
): Promise<PartOutcome> {
	await using store = await openFolderStore(join(folder, '.batch'), Date.now);
	const name = hash('sha256', `${file.sha256} ${endpoint}`, 'hex').slice(0, 25);
	const inputFileId = `file-${name}`;
	const at = Math.floor(Date.now() / 1000);
	const asked: BatchRecord = {
		...{ version: batchVersion, id: `batch_${name}`, owner, endpoint, inputFileId },
		...{ completionWindow: '366d', createdAt: at, expiresAt: at + 366 * 86_400 },
	};
	await store.putIfAbsent(keys.fileContent(inputFileId), createReadStream(file.path));
	await store.putIfAbsent(keys.record(asked.id), jsonContent(asked));
	const record = (await readJsonObject<BatchRecord>(store, keys.record(asked.id))) ?? asked;
	if (record.version > batchVersion) throw laterVersion(record.id);
	const batch = new OpenBatch(record, store);
	if ((await batch.load(store)) === undefined) {
		const content = store.read(keys.fileContent(inputFileId));
		const most = { lines: limits.batchLines, bytes: limits.batchBytes };
		await writeBatchManifest(
			store,
			record.id,
			await makeManifest(content, endpoint, most, at, signal),
		);
	}
	const manifest = await batch.load(store);
	if (manifest === undefined) throw new Error('The manifest was not written.');
	const own = batch.missing().filter(({ number }) => number % part.count === part.index);
	const connection = own.length === 0 ? undefined : await daemon();
	const lanes = new WorkPlaces(laneRoom);
	const run = itemOver(connection as DaemonConnection, dirname(resolve(file.path)));
	const telling = setInterval(() => onProgress(batch), 500);
	try {
		await inTurn(own, signal, async (shard, onLast, ended) => {
			let items = 0;
			let isRunning = true;
			const onItem = (): void => {
				items++;
				batch.running++;
			};
			try {
				const onWait: OnWait = (moved, why) => {
					batch.setShard(shard, why);
					void moved.then(() => isRunning && batch.setShard(shard));
				};
				const deps = {
					...{ store, run, lanes, onItem, onLast, onWait, now: Date.now },
					scratch: join(folder, '.batch', 'tmp'),
					outages: batch.outages,
				};
				batch.setShard(shard);
				await using rows = await runShard(record, shard, 1, deps, ended);
				const ref = { batch: record.id, shard: shard.number };
				const unwritten = (error: unknown, isFirst: boolean): void => {
					const known = asAppError(error);
					if (known.code !== 'disk_full') throw error;
					if (isFirst) notify(known.message);
				};
				await commitShard(store, ref, rows, unwritten, realPause, ended);
				await batch.done.refresh();
			} finally {
				isRunning = false;
				batch.dropShard(shard);
				batch.running -= items;
			}
			onProgress(batch);
		});
	} finally {
		clearInterval(telling);
	}
	await batch.done.refresh();
	if (batch.isDone)
		await finishBatch(record, manifest, batch, 'completed', {
			...{ store, files: new StoredFiles(store, Date.now), keepS: 3650 * 86_400 },
			now: () => Math.floor(Date.now() / 1000),
		});
	const end = await readJsonObject<BatchEnd>(store, keys.end(record.id));
	return {
		...{ done: batch.done.size, total: manifest.shards.length },
		...(end === undefined ? {} : { end }),
		content: (id) => store.read(keys.fileContent(id)),
	};
}

/** Works on shards in turn; the next begins when one says that its last item has. The first error ends all of them. */
async function inTurn(
	shards: readonly Shard[],
	signal: AbortSignal,
	work: (shard: Shard, onLast: () => void, ended: AbortSignal) => Promise<void>,
): Promise<void> {
	const failed = new AbortController();
	const ended = AbortSignal.any([signal, failed.signal]);
	const places = new WorkPlaces(1);
	const rest = shards.values();
	const loops = Array.from({ length: shardsAtOnce }, async () => {
		for (;;) {
			using place = await places.take(1, ended);
			const next = ended.aborted ? undefined : rest.next().value;
			if (next === undefined) return;
			await work(next, () => place[Symbol.dispose](), ended).catch((error) => failed.abort(error));
		}
	});
	await Promise.all(loops);
	ended.throwIfAborted();
}

/** Items asked for over HTTP; recordings are paths below the folder of the batch's file. */
export function itemOver(
	daemon: Pick<DaemonConnection, 'request'>,
	folder: string,
	now = () => performance.now(),
): RunItem {
	/** When the first request since the last answer found nobody. */
	let silentSince: number | undefined;
	/** How often it ended while nothing else ran, of items that ran when it ended; by their bodies. */
	const deaths = new WeakMap<object, number>();
	const room = new WorkPlaces(Number.MAX_SAFE_INTEGER);
	return async ({ url, body }, signal) => {
		const item = body as object;
		const before = deaths.get(item);
		if (before !== undefined && before >= maxDeaths) return ofEndedDaemons;
		// Alone, each of those that ran shows whether it was that one.
		using _ = await room.take(before === undefined ? 1 : Number.MAX_SAFE_INTEGER, signal);
		let isThere = false;
		try {
			if (before !== undefined) {
				await daemon.request(health.path, { signal });
				isThere = true;
				silentSince = undefined;
			}
			const headers = { priority: 'u=7' };
			const init = url.startsWith('/v1/audio/')
				? { headers, body: await formOf(body as Record<string, unknown>, folder) }
				: {
						headers: { ...headers, 'content-type': 'application/json' },
						body: bodyText(body),
					};
			const response = await daemon.request(url, { ...init, method: 'POST', signal });
			const text = await response.text();
			silentSince = undefined;
			deaths.delete(item);
			const isJson = response.headers.get('content-type')?.includes('json') ?? false;
			const requestId = response.headers.get('x-request-id') ?? '';
			const answer = { status: response.status, requestId, body: isJson ? JSON.parse(text) : text };
			return { ...answer, ...failureHeaders(response.headers) };
		} catch (error) {
			signal.throwIfAborted();
			const known = asAppError(error, 'running an item of a batch');
			const ended = known.code === 'daemon_unavailable';
			if (ended) deaths.set(item, (before ?? 0) + (isThere ? 1 : 0));
			if (ended && deaths.get(item) === maxDeaths) return ofEndedDaemons;
			// Whoever has ended has answered nothing, and the next one is asked. Without one nothing is written.
			silentSince = ended ? (silentSince ?? now()) : undefined;
			if (silentSince !== undefined && now() - silentSince > maxSilenceMs) throw known;
			const { retryAfterS } = known;
			return { ...errorAnswer(known), ...(retryAfterS === undefined ? {} : { retryAfterS }) };
		}
	};
}

const ofEndedDaemons: ItemAnswer = errorAnswer(
	new AppError(
		'runner_crashed',
		`The model server ended ${maxDeaths} times while it did this item alone, so it was given up.`,
	),
);

async function formOf(body: Record<string, unknown>, folder: string): Promise<FormData> {
	const { file, ...rest } = body;
	const path = resolve(folder, String(file));
	if (typeof file !== 'string' || !path.startsWith(join(folder, '/')))
		throw new AppError(
			'invalid_request',
			`'file' must be a path below ${folder}, the folder of the batch's file.`,
			{ param: 'file' },
		);
	const form = formOfFields(rest);
	// A blob of a file that is not there does not say why.
	await access(path).catch((error) => {
		throw new AppError('not_found', `${file} cannot be read: ${fileProblem(error)}.`, {
			param: 'file',
		});
	});
	setFormFile(form, await openAsBlob(path), basename(path));
	return form;
}
