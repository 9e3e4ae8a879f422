/** The work of one shard: its lines read, asked for, and written as one result that is there whole or not at all. */

import { setTimeout as sleep } from 'node:timers/promises';
import { AppError, asAppError } from '../protocol/index.ts';
import { maxLineBytes } from './batchManifest.ts';
import { codeOf, failureKind, type Outages } from './itemFailures.ts';
import { errorAnswer, type ItemAnswer, type RunItem, readItem } from './itemRow.ts';
import {
	type BatchEndpoint,
	type BatchRecord,
	documentEndpoint,
	keys,
	type Shard,
} from './jobTypes.ts';
import { fileLines } from './lines.ts';
import type { ObjectStore } from './objectStore.ts';
import { type ItemWait, type Pause, realPause, requestItem } from './runItem.ts';
import { ShardRows } from './shardRows.ts';
import { type OnWait, type ShardWait, ShardWaits } from './shardWaits.ts';
import type { Outside, WorkPlaces } from './workPlaces.ts';

/**
 * Items that are asked for at a time. Models compute them together, chats eight at most; a few more lie ready there for
 * the places of those whose answers are on their way back.
 */
const widths: Readonly<Record<BatchEndpoint, number>> = {
	'/v1/chat/completions': 12,
	'/v1/completions': 12,
	'/v1/responses': 12,
	'/v1/embeddings': 4,
	'/v1/rerank': 2,
	'/v1/audio/transcriptions': 1,
	'/translate': 8,
	[documentEndpoint]: 1,
};
/** The room of the items of one endpoint, which all of its items have in equal parts. */
export const laneRoom = 24;
/** Times that an item may end its model's process, alone. */
const maxCrashes = 2;
/** How long a shard waits for memory, in milliseconds: what else is under way on its machine may end, and models are unloaded. */
const memoryPausesMs = [5000, 10_000, 20_000];
/** Times that its worker may end during an item: workers also end for reasons of their own. */
const maxDeaths = 3;
/** A shard that was begun so often without an end is run item by item, to find the one that ends its worker. */
const carefulAfter = 3;

export interface ShardRunDeps {
	readonly store: ObjectStore;
	readonly run: RunItem;
	/** Room of the items of all shards that run here: `laneRoom` for each that runs at a time. */
	readonly lanes: WorkPlaces;
	/** Folder for temporary ones: see `scratchIn`. */
	readonly scratch: string;
	readonly pause?: Pause;
	/** Of its batch; absent: what is away is waited for as long as the batch lasts. */
	readonly outages?: Outages;
	/** Milliseconds since 1970; absent: nobody is told when a shard that waits may go on. */
	readonly now?: () => number;
	/**
	 * Told once there is room for the next shard: when the last item has begun, or, where an item takes all the room of a
	 * shard, when it is done or waits for somebody else.
	 */
	onLast?(): void;
	readonly onWait?: OnWait;
	/** Told of each item that is done. */
	onItem?(): void;
	/** Fault points for tests. */
	reached?(point: 'item' | 'written'): void;
}

/** How often is looked whether a full disk has room again. */
const fullDiskMs = 5000;

/** Shorter waits than this are part of the work. */
const worthAWordMs = 1000;

function shardWait(
	{ code, message, saidMs, pauseMs }: ItemWait,
	now?: () => number,
): ShardWait | undefined {
	if (pauseMs < worthAWordMs) return undefined;
	const isKnown = saidMs !== undefined && now !== undefined;
	return { code, message, ...(isKnown ? { until: Math.ceil((now() + saidMs) / 1000) } : {}) };
}

interface Line {
	readonly number: number;
	readonly customId: string | null;
	readonly call: { readonly url: string; readonly body: unknown } | AppError;
}

/** Runs a shard: its rows, which are whoever's asks for them. Rejects when the signal is aborted, and with errors of the store. */
export async function runShard(
	batch: BatchRecord,
	shard: Shard,
	tries: number,
	deps: ShardRunDeps,
	signal: AbortSignal,
): Promise<ShardRows> {
	const rows = new ShardRows(batch.id, deps.scratch);
	try {
		await fillRows(rows, batch, shard, tries, deps, signal);
		return rows;
	} catch (error) {
		await rows[Symbol.asyncDispose]();
		throw error;
	}
}

