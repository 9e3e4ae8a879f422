/** Entries of responses and conversations in Redis: one hash each, changed in one step where it stands as it was read. */

import { randomUUID } from 'node:crypto';
import { AppError } from '../../protocol/index.ts';
import { type RedisLink, sharedPrefix } from '../shared/redisLink.ts';
import { sizeOf } from './answerItems.ts';
import { dropScript, putScript, useScript } from './answerScripts.ts';
import type { AnswerLimits, KeptItem } from './answerStore.ts';

/** An entry as it was read. */
export interface Entry {
	readonly rev: string;
	readonly kind: string;
	readonly status: string;
	readonly previous: string;
	readonly created: number;
	readonly json: string;
	readonly owner: string;
	/** Of those that it is an answer to, or of the conversation. */
	readonly input: readonly KeptItem[];
	readonly output: readonly KeptItem[];
}

export interface WrittenEntry extends Omit<Entry, 'rev'> {
	readonly person: string;
	readonly id: string;
	/** What was read before; empty: there must be none. */
	readonly rev: string;
}

const prefix = `${sharedPrefix}answers:`;
export const keysOf = (person: string) => {
	const own = `${prefix}${encodeURIComponent(person)}:`;
	return {
		entry: (id: string) => `${own}e:${id}`,
		/** What is told of a response that is made in the background, see `redisEvents.ts`. */
		events: (id: string) => `${own}events:${id}`,
		/** Ids by when they were used last; bytes by id; entry by item. */
		used: `${own}used`,
		bytes: `${own}bytes`,
		items: `${own}items`,
	};
};
/** Everybody's entries by the time since when they live, and the bytes of each. */
const allKey = `${prefix}all`;
const allBytesKey = `${prefix}bytes`;

const dayMs = 86_400_000;
const sweepMs = 60_000;

/** Whoever makes a response or holds a conversation says every second that it lives; after so long it is given up. */
export const lostMs = 15_000;

/** Milliseconds of silence after which a response is given up: while Redis was away, nobody could say that it lives. */
export const lostTimeoutOf = ({ backForMs }: RedisLink): string =>
	String(backForMs < lostMs ? Number.MAX_SAFE_INTEGER : lostMs);

export const busy = (): AppError =>
	new AppError('conflict', 'Others change it at the same time. Try again.');

export class RedisEntries {
	readonly #link: RedisLink;
	readonly #limits: AnswerLimits;
	#sweptMs = performance.now();

	constructor(link: RedisLink, limits: AnswerLimits) {
		this.#link = link;
		this.#limits = limits;
	}

	async read(person: string, id: string): Promise<Entry | undefined> {
		const key = keysOf(person).entry(id);
		const found = await this.#link.run((client) => client.hGetAll(key));
		const { rev, kind = '', status = '', previous = '', json = '', owner = '' } = found;
		if (rev === undefined) return undefined;
		const items = (text = '[]') => JSON.parse(text) as KeptItem[];
		const { created, input, output } = found;
		return {
			...{ rev, kind, status, previous, json, owner, created: Number(created) },
			...{ input: items(input), output: items(output) },
		};
	}

	/** Whether it was begun at a time or before, in milliseconds since 1970. */
	async isFrom(person: string, id: string, until: number): Promise<boolean> {
		if (until === Number.POSITIVE_INFINITY) return true;
		const key = keysOf(person).entry(id);
		const created = await this.#link.run((client) => client.hGet(key, 'created'));
		return Number(created ?? 0) <= Math.floor(until / 1000);
	}

	/** @throws AppError `conflict` when it does not stand as it was read */
	async put(entry: WrittenEntry): Promise<void> {
		if (!(await this.tryPut(entry))) throw busy();
	}

	/** False when it does not stand as it was read. */
	async tryPut(entry: WrittenEntry): Promise<boolean> {
		const { person, id, rev, kind, status, previous, created, json, owner, input, output } = entry;
		const { personBytes, personEntries, allBytes, days } = this.#limits;
		const all = [...input, ...output];
		const { used, bytes, items, entry: keyOf } = keysOf(person);
		const fields = { rev: randomUUID(), kind, status, previous, json, owner };
		const texts = { created: String(created), input: JSON.stringify(input) };
		const ids = JSON.stringify(all.map((item) => item.id));
		const hash = { ...fields, ...texts, output: JSON.stringify(output), ids };
		const done = await this.#link.run((client) =>
			client.eval(putScript, {
				keys: [keyOf(id), used, bytes, items, allKey, allBytesKey],
				arguments: [
					...[rev, id, person, String(Buffer.byteLength(json) + sizeOf(all))],
					...[String(days * dayMs), String(personEntries), String(personBytes), String(allBytes)],
					...[prefix, ids, ...Object.entries(hash).flat()],
				],
			}),
		);
		return done === 1;
	}

	/** They live longer, and go later. */
	async use(person: string, ids: readonly string[]): Promise<void> {
		const { used, entry } = keysOf(person);
		await this.#link.run((client) =>
			client.eval(useScript, {
				keys: [used, allKey],
				arguments: [String(this.#limits.days * dayMs), person, entry(''), ...ids],
			}),
		);
	}

	/** Takes one away; false when there is none, or one of another kind. */
	async drop(person: string, id: string, kind = ''): Promise<boolean> {
		const { used, bytes, items, entry, events } = keysOf(person);
		const done = await this.#link.run((client) =>
			client.eval(dropScript, {
				keys: [entry(id), used, bytes, items, allKey, allBytesKey],
				arguments: [id, person, kind],
			}),
		);
		if (done === 1) await this.#link.run((client) => client.del(events(id)));
		return done === 1;
	}

	/** Everybody's. */
	async all() {
		const found = await this.#link.run((client) => client.hGetAll(allBytesKey));
		// Under no name stands the sum.
		const entries = Object.entries(found).filter(([name]) => name !== '');
		return entries.map(([name, bytes]) => {
			const [person, id] = JSON.parse(name) as [string, string];
			return { person, id, bytes: Number(bytes) };
		});
	}

	/** Removes now and then what has outlived its time, by the clock of Redis. */
	async sweep(): Promise<void> {
		if (performance.now() - this.#sweptMs < sweepMs) return;
		this.#sweptMs = performance.now();
		const [seconds = ''] = await this.#link.run((client) => client.sendCommand<string[]>(['TIME']));
		const before = Number(seconds) * 1000 - this.#limits.days * dayMs;
		const old = await this.#link.run((client) => client.zRangeByScore(allKey, 0, before));
		for (const name of old) {
			const [person, id] = JSON.parse(name) as [string, string];
			await this.drop(person, id);
		}
	}
}
