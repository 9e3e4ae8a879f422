/** Store in Redis or Valkey, for several copies of the layer. */

import { randomBytes } from 'node:crypto';
import { createClient } from 'redis';
import { leaveReplica } from '../../net/leaveReplica.ts';
import { leaveSilent, noteAnswer } from '../../net/leaveSilent.ts';
import { AppError } from '../../protocol/errors.ts';
import { proofBytes, proofKey, proofMs, type Store } from './store.ts';
import { type StoreReport, StoreWatch } from './storeWatch.ts';

/** Longest wait for one answer; a hanging store must not hang requests. */
const commandMs = 3000;
export const prefix = 'nearglot:gateway:';

const renewScript =
	"if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('pexpire', KEYS[1], ARGV[2]) else return 0 end";
const replaceScript =
	"if redis.call('get', KEYS[1]) ~= ARGV[1] then return 0 end redis.call('set', KEYS[1], ARGV[2], 'PX', ARGV[3]) return 1";
const dropScript =
	"if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) else return 0 end";

/**
 * Connects in the background and keeps trying; commands fail at once while there is no connection.
 *
 * @param url `redis://[user:password@]host:port[/db]` or `rediss://…`.
 * @param report Told when it stops and begins to answer; never the address, which may hold a password.
 * @throws AppError `invalid_request` for an address that is none.
 */
export async function openRedisStore(url: string, report?: StoreReport): Promise<Store> {
	const watch = new StoreWatch(report);
	const client = makeClient(url);
	// The client reconnects by itself.
	client.on('error', (error: unknown) => watch.failed(error));
	const run = <T>(work: () => Promise<T>) =>
		watch.run(async () => {
			try {
				const answer = await inTime(work);
				noteAnswer(client);
				return answer;
			} catch (error) {
				leaveReplica(client, error);
				if (error instanceof LateAnswer) leaveSilent(client);
				throw error;
			}
		});
	const first = client.connect().then(
		() => undefined,
		() => undefined,
	);
	await Promise.race([first, delay(2500)]);
	const proof = `${prefix}${proofKey}:${randomBytes(9).toString('base64url')}`;
	const drop = async (key: string, expected: string): Promise<number> =>
		Number(await client.eval(dropScript, { keys: [prefix + key], arguments: [expected] }));

	return {
		staleMs: 1000,
		get: (key) => run(async () => (await client.get(prefix + key)) ?? undefined),
		set: (key, value, ttlMs) =>
			run(async () => {
				await client.set(prefix + key, value, {
					expiration: { type: 'PX', value: Math.max(1, Math.ceil(ttlMs)) },
				});
			}),
		replace: (key, expected, value, ttlMs) =>
			run(async () =>
				value === undefined
					? (await drop(key, expected)) > 0
					: (await client.eval(replaceScript, {
							keys: [prefix + key],
							arguments: [expected, value, String(Math.max(1, Math.ceil(ttlMs)))],
						})) === 1,
			),
		async *entries(wanted) {
			// Its names have no characters that mean more than themselves to SCAN.
			const match = { MATCH: `${prefix}${wanted}*`, COUNT: 500 };
			let cursor = '0';
			do {
				const found = await run(() => client.scan(cursor, match));
				cursor = found.cursor;
				const { keys } = found;
				const values = keys.length === 0 ? [] : await run(() => client.mGet(keys));
				for (const [at, key] of keys.entries()) {
					const value = values[at];
					if (typeof value === 'string') yield { key: key.slice(prefix.length), value };
				}
			} while (cursor !== '0');
		},
		delete: (key) => run(async () => (await client.del(prefix + key)) > 0),
		take: (key) => run(async () => (await client.getDel(prefix + key)) ?? undefined),
		lock: (key, owner, ttlMs) =>
			run(async () => {
				const answer = await client.set(prefix + key, owner, {
					condition: 'NX',
					expiration: { type: 'PX', value: ttlMs },
				});
				return answer === 'OK';
			}),
		renew: (key, owner, ttlMs) =>
			run(
				async () =>
					(await client.eval(renewScript, {
						keys: [prefix + key],
						arguments: [owner, String(ttlMs)],
					})) === 1,
			),
		unlock: (key, owner) => run(async () => void (await drop(key, owner))),
		prove: () =>
			run(async () => {
				const value = randomBytes(proofBytes / 2).toString('hex');
				// Each process has a key of its own, so that none reads what another wrote.
				const expiration = { type: 'PX', value: proofMs } as const;
				await client.set(proof, value, { expiration });
				if ((await client.get(proof)) !== value)
					throw new Error('it does not keep what is written');
			}),
		async [Symbol.asyncDispose]() {
			client.destroy();
		},
	};
}

/**
 * @param again False: a connection that fails is not tried again.
 * @param setting Where the address was given.
 */
export function makeClient(url: string, { again = true, setting = 'x-gateway.store' } = {}) {
	try {
		return createClient({
			url,
			disableOfflineQueue: true,
			// A connection is used all the time, so that one on which nothing moves is none.
			pingInterval: 4000,
			socket: {
				connectTimeout: 2000,
				socketTimeout: 15_000,
				reconnectStrategy: again ? (tries) => Math.min(2000, 50 * 2 ** Math.min(tries, 6)) : false,
			},
		});
	} catch {
		throw new AppError(
			'invalid_request',
			`The address in ${setting} is none that Redis can have: write redis://[user:password@]host:port[/number], with % and @ in a password percent-encoded.`,
		);
	}
}

/** Nobody knows what has become of what was asked. */
export class LateAnswer extends Error {
	constructor() {
		super('the store did not answer in time');
	}
}

/** @param ms milliseconds after which it rejects with {@link LateAnswer}, whatever becomes of the work */
export async function inTime<T>(work: () => Promise<T>, ms = commandMs): Promise<T> {
	let timer: NodeJS.Timeout | undefined;
	const late = new Promise<never>((_, reject) => {
		timer = setTimeout(() => reject(new LateAnswer()), ms);
	});
	try {
		return await Promise.race([work(), late]);
	} finally {
		clearTimeout(timer);
	}
}

function delay(ms: number): Promise<void> {
	return new Promise((resolve) => {
		setTimeout(resolve, ms).unref();
	});
}
