/** What a person who runs the server orders at one replica and all have to do: ending or forgetting somebody. */

import { randomUUID } from 'node:crypto';
import { type RedisLink, sharedPrefix } from './redisLink.ts';

/** `forget`: deletes what is stored of a person; `end`: ends what is under way for them. */
export type OrderKind = 'forget' | 'end';

export interface PersonOrder {
	readonly kind: OrderKind;
	readonly person: string;
}

export interface NumberedOrder extends PersonOrder {
	/** Grows from order to order. */
	readonly seq: number;
	/** When it was given, in milliseconds since 1970 by this replica's clock, however that is set. */
	readonly at: number;
}

export const isOrderKind = (value: unknown): value is OrderKind =>
	value === 'forget' || value === 'end';

const key = `${sharedPrefix}orders`;
/** A replica that was off for longer does not hear of it. */
const keptMs = 7 * 86_400_000;

/**
 * One entry for an order, however often it was given, with a number that grows and the time by the store's clock. Numbers
 * begin with that time, so that those of an emptied store are beyond all that were given before.
 */
const addScript = `
	local time = redis.call('TIME')
	local ms = time[1] * 1000 + math.floor(time[2] / 1000)
	redis.call('SET', KEYS[2], ms, 'NX')
	local seq = redis.call('INCR', KEYS[2])
	redis.call('ZADD', KEYS[1], seq, ARGV[1])
	redis.call('ZADD', KEYS[3], ms, ARGV[1])
	for _, old in ipairs(redis.call('ZRANGEBYSCORE', KEYS[3], 0, ms - ARGV[2])) do
		redis.call('ZREM', KEYS[1], old)
		redis.call('ZREM', KEYS[3], old)
	end
	for i = 1, 3 do redis.call('PEXPIRE', KEYS[i], ARGV[2] * 2) end
	return seq`;

const timeScript = `
	local time = redis.call('TIME')
	return time[1] * 1000 + math.floor(time[2] / 1000)`;

export class SharedOrders {
	readonly #link: RedisLink;
	/** Of this process, which needs not hear of its own orders. */
	readonly #origin = randomUUID();

	constructor(link: RedisLink) {
		this.#link = link;
	}

	/** Has it done by all replicas, and again by those that are away now. @throws AppError `store_unavailable` */
	async add({ kind, person }: PersonOrder): Promise<void> {
		await this.#link.run((client) =>
			client.eval(addScript, {
				keys: [key, `${key}:seq`, `${key}:times`],
				arguments: [JSON.stringify([kind, person, this.#origin]), String(keptMs)],
			}),
		);
	}

	/** Number of the last order. */
	async last(): Promise<number> {
		return Number((await this.#link.run((client) => client.get(`${key}:seq`))) ?? 0);
	}

	/** Orders of other replicas after a number, the oldest first. What a later version orders, and nobody here knows, is passed over. */
	async after(seen: number): Promise<readonly NumberedOrder[]> {
		const found = await this.#link.run((client) =>
			client.zRangeByScoreWithScores(key, `(${seen}`, '+inf'),
		);
		if (found.length === 0) return [];
		const aheadMs = Date.now() - Number(await this.#link.run((client) => client.eval(timeScript)));
		const times = await this.#link.run((client) =>
			client.zmScore(
				`${key}:times`,
				found.map(({ value }) => value),
			),
		);
		return found.flatMap(({ value, score: seq }, index) => {
			const known = readEntry(value);
			if (known === undefined || known.origin === this.#origin) return [];
			// One that has just become too old has no time any more.
			return [{ kind: known.kind, person: known.person, seq, at: (times[index] ?? 0) + aheadMs }];
		});
	}
}

function readEntry(text: string): (PersonOrder & { readonly origin: unknown }) | undefined {
	try {
		const value: unknown = JSON.parse(text);
		if (!Array.isArray(value)) return undefined;
		const [kind, person, origin] = value as unknown[];
		return isOrderKind(kind) && typeof person === 'string' ? { kind, person, origin } : undefined;
	} catch {
		return undefined;
	}
}
