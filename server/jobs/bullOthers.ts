/** The next shard in Redis that is of none of some batches: called forward from its place, as BullMQ has one line for all. */

import type { Job, Queue } from 'bullmq';
import type { ShardRef } from './jobTypes.ts';

export const queuePrefix = 'nearglot:jobs';
/** BullMQ's last priority; shards that have it come in the order in which they were put in. */
export const lastTurn = 2_097_151;
/** Shards of a batch that are looked at in one command. */
const lot = 100;
/** Shards in a row that turn out to be of a batch that is not wanted: those that came out of their turn, as others called them. */
const maxUnwanted = 20;

export const idOf = ({ batch, shard }: ShardRef): string => `${batch}.${shard}`;
/** The turn that a shard was given, whatever it was called forward with since. */
export const turnOf = ({ opts }: Job): number => opts.priority ?? lastTurn;
/** Batches that may have shards in the queue. */
export const batchesKey = `${queuePrefix}:batches`;
/** Shards of a batch that are in the queue, so that nobody has to look through all of it. */
export const setOf = (batch: string): string => `${queuePrefix}:of:${batch}`;

/** What is asked of Redis itself. */
interface Commands {
	sMembers(key: string): Promise<string[]>;
	sRem(key: string, member: string): Promise<number>;
	sort(
		key: string,
		options: { LIMIT: { offset: number; count: number } },
	): Promise<(string | null)[]>;
	zmScore(key: string, members: string[]): Promise<(number | null)[]>;
	zCount(key: string, min: number, max: number): Promise<number>;
	lLen(key: string): Promise<number>;
}

interface Line {
	readonly client: Commands;
	readonly queue: Queue;
	/** The next in turn. */
	readonly next: (token: string) => Promise<Job | undefined>;
	readonly inTime: <T>(work: () => Promise<T>) => Promise<T>;
	/** Milliseconds since 1970. */
	readonly now: () => number;
}

/** Leases the next one of other batches; what these batches have is not walked through. */
export async function nextOfOthers(
	except: ReadonlySet<string>,
	token: string,
	line: Line,
): Promise<Job | undefined> {
	const { queue, next, inTime, now } = line;
	for (let tries = 0; tries < maxUnwanted; tries++) {
		const found = await findOther(except, line);
		if (found !== undefined)
			// To the head of the line. Where somebody has taken it meanwhile, or Redis is away, the next one says so.
			await inTime(() => queue.getJob(idOf(found)))
				.then((job) => job && inTime(() => job.changePriority({ priority: 0, lifo: true })))
				.catch(() => {});
		else if (!(await isAnyOutOfTurn(line, now()))) return undefined;
		const job = await next(token);
		if (job === undefined) return undefined;
		const own = job.data as ShardRef;
		// Whoever gives it back puts it where it was.
		await inTime(() => job.changePriority({ priority: turnOf(job) }));
		if (!except.has(own.batch)) return job;
		await inTime(() => job.moveToWait(token));
	}
	return undefined;
}

/** The first shard that waits of one of the other batches, each of which is as likely as the next. */
async function findOther(
	except: ReadonlySet<string>,
	{ client, queue, inTime }: Line,
): Promise<ShardRef | undefined> {
	const all = await inTime(() => client.sMembers(batchesKey));
	const others = all
		.filter((batch) => !except.has(batch))
		.map((batch) => ({ batch, at: Math.random() }))
		.sort((one, other) => one.at - other.at);
	for (const { batch } of others)
		for (let offset = 0; ; offset += lot) {
			const shards = await inTime(() =>
				client.sort(setOf(batch), { LIMIT: { offset, count: lot } }),
			);
			// Nothing of it has been in the queue since.
			if (shards.length === 0 && offset === 0) await inTime(() => client.sRem(batchesKey, batch));
			if (shards.length === 0) break;
			const refs = shards.map((shard) => ({ batch, shard: Number(shard) }));
			const scores = await inTime(() => client.zmScore(queue.toKey('prioritized'), refs.map(idOf)));
			const waiting = refs.find((_, index) => scores[index] != null);
			if (waiting !== undefined) return waiting;
			if (shards.length < lot) break;
		}
	return undefined;
}

/** Whether there are some whose worker has ended, that were called forward, or whose delay is over. */
async function isAnyOutOfTurn({ client, queue, inTime }: Line, now: number): Promise<boolean> {
	if ((await inTime(() => client.lLen(queue.toKey('wait')))) > 0) return true;
	// BullMQ's score of a time, whose last bits tell those of one moment apart.
	const due = (now + 1) * 0x1000 - 1;
	return (await inTime(() => client.zCount(queue.toKey('delayed'), 0, due))) > 0;
}
