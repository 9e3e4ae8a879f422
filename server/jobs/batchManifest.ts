/** Cuts the file of a batch into shards: one pass over it, however long it is. */

import { hash } from 'node:crypto';
import { AppError } from '../protocol/index.ts';
import { yieldToOthers } from '../work/yieldToOthers.ts';
import {
	type BatchEndpoint,
	type BatchRecord,
	batchVersion,
	documentEndpoint,
	keys,
	type Shard,
} from './jobTypes.ts';
import { fileLines } from './lines.ts';
import type { ObjectStore } from './objectStore.ts';
import { SeenNumbers } from './seenNumbers.ts';

/** Longest line; a longer one becomes a row of failure. */
export const maxLineBytes = 4 * 1_048_576;

/** How much of an endpoint's work makes a shard: about half a minute of a small machine. */
const shardSizes: Readonly<
	Record<BatchEndpoint, { readonly items: number; readonly bytes: number; readonly texts?: number }>
> = {
	'/v1/chat/completions': { items: 50, bytes: 400_000 },
	'/v1/completions': { items: 50, bytes: 400_000 },
	'/v1/responses': { items: 50, bytes: 400_000 },
	'/v1/embeddings': { items: 500, bytes: 1_000_000, texts: 4096 },
	'/v1/rerank': { items: 200, bytes: 1_000_000 },
	'/v1/audio/transcriptions': { items: 4, bytes: 100_000 },
	'/translate': { items: 200, bytes: 200_000 },
	[documentEndpoint]: { items: 1, bytes: 100_000 },
};
/** A shard with another model begins at this many items: loading one costs as much. */
const minItemsOfModel = 8;

export interface ManifestLimits {
	/** Lines with something in them. */
	readonly lines: number;
	readonly bytes: number;
}

export interface BatchManifest {
	/** Seconds since 1970. */
	readonly at: number;
	readonly total: number;
	readonly shards: readonly Shard[];
}

/** A file that is no list of requests: the batch fails. */
export class Unreadable extends Error {
	readonly code: string;
	constructor(code: string, message: string) {
		super(message);
		this.code = code;
	}
}

/**
 * Cuts a file into shards.
 * @throws Unreadable when it is empty, or larger than the limits
 */
export async function makeManifest(
	content: AsyncIterable<Uint8Array>,
	endpoint: BatchEndpoint,
	limits: ManifestLimits,
	at: number,
	signal?: AbortSignal,
): Promise<BatchManifest> {
	const size = shardSizes[endpoint];
	const seen = new SeenNumbers();
	const shards: Shard[] = [];
	/** Texts to be embedded of the open one. */
	let texts = 0;
	let open: { start: number; firstLine: number; items: number; doubled: number[] } | undefined;
	let model: string | undefined;
	let total = 0;
	let lastEnd = 0;
	let readable = 0;
	const close = (): void => {
		if (open === undefined) return;
		const { doubled, ...rest } = open;
		const marks = doubled.length === 0 ? {} : { doubled };
		shards.push({ number: shards.length, ...rest, end: lastEnd, ...marks });
		open = undefined;
	};
	for await (const line of fileLines(content, maxLineBytes)) {
		await yieldToOthers();
		signal?.throwIfAborted();
		if (++total > limits.lines)
			throw new Unreadable(
				'too_many_requests',
				`The file has more than ${limits.lines} requests. Split it, or raise NEARGLOT_BATCH_LINES.`,
			);
		if (line.end > limits.bytes)
			throw new Unreadable(
				'file_too_large',
				`The file has more than ${Math.floor(limits.bytes / 1_048_576)} MB. Split it, or raise NEARGLOT_BATCH_MB.`,
			);
		const facts = factsOf(line.bytes);
		if (facts !== undefined) readable++;
		const otherModel = facts?.model !== undefined && model !== undefined && facts.model !== model;
		if (
			open !== undefined &&
			(open.items >= size.items ||
				line.end - open.start > size.bytes ||
				texts + (facts?.texts ?? 0) > (size.texts ?? Number.POSITIVE_INFINITY) ||
				(otherModel && open.items >= minItemsOfModel))
		)
			close();
		open ??= { start: line.start, firstLine: line.number, items: 0, doubled: [] };
		texts = open.items === 0 ? (facts?.texts ?? 0) : texts + (facts?.texts ?? 0);
		if (facts?.customId !== undefined && !seen.add(numberOf(facts.customId)))
			open.doubled.push(line.number - open.firstLine);
		open.items++;
		model = facts?.model ?? model;
		lastEnd = line.end;
	}
	close();
	if (total === 0) throw new Unreadable('empty_file', 'The file holds no request.');
	if (readable === 0)
		throw new Unreadable(
			'invalid_json_lines',
			'No line of the file is a JSON object. It must hold one request a line: {"custom_id", "method", "url", "body"}.',
		);
	return { at, total, shards };
}

