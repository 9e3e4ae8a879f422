/** What a store of responses and conversations does, wherever it does it. Everything in it belongs to one person. */

/** An item as it is kept: its id, and all of it as JSON. */
export interface KeptItem {
	readonly id: string;
	readonly json: string;
}

/** How a response stands. */
export type AnswerStatus =
	| 'queued'
	| 'in_progress'
	| 'completed'
	| 'incomplete'
	| 'failed'
	| 'cancelled';

export interface NewAnswer {
	readonly person: string;
	readonly id: string;
	readonly status: AnswerStatus;
	/** The response that it continues. */
	readonly previous?: string;
	/** The response as JSON, as it is at its beginning. */
	readonly json: string;
	readonly input: readonly KeptItem[];
}

export interface EndedAnswer {
	readonly person: string;
	readonly id: string;
	readonly status: AnswerStatus;
	readonly json: string;
	readonly output: readonly KeptItem[];
}

/** Where a page of items begins, how long it is, and from which end. */
export interface ItemRange {
	readonly limit: number;
	readonly order: 'asc' | 'desc';
	readonly after?: string;
}

export interface ItemSlice {
	readonly items: readonly KeptItem[];
	readonly hasMore: boolean;
}

export interface KeptConversation {
	readonly id: string;
	/** Seconds since 1970. */
	readonly createdAt: number;
	/** As JSON. */
	readonly metadata: string;
}

export interface AnswerCounts {
	readonly responses: number;
	readonly conversations: number;
	readonly people: number;
	readonly bytes: number;
}

/**
 * The calls of a store. All reject with `store_unavailable` or `disk_full` when its file cannot be used, with
 * `overloaded` when too many wait for it, and with `not_found` for what is not kept for that person.
 */
export interface AnswerStore {
	/** Keeps a response that begins. */
	begin(answer: NewAnswer): Promise<void>;
	/** Writes how it ended; does nothing when it was deleted meanwhile. */
	end(answer: EndedAnswer): Promise<void>;
	/** A response as JSON. */
	answer(person: string, id: string): Promise<string>;
	deleteAnswer(person: string, id: string): Promise<void>;
	/** Inputs and outputs of a response and of those it continues, oldest first, and marks them as used. */
	context(person: string, id: string): Promise<readonly KeptItem[]>;
	/** What a response was an answer to, the context before it included. */
	inputItems(person: string, id: string, range: ItemRange): Promise<ItemSlice>;
	/** Items by their ids, in that order. */
	itemsById(person: string, ids: readonly string[]): Promise<readonly KeptItem[]>;
	createConversation(
		person: string,
		conversation: KeptConversation,
		items: readonly KeptItem[],
	): Promise<void>;
	conversation(person: string, id: string): Promise<KeptConversation>;
	changeConversation(person: string, id: string, metadata: string): Promise<KeptConversation>;
	deleteConversation(person: string, id: string): Promise<void>;
	addItems(person: string, conversation: string, items: readonly KeptItem[]): Promise<void>;
	/** Every item of a conversation, oldest first, and marks it as used. */
	conversationItems(person: string, id: string): Promise<readonly KeptItem[]>;
	listItems(person: string, id: string, range: ItemRange): Promise<ItemSlice>;
	item(person: string, conversation: string, id: string): Promise<KeptItem>;
	deleteItem(person: string, conversation: string, id: string): Promise<KeptConversation>;
	counts(): Promise<AnswerCounts>;
	/**
	 * Deletes everything of one person. Resolves to the number of responses and conversations.
	 * @param until what was begun later stays; milliseconds since 1970
	 */
	deletePerson(person: string, until?: number): Promise<number>;
	/** Deletes everything of everybody, a file that cannot be read as well. Resolves to the number of what was kept. */
	deleteAll(): Promise<number>;
}

/** Names of the calls. */
export type AnswerCall = keyof AnswerStore;

export interface AnswerLimits {
	/** Nothing is kept for longer after it was used last. */
	readonly days: number;
	/** Bytes that are kept for one person; what was used longest ago goes first. */
	readonly personBytes: number;
	/** Responses and conversations of one person. */
	readonly personEntries: number;
	/** Bytes that are kept for all. */
	readonly allBytes: number;
	/** Bytes of one response with its input, of one conversation, and of a context that is read. */
	readonly entryBytes: number;
}
