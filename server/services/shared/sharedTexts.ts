/**
 * Named texts that replicas keep alike: what one changes, the others take over within seconds. Each replica has all of
 * it on its own disk and works without Redis; it remembers what was agreed last, so that it can tell whose change is the
 * newer one. What was lost in Redis is put back by whoever has it.
 */

import { createHash, randomUUID } from 'node:crypto';
import { AppError } from '../../protocol/index.ts';
import type { Logger } from '../logger.ts';
import { type RedisClient, type RedisLink, sharedPrefix } from './redisLink.ts';

/** The texts of this replica. */
export interface LocalTexts {
	/** Changes when one of the texts may have changed. */
	stamp(): Promise<unknown>;
	/** All of them, by id; `undefined` for one that cannot be read. Of a place that is missing nothing at all is known. */
	read(): Promise<ReadonlyMap<string, string | undefined> | undefined>;
	/** Takes over a text, or that there is none any more. */
	write(id: string, text: string | undefined): Promise<void>;
	/** Hears of a text that was taken away before anything of it came here. */
	learnGone?(id: string): void;
	/** Ids that were taken away here for good: whatever another replica has of them goes. */
	removed(): ReadonlySet<string>;
}

/** What replicas have agreed on last: for each set the digests by id. */
export type AgreedTexts = Record<string, Record<string, string>>;

export interface SharedTextsDeps {
	readonly name: string;
	readonly link: RedisLink;
	readonly local: LocalTexts;
	/** Digests of this set; changed in place. */
	readonly agreed: () => Record<string, string>;
	/** Has on the disk what was agreed. */
	readonly save: () => Promise<void>;
	readonly log: Logger;
}

/** A text that is larger stays on its replica, in UTF-8 bytes. */
const maxBytes = 16 * 1_048_576;
/** What nobody has touched for so long is forgotten in Redis, and put back by a replica that has it. */
const keptS = 90 * 86_400;
/** For a large text on a slow network; nobody waits for it. */
const transferMs = 10_000;
/** What stands for a text that was taken away. */
const gone = 'gone';

/** Writes a text where what was seen before still stands, and a mark by which others see that there is a change. */
const putScript = `
	local seen = redis.call('HGET', KEYS[2], ARGV[1])
	if (seen or '') ~= ARGV[2] then return 0 end
	redis.call('HSET', KEYS[2], ARGV[1], ARGV[3])
	if ARGV[3] == '${gone}' then redis.call('HDEL', KEYS[1], ARGV[1])
	else redis.call('HSET', KEYS[1], ARGV[1], ARGV[4]) end
	redis.call('SET', KEYS[3], ARGV[6])
	for i = 1, 3 do redis.call('EXPIRE', KEYS[i], ARGV[5]) end
	return 1`;

const digestOf = (text: string): string =>
	createHash('sha256').update(text).digest('base64url').slice(0, 27);

export class SharedTexts {
	readonly #deps: SharedTextsDeps;
	readonly #keys: readonly [string, string, string];
	#seen: { readonly version: string; readonly stamp: unknown } | undefined;
	readonly #warned = new Set<string>();
	#isWhole = true;

	constructor(deps: SharedTextsDeps) {
		this.#deps = deps;
		const name = sharedPrefix + deps.name;
		this.#keys = [name, `${name}:digests`, `${name}:version`];
	}

	/**
	 * Takes over what others have changed and hands on what was changed here.
	 * @returns whether all that others have is here, apart from what can never be read
	 * @throws AppError `store_unavailable`
	 */
	async sync(): Promise<boolean> {
		const { link, local } = this.#deps;
		const [, digests, count] = this.#keys;
		const stamp = await local.stamp();
		const version = await link.run(async (client) => (await client.get(count)) ?? '');
		if (version !== '' && version === this.#seen?.version && stamp === this.#seen.stamp)
			return true;
		const remote = new Map(
			Object.entries(await link.run((client) => client.hGetAll(digests), transferMs)),
		);
		const known = await local.read();
		const texts = known ?? new Map<string, undefined>();
		const removed = local.removed();
		const agreed = this.#deps.agreed();
		let isChanged = false;
		let isSettled = true;
		this.#isWhole = true;
		const agree = (id: string, digest: string) => {
			isChanged ||= agreed[id] !== digest;
			agreed[id] = digest;
		};
		for (const id of new Set([...texts.keys(), ...removed, ...remote.keys()])) {
			const text = removed.has(id) ? undefined : texts.get(id);
			if (text === undefined && texts.has(id) && !removed.has(id)) continue;
			const here = text === undefined ? gone : digestOf(text);
			const there = remote.get(id);
			const before = known === undefined ? undefined : agreed[id];
			if (here === there) {
				if (here === gone && agreed[id] !== gone && !removed.has(id)) local.learnGone?.(id);
				agree(id, here);
			} else if (this.#isOurs({ here, there, before, isRemoved: removed.has(id) })) {
				if (text !== undefined && Buffer.byteLength(text) > maxBytes) this.#tooLarge(id);
				else if (here === gone && there === undefined && before === undefined) agree(id, gone);
				else if (await link.run((client) => this.#put(client, id, there, here, text), transferMs))
					agree(id, here);
				else isSettled = false;
			} else if (await this.#takeOver(id, there ?? gone)) agree(id, there ?? gone);
			else isSettled = false;
		}
		if (isChanged) await this.#deps.save();
		// What was written here just now changes the stamp; the next round finds nothing to do.
		this.#seen = isSettled ? { version, stamp } : undefined;
		return this.#isWhole;
	}

	/** Whether what stands here is to stand everywhere. */
	#isOurs({
		here,
		there,
		before,
		isRemoved,
	}: {
		readonly here: string;
		readonly there: string | undefined;
		readonly before: string | undefined;
		readonly isRemoved: boolean;
	}): boolean {
		// Redis has lost it, or never had it.
		if (there === undefined) return true;
		if (isRemoved) return true;
		// What is there already counts where replicas meet for the first time.
		if (before === undefined) return here !== gone && there === gone;
		return there === before;
	}

	async #put(
		client: RedisClient,
		id: string,
		there: string | undefined,
		here: string,
		text: string | undefined,
	): Promise<boolean> {
		const done = await client.eval(putScript, {
			keys: [...this.#keys],
			arguments: [id, there ?? '', here, text ?? '', String(keptS), randomUUID()],
		});
		return done === 1;
	}

	async #takeOver(id: string, there: string): Promise<boolean> {
		const { link, local, log, name } = this.#deps;
		const [values] = this.#keys;
		const text =
			there === gone
				? undefined
				: await link.run(
						async (client) => (await client.hGet(values, id)) ?? undefined,
						transferMs,
					);
		// Another replica has changed it meanwhile: the next round sees that.
		if (there !== gone && (text === undefined || digestOf(text) !== there)) {
			this.#isWhole = false;
			return false;
		}
		try {
			await local.write(id, text);
			return true;
		} catch (error) {
			if (!this.#warned.has(id))
				log.warn('what another replica has changed cannot be taken over', {
					...{ set: name, id },
					reason: error instanceof Error ? error.message : String(error),
				});
			this.#warned.add(id);
			this.#isWhole &&= error instanceof AppError && error.code === 'invalid_request';
			return false;
		}
	}

	#tooLarge(id: string): void {
		if (this.#warned.has(id)) return;
		this.#warned.add(id);
		this.#deps.log.warn('too large to be shared with other replicas: it stays on this one', {
			...{ set: this.#deps.name, id },
			mib: maxBytes / 1_048_576,
		});
	}
}