function factsOf(
	bytes: Buffer | undefined,
): { readonly customId?: string; readonly model?: string; readonly texts: number } | undefined {
	if (bytes === undefined) return undefined;
	try {
		const value: unknown = JSON.parse(bytes.toString('utf8').replace(/^\uFEFF/, ''));
		if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
		const { custom_id: customId, body } = value as Record<string, unknown>;
		const model = (body as Record<string, unknown> | undefined | null)?.['model'];
		const input = (body as Record<string, unknown> | undefined | null)?.['input'];
		return {
			texts: Array.isArray(input) ? input.length : 1,
			...(typeof customId === 'string' ? { customId } : {}),
			...(typeof model === 'string' ? { model } : {}),
		};
	} catch {
		return undefined;
	}
}

/** 52 bits of a text: of a million texts, two meet with a chance of 1 in 9,000. */
function numberOf(text: string): number {
	const digits = hash('sha1', text, 'hex');
	return Number.parseInt(digits.slice(0, 13), 16);
}

/** Writes it, once; what another process has written before holds. */
export async function writeBatchManifest(
	store: ObjectStore,
	batch: string,
	{ at, total, shards }: BatchManifest,
): Promise<void> {
	const lines = function* (): Generator<Uint8Array> {
		yield Buffer.from(
			`${JSON.stringify({ version: batchVersion, at, total, shards: shards.length })}\n`,
		);
		for (let from = 0; from < shards.length; from += 1000)
			yield Buffer.from(
				shards
					.slice(from, from + 1000)
					.map((shard) => `${JSON.stringify(shard)}\n`)
					.join(''),
			);
	};
	await store.putIfAbsent(keys.manifest(batch), fromList(lines()));
}

async function* fromList(parts: Iterable<Uint8Array>): AsyncIterable<Uint8Array> {
	yield* parts;
}

/** @throws AppError `store_unavailable` for one of a later version, or a damaged one */
export async function readBatchManifest(
	store: ObjectStore,
	{ id }: Pick<BatchRecord, 'id'>,
): Promise<BatchManifest | undefined> {
	if ((await store.size(keys.manifest(id))) === undefined) return undefined;
	// Line by line: the whole of a long one would be in memory three times.
	let head: { version: number; at: number; total: number; shards: number } | undefined;
	const shards: Shard[] = [];
	try {
		for await (const { bytes } of fileLines(store.read(keys.manifest(id)), maxLineBytes)) {
			const line: unknown = JSON.parse(String(bytes));
			if (head !== undefined) shards.push(line as Shard);
			else head = line as NonNullable<typeof head>;
			if (head.version > batchVersion) throw laterVersion(id);
		}
		if (head !== undefined && shards.length === head.shards)
			return { at: head.at, total: head.total, shards };
	} catch (error) {
		if (!(error instanceof SyntaxError)) throw error;
	}
	throw new AppError('store_unavailable', `The manifest of the batch '${id}' is damaged.`);
}

export const laterVersion = (id: string): AppError =>
	new AppError(
		'store_unavailable',
		`The batch '${id}' was made by a later version of Nearglot. Workers of this version leave it alone: update this machine.`,
	);
