/** The parts of the daemon that know of other replicas: one Redis or Valkey, and what is kept alike through it. */

import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { checkRedis } from '../gateway/store/checkRedis.ts';
import type { Ending } from '../net/ending.ts';
import { isRecord } from '../protocol/errorBody.ts';
import { asAppError, sentenceOf } from '../protocol/index.ts';
import type { Logger } from '../services/logger.ts';
import { RedisLink } from '../services/shared/redisLink.ts';
import { keyTexts } from '../services/shared/sharedKeys.ts';
import { type PersonOrder, SharedOrders } from '../services/shared/sharedOrders.ts';
import { systemTexts } from '../services/shared/sharedSystems.ts';
import { type AgreedTexts, SharedTexts } from '../services/shared/sharedTexts.ts';
import { JsonFile } from '../store/jsonFile.ts';
import { OrderLoop, type OrderState, readPendingOrders } from './orderLoop.ts';
import { carryOut, type PersonParts } from './personOrders.ts';
import { translateFiles } from './translateBackend.ts';

/** How soon what others have changed is looked for. */
const everyMs = 1000;

const pause = (milliseconds: number, signal: AbortSignal): Promise<void> =>
	sleep(milliseconds, undefined, { signal, ref: false });

/** What this replica has agreed on with the others. */
interface SharedState extends OrderState {
	readonly texts: AgreedTexts;
	/** All keys of the others have come once. */
	readonly hasKeys?: boolean;
}

export interface Shared {
	readonly link: RedisLink;
	/** Whether the Redis has answered last. */
	readonly isThere: boolean;
	/** Has an order carried out by all other replicas. @throws AppError `store_unavailable` */
	order(order: PersonOrder): Promise<void>;
	/**
	 * Begins to look for what others have changed and ordered. Until it has their keys, or those that it has kept on the
	 * disk, it is not ready.
	 */
	start(parts: PersonParts, ending: Pick<Ending, 'prepare'>): void;
	/** Looks no more. */
	rest(): Promise<void>;
	close(): Promise<void>;
}

/**
 * One that is away for a while is waited for; what no waiting mends is said before the server starts.
 * @throws AppError `invalid_request` for a wrong password and the like
 */
export async function checkShared(url: string | undefined): Promise<void> {
	if (url === undefined) return;
	const name = {
		what: 'The Redis that replicas share (--redis)',
		where: '--redis or NEARGLOT_REDIS',
	};
	await checkRedis(url, name).catch((error: unknown) => {
		if (asAppError(error).code !== 'store_unavailable') throw error;
	});
}

/** @param url `redis://…`; `undefined`: there are no other replicas */
export function createShared(
	url: string | undefined,
	dataDir: string,
	log: Logger,
): Shared | undefined {
	if (url === undefined) return undefined;
	const link = new RedisLink(url, (failure) => {
		if (failure === undefined) log.warn('the Redis that replicas share is back');
		else
			log.warn('the Redis that replicas share is away; work goes on, and this replica is alone', {
				reason: failure,
			});
	});
	return new SharedReplica(link, new SharedOrders(link), dataDir, log);
}

class SharedReplica implements Shared {
	readonly link: RedisLink;
	readonly #orders: SharedOrders;
	readonly #log: Logger;
	readonly #dataDir: string;
	readonly #file: JsonFile<SharedState>;
	#timer: NodeJS.Timeout | undefined;
	#isClosed = false;
	/** What is being brought together. */
	#round: Promise<void> = Promise.resolve();
	#failure: string | undefined;
	#orderLoop: OrderLoop | undefined;

	constructor(link: RedisLink, orders: SharedOrders, dataDir: string, log: Logger) {
		this.link = link;
		this.#orders = orders;
		this.#log = log;
		this.#dataDir = dataDir;
		this.#file = new JsonFile<SharedState>(join(dataDir, 'shared.json'), {
			holds: 'What this replica has agreed on with the others',
			fresh: () => ({ texts: {} }),
			parse: ({ texts, order, hasKeys, pendingOrders }) =>
				isRecord(texts)
					? {
							...{ texts: texts as AgreedTexts, hasKeys: hasKeys === true },
							pendingOrders: readPendingOrders(pendingOrders),
							...(typeof order === 'number' ? { order } : {}),
						}
					: undefined,
		});
	}

	get isThere(): boolean {
		return this.link.isThere;
	}

	order(order: PersonOrder): Promise<void> {
		return this.#orders.add(order);
	}

	start(parts: PersonParts, ending: Pick<Ending, 'prepare'>): void {
		const { promise: hasKeys, resolve: haveKeys } = Promise.withResolvers<void>();
		void parts.people.keys.waitFor(hasKeys);
		void ending.prepare(
			hasKeys,
			'keys: those of the other replicas, and limits of people, have not come yet from the Redis that replicas share',
		);
		const agreed: AgreedTexts = {};
		const save = async () => {
			await this.#file.change((now) => [{ ...now, texts: structuredClone(agreed) }, undefined]);
		};
		const setOf = (name: string, local: ReturnType<typeof keyTexts>) =>
			new SharedTexts({
				...{ name, local, save, link: this.link, log: this.#log },
				agreed: () => {
					agreed[name] ??= {};
					return agreed[name];
				},
			});
		const { systems } = translateFiles(this.#dataDir);
		let isRead = false;
		let isKept = false;
		const keys = setOf('keys', keyTexts(parts.people.keys));
		const syncKeys = async () => {
			if (!(await keys.sync())) return;
			haveKeys();
			if (isKept) return;
			await this.#file.change((now) => [{ ...now, hasKeys: true }, undefined]);
			isKept = true;
		};
		const ownSystems = setOf('systems', systemTexts(systems));
		const begin = async () => {
			const kept = await this.#file.read();
			Object.assign(agreed, structuredClone(kept.texts));
			if (kept.hasKeys) haveKeys();
			isKept = kept.hasKeys === true;
			isRead = true;
		};
		const round = async () => {
			// One that fails holds up none of the others.
			const done = await Promise.allSettled([syncKeys(), ownSystems.sync()]);
			const failed = done.find(({ status }) => status === 'rejected');
			if (failed?.status === 'rejected') throw failed.reason;
		};
		const next = async () => {
			try {
				if (!isRead) await begin();
				if (this.link.isThere) await round();
				this.#failure = undefined;
			} catch (error) {
				// That Redis is away was said already.
				const reason = sentenceOf(error);
				if (this.link.isThere && reason !== this.#failure)
					this.#log.warn('what replicas share cannot be brought together', { reason });
				this.#failure = reason;
			}
			if (!this.#isClosed)
				this.#timer = setTimeout(() => {
					this.#round = next();
				}, everyMs).unref();
		};
		this.#round = next();
		this.#orderLoop = new OrderLoop({
			...{ orders: this.#orders, file: this.#file, log: this.#log, pause },
			isThere: () => this.link.isThere,
			carryOut: (order, isRetry, signal) => carryOut(parts, order, isRetry, signal),
		});
		this.#orderLoop.start();
	}

	async rest(): Promise<void> {
		this.#isClosed = true;
		clearTimeout(this.#timer);
		await Promise.all([this.#round, this.#orderLoop?.rest()]);
	}

	async close(): Promise<void> {
		await this.link.close();
	}
}
