/**
 * Responses and conversations of all replicas together, in Redis or Valkey. An entry is one hash and is changed in one
 * step, only where it still stands as it was read. Whoever makes a response says every second that it lives; one whose
 * replica has gone without a word is read as failed.
 */

import { randomUUID } from 'node:crypto';
import { AppError } from '../../protocol/index.ts';
import type { RedisLink } from '../shared/redisLink.ts';
import { itemsIn, sizeOf, sliceOf } from './answerItems.ts';
import { notThere, tooLong } from './answerRows.ts';
import { aliveScript, readScript, renewScript, stopScript, unlockScript } from './answerScripts.ts';
import type {
	AnswerCounts,
	AnswerLimits,
	AnswerStatus,
	AnswerStore,
	EndedAnswer,
	KeptConversation,
	KeptItem,
} from './answerStore.ts';
import type { OtherReplicas } from './openConversations.ts';
import { busy, type Entry, keysOf, lostMs, lostTimeoutOf, RedisEntries } from './redisEntries.ts';
import { RedisEvents, type SharedEvents } from './redisEvents.ts';

/** What of an answer lies elsewhere: whose it is, and which. */
interface Running {
	readonly person: string;
	readonly id: string;
}

const everyMs = 1000;
/** How long the end of a background response is tried to be written while Redis is away. */
const retryMs = 600_000;
const maxRetries = 200;
/** How long is waited for another replica to end a response. */
const stopMs = 30_000;
const maxChain = 10_000;
const maxTries = 20;

const interrupted = {
	code: 'server_error',
	message: 'The model server ended before this response was complete. Ask again.',
};

const isOpen = (status: string): boolean => status === 'queued' || status === 'in_progress';

export class RedisAnswers implements AnswerStore, OtherReplicas {
	readonly events: SharedEvents;
	readonly #link: RedisLink;
	readonly #entries: RedisEntries;
	readonly #limits: AnswerLimits;
	/** Of this process. */
	readonly #owner = randomUUID();
	readonly #running = new Map<string, Running>();
	/** Conversations that a response is being added to here, and the token of each. */
	readonly #held = new Map<string, string>();
	readonly #late: { readonly answer: EndedAnswer; readonly untilMs: number }[] = [];
	#onStop: (person: string, id: string) => void = () => {};
	#timer: NodeJS.Timeout | undefined;