async function fillRows(
	rows: ShardRows,
	batch: BatchRecord,
	shard: Shard,
	tries: number,
	deps: ShardRunDeps,
	signal: AbortSignal,
): Promise<void> {
	const lines = await readLines(deps.store, batch, shard);
	const { pause = realPause, run, lanes } = deps;
	const waits = new ShardWaits(deps.onWait);
	const memoryPauses = [...memoryPausesMs];
	/** What has its answer is not asked again because there is no room for it. */
	const settle = async ({ number, customId }: Line, answer: ItemAnswer): Promise<void> => {
		for (;;)
			try {
				return await rows.add(number, customId, answer);
			} catch (error) {
				const { code, message } = asAppError(error);
				if (code !== 'disk_full') throw error;
				await waits.pause(() => pause(fullDiskMs, signal), { code, message });
			}
	};
	const ask = async (
		line: Line,
		room: number,
		hooks: { onBegun?(): void; onOutside?(): void } = {},
	): Promise<ItemAnswer> => {
		using place = await lanes.take(room, signal);
		signal.throwIfAborted();
		hooks.onBegun?.();
		const outside: Outside = (work) => {
			hooks.onOutside?.();
			return place.outside(work);
		};
		const { call } = line;
		const answer =
			call instanceof AppError
				? errorAnswer(call)
				: await requestItem(
						(item, ended) => run(item, ended, outside),
						{ ...call, owner: batch.owner },
						// It may wait for hours, and who waits for all of the room lets nobody pass.
						(ms, ended, why) =>
							outside(() => waits.pause(() => pause(ms, ended), shardWait(why, deps.now))),
						signal,
						deps.outages,
						room === Number.POSITIVE_INFINITY ? memoryPauses : [],
					);
		signal.throwIfAborted();
		waits.done();
		return answer;
	};
	// Nothing runs beside it that could end the model's process, or be ended with it.
	const askAlone = (line: Line): Promise<ItemAnswer> => ask(line, Number.POSITIVE_INFINITY);
	if (tries > carefulAfter)
		await waits.during(() => runCarefully(batch, shard, lines, askAlone, settle, deps));
	else {
		const crashed: Line[] = [];
		const width = widths[batch.endpoint];
		let begun = 0;
		let isCalled = false;
		const onRoom = (): void => {
			if (isCalled || begun < lines.length) return;
			isCalled = true;
			deps.onLast?.();
		};
		const onBegun = (): void => {
			deps.reached?.('item');
			begun++;
			if (width > 1) onRoom();
		};
		await inParallel(lines, width, waits, async (line) => {
			const answer = await ask(line, laneRoom / width, { onBegun, onOutside: onRoom });
			onRoom();
			if (isCrash(answer) || failureKind(answer) === 'memory') return void crashed.push(line);
			await settle(line, answer);
			deps.onItem?.();
		});
		// One of those has ended the process of the others, or left them no memory: alone, each shows whether it was that one.
		await waits.during(async () => {
			for (const line of crashed) {
				let answer = await askAlone(line);
				for (let crashes = 1; crashes < maxCrashes && isCrash(answer); crashes++) {
					await sleep(0);
					answer = await askAlone(line);
				}
				await settle(line, answer);
				deps.onItem?.();
			}
		});
	}
}

const isCrash = (answer: ItemAnswer): boolean => codeOf(answer) === 'runner_crashed';

/** One item after the other; each is noted before, so that the next worker knows which one ended this one. */
async function runCarefully(
	{ id }: BatchRecord,
	{ number: shard }: Shard,
	lines: readonly Line[],
	ask: (line: Line) => Promise<ItemAnswer>,
	settle: (line: Line, answer: ItemAnswer) => Promise<void>,
	{ store, onItem, reached }: ShardRunDeps,
): Promise<void> {
	const prefix = keys.suspects({ batch: id, shard });
	const crashes = new Map<number, number>();
	for await (const key of store.list(prefix)) {
		const line = Number(key.slice(prefix.length).split('.')[0]);
		crashes.set(line, (crashes.get(line) ?? 0) + 1);
	}
	for (const line of lines) {
		const before = crashes.get(line.number) ?? 0;
		if (before >= maxDeaths) {
			const message = `The worker ended ${before} times while it did this item, so it was given up.`;
			await settle(line, errorAnswer(new AppError('runner_crashed', message)));
			continue;
		}
		const note = `${prefix}${line.number}.${before}`;
		await store.put(note, Buffer.from(' '));
		reached?.('item');
		try {
			let answer = await ask(line);
			for (let again = 1; again < maxCrashes && isCrash(answer); again++) answer = await ask(line);
			await settle(line, answer);
		} finally {
			// A worker that is told to end is not one that was ended by its item.
			await store.remove(note);
		}
		onItem?.();
	}
}

async function readLines(store: ObjectStore, batch: BatchRecord, shard: Shard): Promise<Line[]> {
	const { start, end, firstLine, doubled = [] } = shard;
	const content = store.read(keys.fileContent(batch.inputFileId), start, end);
	const lines: Line[] = [];
	for await (const { bytes, number } of fileLines(content, maxLineBytes, {
		byte: start,
		line: firstLine,
	}))
		lines.push({
			number,
			...readItem(bytes, batch.endpoint, doubled.includes(number - firstLine)),
		});
	if (lines.length !== shard.items)
		throw new AppError(
			'store_unavailable',
			`The file of the batch '${batch.id}' is not what it was when the batch began. Make the batch again.`,
		);
	return lines;
}

/** Each once, so many at a time; the first error ends it. */
async function inParallel<T>(
	list: readonly T[],
	width: number,
	waits: ShardWaits,
	work: (one: T) => Promise<void>,
): Promise<void> {
	const rest = list.values();
	const workers = Array.from({ length: Math.min(width, list.length) }, () =>
		waits.during(async () => {
			for (const one of rest) await work(one);
		}),
	);
	const done = await Promise.allSettled(workers);
	for (const one of done) if (one.status === 'rejected') throw one.reason;
}
