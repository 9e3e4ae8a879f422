/** The work of one shard: its lines read, asked for, and written as one result that is there whole or not at all. */

import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '../protocol/index.ts';
import { maxLineBytes } from './batchManifest.ts';
import {
	errorAnswer,
	type ItemAnswer,
	isGood,
	itemTokens,
	type RunItem,
	readItem,
	rowOf,
} from './itemRow.ts';
import {
	type BatchEndpoint,
	type BatchRecord,
	batchVersion,
	documentEndpoint,
	keys,
	type Shard,
	type ShardHead,
} from './jobTypes.ts';
import { fileLines } from './lines.ts';
import type { ObjectStore } from './objectStore.ts';
import { codeOf, type Pause, realPause, requestItem } from './runItem.ts';
import { type OnWait, ShardWaits } from './shardWaits.ts';
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
/** Times that its worker may end during an item: workers also end for reasons of their own. */
const maxDeaths = 3;
/** A shard that was begun so often without an end is run item by item, to find the one that ends its worker. */
const carefulAfter = 3;

export interface ShardRunDeps {
	readonly store: ObjectStore;
	readonly run: RunItem;
	/** Room of the items of all shards that run here: `laneRoom` for each that runs at a time. */
	readonly lanes: WorkPlaces;
	readonly pause?: Pause;
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

interface Line {
	readonly number: number;
	readonly customId: string | null;
	readonly call: { readonly url: string; readonly body: unknown } | AppError;
}

/** What is to be written: its first line says what follows. */
export interface ShardResult {
	readonly head: ShardHead;
	readonly content: Buffer;
}

/** Runs a shard. Rejects when the signal is aborted, and with errors of the store. */
export async function runShard(
	batch: BatchRecord,
	shard: Shard,
	tries: number,
	deps: ShardRunDeps,
	signal: AbortSignal,
): Promise<ShardResult> {
	const lines = await readLines(deps.store, batch, shard);
	const answers = new Map<Line, ItemAnswer>();
	const { pause = realPause, run, lanes } = deps;
	const waits = new ShardWaits(deps.onWait);
	const ask = async (
		line: Line,
		room: number,
		hooks: { onBegun?(): void; onOutside?(): void } = {},
	): Promise<void> => {
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
						(ms, ended) => outside(() => waits.pause(() => pause(ms, ended))),
						signal,
					);
		signal.throwIfAborted();
		answers.set(line, answer);
		waits.done();
	};
	// Nothing runs beside it that could end the model's process, or be ended with it.
	const askAlone = (line: Line): Promise<void> => ask(line, Number.POSITIVE_INFINITY);
	if (tries > carefulAfter)
		await waits.during(() => runCarefully(batch, shard, lines, askAlone, answers, deps));
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
			await ask(line, laneRoom / width, { onBegun, onOutside: onRoom });
			onRoom();
			if (isCrash(answers.get(line))) crashed.push(line);
			else deps.onItem?.();
		});
		// One of those has ended the process of the others: alone, each shows whether it was that one.
		await waits.during(async () => {
			for (const line of crashed) {
				for (let crashes = 0; crashes < maxCrashes; crashes++) {
					await askAlone(line);
					if (!isCrash(answers.get(line))) break;
					await sleep(0);
				}
				deps.onItem?.();
			}
		});
	}
	return resultOf(batch, lines, answers);
}

const isCrash = (answer: ItemAnswer | undefined): boolean =>
	answer !== undefined && codeOf(answer) === 'runner_crashed';

/** One item after the other; each is noted before, so that the next worker knows which one ended this one. */
async function runCarefully(
	{ id }: BatchRecord,
	{ number: shard }: Shard,
	lines: readonly Line[],
	ask: (line: Line) => Promise<void>,
	answers: Map<Line, ItemAnswer>,
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
			answers.set(line, errorAnswer(new AppError('runner_crashed', message)));
			continue;
		}
		const note = `${prefix}${line.number}.${before}`;
		await store.put(note, Buffer.from(' '));
		reached?.('item');
		await ask(line);
		for (let again = 1; again < maxCrashes && isCrash(answers.get(line)); again++) await ask(line);
		await store.remove(note);
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

function resultOf(
	batch: BatchRecord,
	lines: readonly Line[],
	answers: ReadonlyMap<Line, ItemAnswer>,
): ShardResult {
	const rows: Record<'ok' | 'failed', string[]> = { ok: [], failed: [] };
	let [input, output] = [0, 0];
	for (const line of lines) {
		const answer = answers.get(line) as ItemAnswer;
		rows[isGood(answer) ? 'ok' : 'failed'].push(
			rowOf(batch.id, line.number, line.customId, answer),
		);
		const tokens = itemTokens(answer);
		input += tokens.input;
		output += tokens.output;
	}
	const ok = Buffer.from(rows.ok.join(''));
	const head: ShardHead = {
		version: batchVersion,
		completed: rows.ok.length,
		failed: rows.failed.length,
		...{ okBytes: ok.length, input, output },
	};
	return {
		head,
		content: Buffer.concat([
			Buffer.from(`${JSON.stringify(head)}\n`),
			ok,
			Buffer.from(rows.failed.join('')),
		]),
	};
}
