/** Usage of all replicas together, in Redis or Valkey: one hash for a day. */

import { inTime, makeClient } from '../../gateway/store/redisStore.ts';
import { storeError } from '../../gateway/store/store.ts';
import { leaveReplica } from '../../net/leaveReplica.ts';
import type { KeyScope } from '../../protocol/limitTypes.ts';
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

/** @param url `redis://…` or `rediss://…`; connects in the background and keeps trying */
export function openRedisUsage(url: string): UsageStore {
	const client = makeClient(url);
	// The client reconnects by itself; who asks meanwhile is told.
	client.on('error', () => {});
	void client.connect().catch(() => {});
	const run = async <T>(work: () => Promise<T>): Promise<T> => {
		try {
			return await inTime(work);
		} catch (error) {
			leaveReplica(client, error);
			throw storeError(error);
		}
	};
	const days = async (from: string, to: string): Promise<string[]> =>
		(await client.sMembers(daysKey)).filter((day) => day >= from && day <= to).sort();

	return {
		add: (rows) =>
			run(async () => {
				if (rows.length === 0) return;
				const all = client.multi();
				for (const row of rows) {
					all.sAdd(daysKey, row.day);
					for (const field of usageFields)
						if (row[field] !== 0)
							all.hIncrByFloat(prefix + row.day, fieldOf(row, field), row[field]);
				}
				await all.exec();
			}),
		rows: (from, to) =>
			run(async () => {
				const rows = new Map<string, UsageRow>();
				for (const day of await days(from, to))
					for (const [name, amount] of Object.entries(await client.hGetAll(prefix + day))) {
						const { field, ...who } = readField(name);
						const row = rows.get(rowKey({ day, ...who })) ?? { day, ...who, ...noUsage };
						rows.set(rowKey(row), { ...row, [field]: row[field] + Number(amount) });
					}
				return [...rows.values()];
			}),
		delete: (person) =>
			run(async () => {
				const found = new Set<string>();
				for (const day of await days('', '9999')) {
					const names = (await client.hKeys(prefix + day)).filter(
						(name) => readField(name).person === person,
					);
					for (const name of names) found.add(rowKey({ day, ...readField(name) }));
					if (names.length > 0) await client.hDel(prefix + day, names);
				}
				return found.size;
			}),
		prune: (before) =>
			run(async () => {
				for (const day of await days('', before)) {
					if (day === before) continue;
					await client.del(prefix + day);
					await client.sRem(daysKey, day);
				}
			}),
		close: async () => client.destroy(),
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
