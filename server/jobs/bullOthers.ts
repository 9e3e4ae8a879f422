/** The next shard in Redis that is of none of some batches: called forward from its place, as BullMQ has one line for all. */

import type { Job, Queue } from 'bullmq';
import { queuePrefix, queuePriorityOf, turnOf } from './bullTurns.ts';
import type { ShardRef } from './jobTypes.ts';

/** Shards in a row that turn out to be of a batch that is not wanted: those that came out of their turn, as others called them. */
const maxUnwanted = 20;

export const idOf = ({ batch, shard }: ShardRef): string => `${batch}.${shard}`;
/** Batches that may have shards in the queue. */
export const batchesKey = `${queuePrefix}:batches`;
/** Shards of a batch that are in the queue, so that nobody has to look through all of it. */
export const setOf = (batch: string): string => `${queuePrefix}:of:${batch}`;

/**
 * The shard of a batch whose turn is first, of those that wait. A batch of which nothing is in the queue is forgotten, in
 * one step with the look, as somebody may be putting it in. Keys: the line, the batch's shards, batches. Argument: the batch.
 */
const firstScript = `
	local shards = redis.call('SMEMBERS', KEYS[2])
	if #shards == 0 then redis.call('SREM', KEYS[3], ARGV[1]) end
	local first, least
	for from = 1, #shards, 1000 do
		local ids = {}
		for at = from, math.min(#shards, from + 999) do ids[#ids + 1] = ARGV[1] .. '.' .. shards[at] end
		local scores = redis.call('ZMSCORE', KEYS[1], unpack(ids))
		for at, score in ipairs(scores) do
			if score and (not least or tonumber(score) < least) then
				first, least = shards[from + at - 1], tonumber(score)
			end
		end
	end
	return first
`;

/** What is asked of Redis itself. */
interface Commands {
	sMembers(key: string): Promise<string[]>;
	eval(script: string, options: { keys: string[]; arguments: string[] }): Promise<unknown>;
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
		// Whoever gives it back puts it where it was; where that is not written, to the head of the line.
		const priority = queuePriorityOf(turnOf(job));
		await inTime(() => job.changePriority({ priority })).catch(() => {});
		if (!except.has(own.batch)) return job;
		// One that cannot be given back is leased, or nobody would have it and it would count as a try.
		const isBack = await inTime(() => job.moveToWait(token)).then(
			() => true,
			() => false,
		);
		if (!isBack) return job;
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
	for (const { batch } of others) {
		const found = await inTime(() =>
			client.eval(firstScript, {
				keys: [queue.toKey('prioritized'), setOf(batch), batchesKey],
				arguments: [batch],
			}),
		);
		if (found !== null) return { batch, shard: Number(found) };
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
