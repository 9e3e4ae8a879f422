/** Responses and conversations in SQLite. Every call is one transaction and belongs into a thread. */

import type { DatabaseSync } from 'node:sqlite';
import { AppError } from '../../protocol/index.ts';
import { sizeOf } from './answerItems.ts';
import { AnswerRows, type EntryKind, itemOf, notThere } from './answerRows.ts';
import type {
	AnswerCounts,
	AnswerLimits,
	EndedAnswer,
	ItemRange,
	ItemSlice,
	KeptConversation,
	KeptItem,
	NewAnswer,
} from './answerStore.ts';

/** Longest chain of responses that continue each other. */
const maxChain = 10_000;

export class AnswerDatabase {
	readonly #rows: AnswerRows;
	readonly #limits: AnswerLimits;
	readonly #now: () => number;

	/** @param now milliseconds since 1970; may be set back */
	constructor(db: DatabaseSync, limits: AnswerLimits, now: () => number) {
		this.#rows = new AnswerRows(db, limits, now);
		this.#limits = limits;
		this.#now = now;
	}

	/** What the end of the process before has left without an end. */
	endUnfinished(reason: { readonly code: string; readonly message: string }): void {
		this.#rows.run(
			`UPDATE entries SET status = 'failed',
				json = json_set(json, '$.status', 'failed', '$.error', json(?))
			WHERE kind = 'response' AND status IN ('queued', 'in_progress')`,
			JSON.stringify(reason),
		);
	}

	begin({ person, id, status, previous, json, input }: NewAnswer): void {
		const bytes = Buffer.byteLength(json) + sizeOf(input);
		if (bytes > this.#limits.entryBytes)
			throw this.#rows.tooLong('A response with its input', 'input');
		this.#rows.change(() => {
			this.#rows.add({ person, id, kind: 'response', status, previous, json, bytes });
			this.#rows.addItems(this.#rows.entry(person, id, 'response').seq, 'input', input);
			this.#rows.keepLimits(person);
		});
	}

	end({ person, id, status, json, output }: EndedAnswer): void {
		this.#rows.change(() => {
			const found = this.#rows.find(person, id, 'response');
			if (found === undefined) return;
			const bytes = found.bytes - Buffer.byteLength(found.json) + Buffer.byteLength(json);
			this.#rows.run(
				'UPDATE entries SET status = ?, json = ?, bytes = ? WHERE seq = ?',
				...[status, json, bytes + sizeOf(output), found.seq],
			);
			this.#rows.addItems(found.seq, 'output', output);
			this.#rows.keepLimits(person);
		});
	}

	answer(person: string, id: string): string {
		return this.#rows.entry(person, id, 'response').json;
	}

	deleteAnswer(person: string, id: string): void {
		this.#delete(person, id, 'response');
	}

	context(person: string, id: string): readonly KeptItem[] {
		return this.#rows.change(() => {
			const { status } = this.#rows.entry(person, id, 'response');
			if (status !== 'completed' && status !== 'incomplete')
				throw new AppError(
					'invalid_request',
					`The response '${id}' is ${status}; one that has ended can be continued.`,
					{ param: 'previous_response_id' },
				);
			const chain = this.#chain(person, id);
			for (const seq of chain) this.#rows.use(seq);
			return this.#rows.itemsOf(chain);
		});
	}

	inputItems(person: string, id: string, range: ItemRange): ItemSlice {
		const { seq } = this.#rows.entry(person, id, 'response');
		const before = this.#chain(person, id, true);
		const where = `entry IN (${before.join(', ')}) AND NOT (entry = ${seq} AND side = 'output')`;
		return this.#rows.slice(where, range);
	}

	itemsById(person: string, ids: readonly string[]): readonly KeptItem[] {
		const find = this.#rows.prepare(
			'SELECT items.id, items.json FROM items JOIN entries ON entries.seq = items.entry WHERE items.id = ? AND entries.person = ? LIMIT 1',
		);
		return ids.map((id) => itemOf(find.get(id, person)) ?? notThere('item', id));
	}

	createConversation(
		person: string,
		{ id, createdAt, metadata }: KeptConversation,
		items: readonly KeptItem[],
	): void {
		this.#rows.change(() => {
			this.#rows.add({
				...{ person, id, kind: 'conversation', status: '', json: metadata },
				...{ created: createdAt, bytes: Buffer.byteLength(metadata) },
			});
			this.#addToConversation(person, id, items);
		});
	}

	conversation(person: string, id: string): KeptConversation {
		const { json, created } = this.#rows.entry(person, id, 'conversation');
		return { id, createdAt: created, metadata: json };
	}

	changeConversation(person: string, id: string, metadata: string): KeptConversation {
		return this.#rows.change(() => {
			const { seq, bytes, json } = this.#rows.entry(person, id, 'conversation');
			this.#rows.run(
				'UPDATE entries SET json = ?, bytes = ? WHERE seq = ?',
				...[metadata, bytes - Buffer.byteLength(json) + Buffer.byteLength(metadata), seq],
			);
			return this.conversation(person, id);
		});
	}

	deleteConversation(person: string, id: string): void {
		this.#delete(person, id, 'conversation');
	}

	addItems(person: string, conversation: string, items: readonly KeptItem[]): void {
		this.#rows.change(() => this.#addToConversation(person, conversation, items));
	}

	conversationItems(person: string, id: string): readonly KeptItem[] {
		return this.#rows.change(() => {
			const { seq } = this.#rows.entry(person, id, 'conversation');
			this.#rows.use(seq);
			return this.#rows.itemsOf([seq]);
		});
	}

	listItems(person: string, id: string, range: ItemRange): ItemSlice {
		return this.#rows.slice(`entry = ${this.#rows.entry(person, id, 'conversation').seq}`, range);
	}

	item(person: string, conversation: string, id: string): KeptItem {
		const { seq } = this.#rows.entry(person, conversation, 'conversation');
		const found = this.#rows.get('SELECT id, json FROM items WHERE entry = ? AND id = ?', seq, id);
		return itemOf(found) ?? notThere('item', id);
	}

	deleteItem(person: string, conversation: string, id: string): KeptConversation {
		const done = this.#rows.change(() => {
			const { seq } = this.#rows.entry(person, conversation, 'conversation');
			const { json } = this.item(person, conversation, id);
			this.#rows.run('DELETE FROM items WHERE entry = ? AND id = ?', seq, id);
			this.#rows.run(
				'UPDATE entries SET bytes = bytes - ? WHERE seq = ?',
				Buffer.byteLength(json),
				seq,
			);
			return this.conversation(person, conversation);
		});
		this.#rows.forget();
		return done;
	}

	deletePerson(person: string, until?: number): number {
		const which = 'entries WHERE person = ? AND created <= ?';
		const values = [
			person,
			until === undefined ? Number.MAX_SAFE_INTEGER : Math.floor(until / 1000),
		];
		const found = this.#rows.get(`SELECT COUNT(*) AS count FROM ${which}`, ...values);
		this.#rows.run(`DELETE FROM ${which}`, ...values);
		this.#rows.forget();
		return Number(found?.['count'] ?? 0);
	}

	counts(): AnswerCounts {
		const found = this.#rows.get(
			`SELECT COUNT(*) FILTER (WHERE kind = 'response') AS responses,
				COUNT(*) FILTER (WHERE kind = 'conversation') AS conversations,
				COUNT(DISTINCT person) AS people, COALESCE(SUM(bytes), 0) AS bytes FROM entries`,
		);
		const count = (name: string) => Number(found?.[name] ?? 0);
		return {
			responses: count('responses'),
			conversations: count('conversations'),
			people: count('people'),
			bytes: count('bytes'),
		};
	}

	/** Removes what has outlived its time. */
	sweep(): void {
		const now = this.#now();
		this.#rows.change(() => {
			// A clock that was set back would let these live on until it has caught up.
			this.#rows.run('UPDATE entries SET since = ? WHERE since > ?', now, now);
			this.#rows.run('DELETE FROM entries WHERE since < ?', now - this.#limits.days * 86_400_000);
		});
	}

	/** The response and those it continues, oldest first, as their numbers. */
	#chain(person: string, id: string, isShort = false): number[] {
		const chain: number[] = [];
		const step = this.#rows.prepare(
			"SELECT seq, previous FROM entries WHERE person = ? AND id = ? AND kind = 'response'",
		);
		for (let at: string | undefined = id; at !== undefined; ) {
			const found: Record<string, unknown> | undefined = step.get(person, at);
			if (found === undefined) {
				if (isShort) break;
				throw new AppError(
					'not_found',
					`The response '${at}', which '${id}' goes back to, is no longer kept: it was deleted, is too old, or others needed its place. Send the whole conversation in input.`,
					{ param: 'previous_response_id' },
				);
			}
			chain.push(Number(found['seq']));
			if (chain.length > maxChain)
				throw this.#rows.tooLong('A chain of responses', 'previous_response_id');
			at = typeof found['previous'] === 'string' ? found['previous'] : undefined;
		}
		return chain.reverse();
	}

	#addToConversation(person: string, id: string, items: readonly KeptItem[]): void {
		const { seq, bytes } = this.#rows.entry(person, id, 'conversation');
		const has = this.#rows.prepare('SELECT 1 FROM items WHERE entry = ? AND id = ?');
		// One that was referred to may be there already.
		const added = items.filter((item) => has.get(seq, item.id) === undefined);
		const after = bytes + sizeOf(added);
		if (after > this.#limits.entryBytes) throw this.#rows.tooLong('A conversation', 'items');
		this.#rows.addItems(seq, 'input', added);
		this.#rows.run('UPDATE entries SET bytes = ? WHERE seq = ?', after, seq);
		this.#rows.use(seq);
		this.#rows.keepLimits(person);
	}

	#delete(person: string, id: string, kind: EntryKind): void {
		this.#rows.entry(person, id, kind);
		this.#rows.run(
			'DELETE FROM entries WHERE person = ? AND id = ? AND kind = ?',
			person,
			id,
			kind,
		);
		this.#rows.forget();
	}
}
