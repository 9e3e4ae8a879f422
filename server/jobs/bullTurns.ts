/**
 * Turns of shards in Redis. BullMQ's priorities end at two million, which a busy farm serves in weeks; its line is a sorted
 * set, whose scores go on: turns beyond are written there by hand, as BullMQ would write them.
 */

import type { Job } from 'bullmq';
import type { ShardRef } from './jobTypes.ts';

/** What a shard is in the queue. Those of earlier versions have no turn, but a priority. */
export interface TurnedShard extends ShardRef {
	readonly turn: number;
	/** Turns from one shard of the batch to the next. */
	readonly stride: number;
}

export const queuePrefix = 'nearglot:jobs';
/** The last turn that was served, whoever served it. */
export const servedKey = `${queuePrefix}:served`;
/** The last turn of each batch. */
export const lastKey = `${queuePrefix}:last`;
/** BullMQ's last priority. */
const lastPriority = 2_097_151;
/** Shards whose turns are moved in one command: Redis does nothing else meanwhile. */
const maxMoved = 500;

export const queuePriorityOf = (turn: number): number => Math.min(lastPriority, turn);

export const isBeyond = ({ turn }: TurnedShard): boolean => turn > lastPriority;

/** The turn that a shard was given, whatever it was called forward with since. */
export const turnOf = ({ data, opts }: Job): number =>
	(data as Partial<TurnedShard>).turn ?? opts.priority ?? lastPriority;

interface Commands {
	eval(script: string, options: { keys: string[]; arguments: string[] }): Promise<unknown>;
}

/** Scores as BullMQ has them: a turn, then 32 bits that tell shards of one turn apart. */
const scoreScript = `
	local function scoreOf(turn) return string.format('%.17g', turn * 0x100000000) end
`;

/** Keys: the line. Arguments: what jobs begin with, then an id and its turn each. */
const placeScript = `${scoreScript}
	for at = 2, #ARGV, 2 do
		local data = redis.call('HGET', ARGV[1] .. ARGV[at], 'data')
		-- One that was there before stays where it is.
		if data and cjson.decode(data)['turn'] == tonumber(ARGV[at + 1]) then
			redis.call('ZADD', KEYS[1], 'XX', scoreOf(tonumber(ARGV[at + 1])), ARGV[at])
		end
	end
`;

/** Gives shards that have just been put in, and wait, their turns beyond BullMQ's last priority. */
export const placeBeyond = (
	client: Commands,
	line: string,
	shards: readonly { readonly id: string; readonly turn: number }[],
): Promise<unknown> =>
	client.eval(placeScript, {
		keys: [line],
		arguments: [jobsOf(line), ...shards.flatMap(({ id, turn }) => [id, String(turn)])],
	});

/** Keys: the line, the last turns, the one that was served. Arguments: what jobs begin with, how many. */
const moveScript = `${scoreScript}
	local served = tonumber(redis.call('ZSCORE', KEYS[3], 'turn') or 0)
	local missed = redis.call(
		'ZRANGEBYSCORE', KEYS[1], '-inf', '(' .. scoreOf(served), 'LIMIT', 0, tonumber(ARGV[2])
	)
	for _, id in ipairs(missed) do
		local key = ARGV[1] .. id
		local data = redis.call('HGET', key, 'data')
		if data then
			local shard = cjson.decode(data)
			local last = tonumber(redis.call('ZSCORE', KEYS[2], shard['batch']) or 0)
			shard['stride'] = shard['stride'] or 1
			shard['turn'] = math.max(last, served) + shard['stride']
			redis.call('ZADD', KEYS[2], shard['turn'], shard['batch'])
			redis.call('ZADD', KEYS[1], scoreOf(shard['turn']), id)
			redis.call('HSET', key, 'data', cjson.encode(shard))
		end
	end
	return #missed
`;

/** What was left out until its turn was over comes after the rest of its batch, as far apart as it was. */
export async function moveMissed(client: Commands, line: string): Promise<void> {
	const keys = [line, lastKey, servedKey];
	const options = { keys, arguments: [jobsOf(line), String(maxMoved)] };
	await client.eval(moveScript, options);
}

/** What keys of jobs begin with: the queue's. */
const jobsOf = (line: string): string => line.slice(0, line.lastIndexOf(':') + 1);
