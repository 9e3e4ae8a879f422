/** Where replicas count limits together. */

import { prefix } from '../../gateway/store/redisStore.ts';
import type { CountStore } from '../limits/replicaCounts.ts';
import type { RedisLink } from './redisLink.ts';

const replaceScript =
	"if redis.call('get', KEYS[1]) ~= ARGV[1] then return 0 end redis.call('set', KEYS[1], ARGV[2], 'PX', ARGV[3]) return 1";
const dropScript =
	"if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) else return 0 end";

export const redisCounts = (link: RedisLink): CountStore => ({
	get failure() {
		return link.failure;
	},
	timeMs: async () => {
		const [seconds = '', micros = ''] = await link.run((client) =>
			client.sendCommand<string[]>(['TIME']),
		);
		return Number(seconds) * 1000 + Number(micros) / 1000;
	},
	get: (key) => link.run(async (client) => (await client.get(prefix + key)) ?? undefined),
	replace: (key, expected, value, ttlMs) =>
		link.run(async (client) => {
			const keys = [prefix + key];
			const done =
				value === undefined
					? await client.eval(dropScript, { keys, arguments: [expected] })
					: await client.eval(replaceScript, {
							keys,
							arguments: [expected, value, String(Math.max(1, Math.ceil(ttlMs)))],
						});
			return done === 1;
		}),
	lock: (key, owner, ttlMs) =>
		link.run(async (client) => {
			const expiration = { type: 'PX', value: ttlMs } as const;
			return (await client.set(prefix + key, owner, { condition: 'NX', expiration })) === 'OK';
		}),
	delete: (key) => link.run(async (client) => (await client.del(prefix + key)) > 0),
});
