/** Conversations of a person: made, changed, listed and deleted. */

import { AppError } from '../../protocol/index.ts';
import type { ResponseItem } from '../../protocol/routes/responseItems.ts';
import type { AnswerStore, ItemRange, ItemSlice, KeptConversation } from './answerStore.ts';
import { itemOfKept, keptItem, type NamedItem, newItemId } from './keptItems.ts';

export interface ConversationsDeps {
	readonly store: AnswerStore;
	/** Whether anything is kept on this server. */
	readonly keeps: boolean;
	readonly randomId: () => string;
	/** Seconds since 1970. */
	readonly now: () => number;
}

/** A conversation on the wire. */
export interface ConversationObject {
	readonly id: string;
	readonly object: 'conversation';
	readonly created_at: number;
	readonly metadata: Record<string, string>;
}

/** What is kept belongs to one person; `undefined` = nobody who could be told apart. */
type Person = string | undefined;

export class ConversationsService {
	readonly #deps: ConversationsDeps;

	constructor(deps: ConversationsDeps) {
		this.#deps = deps;
	}

	/** @throws AppError `unsupported_parameter` where nothing is kept */
	async create(
		person: Person,
		items: readonly ResponseItem[],
		metadata: Readonly<Record<string, string>>,
	): Promise<ConversationObject> {
		if (person === undefined || !this.#deps.keeps)
			throw new AppError(
				'unsupported_parameter',
				'No conversations are kept on this server, or not for callers who cannot be told apart. Send the whole conversation in the input of a response.',
			);
		const conversation: KeptConversation = {
			id: `conv_${this.#deps.randomId()}`,
			createdAt: this.#deps.now(),
			metadata: JSON.stringify(metadata),
		};
		await this.#deps.store.createConversation(
			person,
			conversation,
			this.#named(items).map(keptItem),
		);
		return onWire(conversation);
	}

	async read(person: Person, id: string): Promise<ConversationObject> {
		return onWire(await this.#deps.store.conversation(this.#owner(person), id));
	}

	async change(
		person: Person,
		id: string,
		metadata: Readonly<Record<string, string>>,
	): Promise<ConversationObject> {
		const text = JSON.stringify(metadata);
		return onWire(await this.#deps.store.changeConversation(this.#owner(person), id, text));
	}

	delete(person: Person, id: string): Promise<void> {
		return this.#deps.store.deleteConversation(this.#owner(person), id);
	}

	/** What was added, in its order. */
	async addItems(
		person: Person,
		id: string,
		items: readonly ResponseItem[],
	): Promise<readonly NamedItem[]> {
		const named = this.#named(items);
		await this.#deps.store.addItems(this.#owner(person), id, named.map(keptItem));
		return named;
	}

	listItems(person: Person, id: string, range: ItemRange): Promise<ItemSlice> {
		return this.#deps.store.listItems(this.#owner(person), id, range);
	}

	async item(person: Person, id: string, item: string): Promise<NamedItem> {
		return itemOfKept(await this.#deps.store.item(this.#owner(person), id, item));
	}

	async deleteItem(person: Person, id: string, item: string): Promise<ConversationObject> {
		return onWire(await this.#deps.store.deleteItem(this.#owner(person), id, item));
	}

	#owner(person: Person): string {
		if (person !== undefined && this.#deps.keeps) return person;
		throw new AppError('not_found', 'No conversations are kept here.');
	}

	#named(items: readonly ResponseItem[]): NamedItem[] {
		return items.map((item, index) => {
			if (item.type === 'item_reference')
				throw new AppError(
					'unsupported_parameter',
					`'items[${index}]' refers to an item elsewhere; send the item itself.`,
					{ param: `items[${index}]` },
				);
			return { ...item, id: newItemId(item, this.#deps.randomId) };
		});
	}
}

const onWire = ({ id, createdAt, metadata }: KeptConversation): ConversationObject => ({
	id,
	object: 'conversation',
	created_at: createdAt,
	metadata: JSON.parse(metadata) as Record<string, string>,
});