	constructor(link: RedisLink, limits: AnswerLimits) {
		this.#link = link;
		this.#entries = new RedisEntries(link, limits);
		this.#limits = limits;
		this.events = new RedisEvents(link, async (person, id) =>
			isOpen((await this.#response(person, id)).status),
		);
	}

	/** Told of a response of this replica that another one wants to end, or that was deleted. */
	onStop(listener: (person: string, id: string) => void): void {
		this.#onStop = listener;
	}

	async begin(answer: Parameters<AnswerStore['begin']>[0]): Promise<void> {
		const { person, id, status, previous = '', json, input } = answer;
		if (Buffer.byteLength(json) + sizeOf(input) > this.#limits.entryBytes)
			throw this.#tooLong('A response with its input', 'input');
		const created = Math.floor(Date.now() / 1000);
		const owner = this.#owner;
		const entry = { person, id, status, previous, json, input, created, owner };
		await this.#entries.put({ ...entry, rev: '', kind: 'response', output: [] });
		this.#running.set(`${person} ${id}`, { person, id });
		this.#schedule();
	}

	async end(answer: EndedAnswer): Promise<void> {
		const { person, id, status } = answer;
		if (!isOpen(status)) this.#running.delete(`${person} ${id}`);
		try {
			await this.#end(answer);
		} catch (error) {
			const { background } = JSON.parse(answer.json) as { readonly background?: unknown };
			// Nobody waits for its answer who could be told that it is not kept.
			if (background === true && !isOpen(status) && this.#late.length < maxRetries) {
				this.#late.push({ answer, untilMs: performance.now() + retryMs });
				this.#schedule();
			}
			throw error;
		}
	}

	async answer(person: string, id: string): Promise<string> {
		return (await this.#response(person, id)).json;
	}

	async deleteAnswer(person: string, id: string): Promise<void> {
		if (!(await this.#entries.drop(person, id, 'response'))) notThere('response', id);
	}

	async context(person: string, id: string): Promise<readonly KeptItem[]> {
		const { status } = await this.#response(person, id);
		if (status !== 'completed' && status !== 'incomplete')
			throw new AppError(
				'invalid_request',
				`The response '${id}' is ${status}; one that has ended can be continued.`,
				{ param: 'previous_response_id' },
			);
		const chain = await this.#chain(person, id);
		const items = itemsIn(chain.map(({ entry }) => entry));
		if (sizeOf(items) > this.#limits.entryBytes)
			throw this.#tooLong('A conversation', 'previous_response_id');
		await this.#entries.use(
			person,
			chain.map(({ id: each }) => each),
		);
		return items;
	}

	async inputItems(...[person, id, range]: Parameters<AnswerStore['inputItems']>) {
		await this.#response(person, id);
		const chain = await this.#chain(person, id, true);
		const before = chain.map(({ entry, id: each }) =>
			each === id ? { ...entry, output: [] } : entry,
		);
		return sliceOf(itemsIn(before), range);
	}

	async itemsById(person: string, ids: readonly string[]): Promise<readonly KeptItem[]> {
		const { items } = keysOf(person);
		const owners =
			ids.length === 0 ? [] : await this.#link.run((client) => client.hmGet(items, [...ids]));
		const entries = new Map<string, Entry | undefined>();
		const found: KeptItem[] = [];
		for (const [at, id] of ids.entries()) {
			const owner = owners[at];
			if (typeof owner !== 'string') return notThere('item', id);
			if (!entries.has(owner)) entries.set(owner, await this.#entries.read(person, owner));
			const entry = entries.get(owner);
			const all = entry === undefined ? [] : itemsIn([entry]);
			found.push(all.find((item) => item.id === id) ?? notThere('item', id));
		}
		return found;
	}

	async createConversation(
		person: string,
		{ id, createdAt, metadata }: KeptConversation,
		items: readonly KeptItem[],
	): Promise<void> {
		if (Buffer.byteLength(metadata) + sizeOf(items) > this.#limits.entryBytes)
			throw this.#tooLong('A conversation', 'items');
		await this.#entries.put({
			...{ person, id, rev: '', kind: 'conversation', status: '', previous: '', owner: '' },
			...{ created: createdAt, json: metadata, input: items, output: [] },
		});
	}

	async conversation(person: string, id: string): Promise<KeptConversation> {
		return onceRead(id, await this.#conversation(person, id));
	}

	changeConversation(person: string, id: string, metadata: string): Promise<KeptConversation> {
		return this.#change(person, id, (entry) => ({ ...entry, json: metadata }));
	}

	async deleteConversation(person: string, id: string): Promise<void> {
		if (!(await this.#entries.drop(person, id, 'conversation'))) notThere('conversation', id);
	}

	async addItems(person: string, conversation: string, items: readonly KeptItem[]): Promise<void> {
		await this.#change(person, conversation, (entry) => {
			const known = new Set(entry.input.map(({ id }) => id));
			const input = [...entry.input, ...items.filter(({ id }) => !known.has(id))];
			if (Buffer.byteLength(entry.json) + sizeOf(input) > this.#limits.entryBytes)
				throw this.#tooLong('A conversation', 'items');
			return { ...entry, input };
		});
	}

	async conversationItems(person: string, id: string): Promise<readonly KeptItem[]> {
		const { input } = await this.#conversation(person, id);
		await this.#entries.use(person, [id]);
		return input;
	}

	async listItems(...[person, id, range]: Parameters<AnswerStore['listItems']>) {
		return sliceOf((await this.#conversation(person, id)).input, range);
	}

	async item(person: string, conversation: string, id: string): Promise<KeptItem> {
		const { input } = await this.#conversation(person, conversation);
		return input.find((item) => item.id === id) ?? notThere('item', id);
	}

	deleteItem(person: string, conversation: string, id: string): Promise<KeptConversation> {
		return this.#change(person, conversation, (entry) => {
			if (!entry.input.some((item) => item.id === id)) notThere('item', id);
			return { ...entry, input: entry.input.filter((item) => item.id !== id) };
		});
	}

	async counts(): Promise<AnswerCounts> {
		const all = await this.#entries.all();
		const kinds = all.map(({ id }) => (id.startsWith('conv_') ? 'conversation' : 'response'));
		return {
			responses: kinds.filter((kind) => kind === 'response').length,
			conversations: kinds.filter((kind) => kind === 'conversation').length,
			people: new Set(all.map(({ person }) => person)).size,
			bytes: all.reduce((sum, { bytes }) => sum + bytes, 0),
		};
	}

	async deletePerson(person: string, until = Number.POSITIVE_INFINITY): Promise<number> {
		const { used } = keysOf(person);
		const ids = await this.#link.run((client) => client.zRange(used, 0, -1));
		let count = 0;
		for (const id of ids)
			if ((await this.#entries.isFrom(person, id, until)) && (await this.#entries.drop(person, id)))
				count++;
		return count;
	}

	async deleteAll(): Promise<number> {
		let count = 0;
		for (const { person, id } of await this.#entries.all())
			if (await this.#entries.drop(person, id)) count++;
		return count;
	}

	/** Has a response that another replica makes ended there, and waits until it is. */
	async stop(person: string, id: string): Promise<void> {
		const key = keysOf(person).entry(id);
		for (const endMs = performance.now() + stopMs; performance.now() < endMs; ) {
			const wasOpen = await this.#link.run((client) =>
				client.eval(stopScript, { keys: [key], arguments: [lostTimeoutOf(this.#link)] }),
			);
			if (wasOpen === 0) return;
			// The replica that made it is gone: nobody else will end it.
			if (wasOpen === 2) return this.#settle(person, id, 'cancelled', undefined);
			await new Promise((resolve) => setTimeout(resolve, 100));
		}
		throw new AppError('timeout', 'The response is still being ended by another replica.');
	}

	async hold(person: string, conversation: string): Promise<(() => void) | undefined> {
		const key = `${keysOf(person).entry(conversation)}:held`;
		const token = randomUUID();
		const expiration = { type: 'PX', value: lostMs } as const;
		const isTaken = await this.#link.run((client) =>
			client.set(key, token, { condition: 'NX', expiration }),
		);
		if (isTaken !== 'OK') return undefined;
		this.#held.set(key, token);
		this.#schedule();
		return () => {
			this.#held.delete(key);
			const call = { keys: [key], arguments: [token] };
			// What is not given back ends by itself.
			void this.#link.run((client) => client.eval(unlockScript, call)).catch(() => {});
		};
	}

	async close(): Promise<void> {
		clearTimeout(this.#timer);
		this.#timer = undefined;
	}

	async #response(person: string, id: string): Promise<Entry> {
		const entry = await this.#entries.read(person, id);
		if (entry?.kind !== 'response') return notThere('response', id);
		if (!isOpen(entry.status)) return entry;
		const key = keysOf(person).entry(id);
		const isAlive = await this.#link.run((client) =>
			client.eval(readScript, { keys: [key], arguments: [lostTimeoutOf(this.#link)] }),
		);
		if (isAlive === 1) return entry;
		await this.#settle(person, id, 'failed', interrupted);
		return (await this.#entries.read(person, id)) ?? notThere('response', id);
	}

	/** Writes the end of a response whose replica has gone. */
	async #settle(
		person: string,
		id: string,
		status: AnswerStatus,
		error: object | undefined,
	): Promise<void> {
		for (let tries = 0; tries < maxTries; tries++) {
			const entry = await this.#entries.read(person, id);
			if (entry === undefined || !isOpen(entry.status)) return;
			const json = JSON.stringify({ ...JSON.parse(entry.json), status, ...(error && { error }) });
			// Whoever comes back after all may still write what it has, unless it was to be cancelled.
			const owner = status === 'failed' ? entry.owner : '';
			if (await this.#entries.tryPut({ ...entry, person, id, status, json, owner })) return;
		}
		throw busy();
	}

	async #end({ person, id, status, json, output }: EndedAnswer): Promise<void> {
		for (let tries = 0; tries < maxTries; tries++) {
			const entry = await this.#entries.read(person, id);
			if (entry === undefined || entry.owner !== this.#owner) return;
			const owner = isOpen(status) ? this.#owner : '';
			if (await this.#entries.tryPut({ ...entry, person, id, status, json, output, owner })) return;
		}
		throw busy();
	}

	async #conversation(person: string, id: string): Promise<Entry> {
		const entry = await this.#entries.read(person, id);
		return entry?.kind === 'conversation' ? entry : notThere('conversation', id);
	}

	async #change(
		person: string,
		id: string,
		change: (entry: Entry) => Entry,
	): Promise<KeptConversation> {
		for (let tries = 0; tries < maxTries; tries++) {
			const next = change(await this.#conversation(person, id));
			if (await this.#entries.tryPut({ ...next, person, id })) return onceRead(id, next);
		}
		throw busy();
	}

	/** The response and those it continues, oldest first. */
	async #chain(person: string, id: string, isShort = false) {
		const chain: { readonly id: string; readonly entry: Entry }[] = [];
		for (let at = id; at !== ''; ) {
			const entry = await this.#entries.read(person, at);
			if (entry === undefined) {
				if (isShort) break;
				throw new AppError(
					'not_found',
					`The response '${at}', which '${id}' goes back to, is no longer kept: it was deleted, is too old, or others needed its place. Send the whole conversation in input.`,
					{ param: 'previous_response_id' },
				);
			}
			chain.push({ id: at, entry });
			if (chain.length > maxChain)
				throw this.#tooLong('A chain of responses', 'previous_response_id');
			at = entry.previous;
		}
		return chain.reverse();
	}

	#schedule(): void {
		this.#timer ??= setTimeout(() => {
			void this.#round()
				.catch(() => {})
				.finally(() => {
					this.#timer = undefined;
					if (this.#running.size + this.#late.length + this.#held.size > 0) this.#schedule();
				});
		}, everyMs).unref();
	}

	async #round(): Promise<void> {
		if (!this.#link.isThere) return;
		for (const [key, token] of this.#held)
			await this.#link.run((client) =>
				client.eval(renewScript, { keys: [key], arguments: [token, String(lostMs)] }),
			);
		for (const [name, { person, id }] of [...this.#running]) {
			const key = keysOf(person).entry(id);
			const asked = await this.#link.run((client) =>
				client.eval(aliveScript, { keys: [key], arguments: [this.#owner] }),
			);
			if (asked === 1) continue;
			this.#running.delete(name);
			this.#onStop(person, id);
		}
		for (const late of [...this.#late]) {
			if (late.untilMs > performance.now()) await this.#end(late.answer);
			this.#late.splice(this.#late.indexOf(late), 1);
		}
		await this.#entries.sweep();
	}

	#tooLong(what: string, param: string): AppError {
		return tooLong(this.#limits, what, param);
	}
}

const onceRead = (id: string, { created, json }: Entry): KeptConversation => ({
	...{ id, createdAt: created, metadata: json },
});
