/** Usage of all replicas together, in Redis or Valkey: one hash for a day. */

import type { KeyScope } from '../../protocol/limitTypes.ts';
import type { RedisClient, RedisLink } from '../shared/redisLink.ts';
import {
	noUsage,
	rowKey,
	type UsageField,
	type UsageRow,
	type UsageStore,
	usageFields,
} from './usageRows.ts';

const prefix = 'nearglot:usage:';
const daysKey = `${prefix}days`;

/**
 * Adds up what one replica has used, once: a call that came too late, or whose answer was lost, is made again under the
 * same id and does nothing where it had been done.
 */
const addScript = `
	if not redis.call('SET', KEYS[1], '1', 'NX', 'PX', 86400000) then return 0 end
	for i = 2, #ARGV, 3 do
		redis.call('SADD', KEYS[2], ARGV[i])
		redis.call('HINCRBYFLOAT', '${prefix}' .. ARGV[i], ARGV[i + 1], ARGV[i + 2])
		redis.call('EXPIRE', '${prefix}' .. ARGV[i], ARGV[1])
	end
	return 1`;

/** Rows in one call. */
const maxRows = 500;

/** @param retentionDays a day's usage is forgotten so long after it, in days, also by Redis itself */
export function openRedisUsage(link: RedisLink, retentionDays: number): UsageStore {
	const run = <T>(work: (client: RedisClient) => Promise<T>): Promise<T> => link.run(work);
	const days = async (client: RedisClient, from: string, to: string): Promise<string[]> =>
		(await client.sMembers(daysKey)).filter((day) => day >= from && day <= to).sort();

	return {
		add: async (rows, id) => {
			for (let start = 0; start < rows.length; start += maxRows) {
				const amounts = rows
					.slice(start, start + maxRows)
					.flatMap((row) =>
						usageFields
							.filter((field) => row[field] !== 0)
							.flatMap((field) => [row.day, fieldOf(row, field), String(row[field])]),
					);
				await run((client) =>
					client.eval(addScript, {
						keys: [`${prefix}added:${id}:${start}`, daysKey],
						arguments: [String((retentionDays + 1) * 86_400), ...amounts],
					}),
				);
			}
		},
		rows: (from, to) =>
			run(async (client) => {
				const rows = new Map<string, UsageRow>();
				for (const day of await days(client, from, to))
					for (const [name, amount] of Object.entries(await client.hGetAll(prefix + day))) {
						const { field, ...who } = readField(name);
						const row = rows.get(rowKey({ day, ...who })) ?? { day, ...who, ...noUsage };
						rows.set(rowKey(row), { ...row, [field]: row[field] + Number(amount) });
					}
				return [...rows.values()];
			}),
		delete: (person, to) =>
			run(async (client) => {
				const found = new Set<string>();
				for (const day of await days(client, '', to)) {
					const names = (await client.hKeys(prefix + day)).filter(
						(name) => readField(name).person === person,
					);
					for (const name of names) found.add(rowKey({ day, ...readField(name) }));
					if (names.length > 0) await client.hDel(prefix + day, names);
				}
				return found.size;
			}),
		prune: (before) =>
			run(async (client) => {
				for (const day of await days(client, '', before)) {
					if (day === before) continue;
					await client.del(prefix + day);
					await client.sRem(daysKey, day);
				}
			}),
		// The connection is everybody's.
		close: async () => {},
	};
}

const fieldOf = ({ person, model, kind }: UsageRow, field: UsageField): string =>
	JSON.stringify([person, model, kind, field]);

function readField(name: string): {
	person: string;
	model: string;
	kind: KeyScope;
	field: UsageField;
} {
	const [person, model, kind, field] = JSON.parse(name) as [string, string, KeyScope, UsageField];
	return { person, model, kind, field };
}
