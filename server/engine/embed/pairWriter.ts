/** Puts a query and a document together, as the tokenizer's files say, within what the model reads. */

import { AppError } from '../../protocol/index.ts';
import type { PairPiece } from '../api.ts';

/** Tokens of two texts, and to which of them each belongs. */
export interface TokenPair {
	readonly ids: readonly number[];
	readonly types: readonly number[];
}

export class PairWriter {
	readonly #template: readonly PairPiece[];
	readonly #query: readonly number[];
	readonly #room: number;
	readonly #truncate: boolean;
	readonly #truncated: number[] = [];

	/**
	 * @param contextLength tokens of a pair; 0 = nobody says how many
	 * @param truncate whether a document that is too long is cut
	 * @throws AppError `context_length_exceeded` for a query that leaves no room
	 */
	constructor(
		template: readonly PairPiece[],
		query: readonly number[],
		contextLength: number,
		truncate: boolean,
	) {
		if (template.length === 0)
			throw new AppError('unsupported_model', 'The tokenizer does not say how it reads two texts.');
		this.#template = template;
		this.#query = query;
		this.#truncate = truncate;
		const special = template.reduce(
			(sum, piece) => sum + ('ids' in piece ? piece.ids.length : 0),
			0,
		);
		const limit = contextLength > 0 ? contextLength : Number.POSITIVE_INFINITY;
		this.#room = limit - special - query.length;
		if (this.#room < 1)
			throw new AppError(
				'context_length_exceeded',
				`The query has ${query.length} tokens; this model reads at most ${contextLength} with a document. Shorten it.`,
				{ param: 'query', data: { tokens: query.length, limit: contextLength } },
			);
	}

	/** Places of the documents that were cut so far. */
	get truncated(): readonly number[] {
		return this.#truncated;
	}

	/** @throws AppError `context_length_exceeded` */
	write(document: readonly number[], index: number): TokenPair {
		if (document.length > this.#room) {
			if (!this.#truncate)
				throw new AppError(
					'context_length_exceeded',
					`documents[${index}] has ${document.length} tokens; beside the query this model reads ${this.#room}. Shorten it, or leave 'truncate' out.`,
					{ param: 'documents', data: { tokens: document.length, limit: this.#room } },
				);
			this.#truncated.push(index);
		}
		const texts = [this.#query, document.slice(0, this.#room)];
		const ids: number[] = [];
		const types: number[] = [];
		for (const piece of this.#template)
			for (const id of 'ids' in piece ? piece.ids : (texts[piece.text] ?? [])) {
				ids.push(id);
				types.push(piece.type);
			}
		return { ids, types };
	}
}
