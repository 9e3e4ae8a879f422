/** What the machines of one queue tell each other in Redis: that somebody works from it, and what batches wait for there. */

import { randomBytes } from 'node:crypto';
import { isRecord } from '../protocol/errorBody.ts';
import { queuePrefix } from './bullTurns.ts';
import type { QueueWorkers } from './jobQueue.ts';
import type { ShardWait } from './shardWaits.ts';

/** Is there for as long as somebody has said lately that it works. */
const workedKey = `${queuePrefix}:worked`;
/** Who has shards of a batch, and what they wait for. */
const waitsKey = (batch: string): string => `${queuePrefix}:waits:${batch}`;

/** Shards whose leases are looked at. */
const maxActive = 200;

interface Commands {
	set(key: string, value: string, options: { PX: number }): Promise<unknown>;
	exists(keys: string[]): Promise<number>;
	lRange(key: string, first: number, last: number): Promise<string[]>;
	hSet(key: string, field: string, value: string): Promise<unknown>;
	hGetAll(key: string): Promise<Record<string, string>>;
	hDel(key: string, field: string): Promise<unknown>;
	pExpire(key: string, milliseconds: number): Promise<unknown>;
}

export interface BullWorkersDeps {
	readonly client: Commands;
	readonly inTime: <T>(work: () => Promise<T>) => Promise<T>;
	/** Key of something in BullMQ's queue. */
	readonly keyOf: (name: string) => string;
	/** Milliseconds since 1970, by a clock that all machines share. */
	readonly sharedNow: () => Promise<number>;
}

export function bullWorkers({ client, inTime, keyOf, sharedNow }: BullWorkersDeps): QueueWorkers {
	const self = randomBytes(8).toString('hex');
	return {
		announce: async (forMs) => {
			await inTime(() => client.set(workedKey, '1', { PX: forMs }));
		},
		isAny: async () => {
			// Machines of earlier versions tell nothing, but hold shards.
			const shards = await inTime(() => client.lRange(keyOf('active'), 0, maxActive));
			const locks = shards.map((shard) => `${keyOf(shard)}:lock`);
			return (await inTime(() => client.exists([workedKey, ...locks]))) > 0;
		},
		report: async (batch, wait, forMs) => {
			const key = waitsKey(batch);
			if (wait === undefined) return void (await inTime(() => client.hDel(key, self)));
			const until = (await sharedNow()) + forMs;
			const value = JSON.stringify({ until, ...(wait !== 'none' && { wait }) });
			await inTime(() => client.hSet(key, self, value));
			// One that ends without a word is not believed for ever.
			await inTime(() => client.pExpire(key, forMs));
		},
		waitOf: async (batch) => {
			const all = Object.values(await inTime(() => client.hGetAll(waitsKey(batch))));
			const now = await sharedNow();
			const said = all.map(readReport).filter((one) => one !== undefined && one.until > now);
			const waits = said.flatMap((one) => one?.wait ?? []);
			if (waits.length < said.length) return undefined;
			return waits.reduce<ShardWait | undefined>(
				(first, one) => (first && (first.until ?? 0) <= (one.until ?? 0) ? first : one),
				undefined,
			);
		},
	};
}

interface Report {
	/** Milliseconds since 1970. */
	readonly until: number;
	readonly wait?: ShardWait;
}

/** What a later version writes in another way is passed over. */
function readReport(text: string): Report | undefined {
	try {
		const value: unknown = JSON.parse(text);
		if (!isRecord(value) || typeof value['until'] !== 'number') return undefined;
		const { until, wait } = value;
		if (!isRecord(wait)) return { until };
		const { code, message, until: over } = wait;
		if (typeof code !== 'string' || typeof message !== 'string') return { until };
		return { until, wait: { code, message, ...(typeof over === 'number' && { until: over }) } };
	} catch {
		return undefined;
	}
}
