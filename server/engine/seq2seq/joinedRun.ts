/** One user's rows inside a group of rows that are decoded in step. */

import { AppError } from '../../protocol/index.ts';
import type { DecoderOutput, DecoderRun, DecoderStart, EncodedBatch } from './encoderDecoder.ts';
import type { JoinedGroup } from './joinedGroup.ts';
import type { JoinedModel } from './joinedModel.ts';

interface Feed {
	readonly tokens: readonly (readonly number[])[];
	readonly resolve: (output: DecoderOutput) => void;
	readonly reject: (error: unknown) => void;
}

export class JoinedRun implements DecoderRun {
	readonly encoded: EncodedBatch;
	readonly options: DecoderStart;
	readonly isUrgent: boolean;
	readonly #owner: JoinedModel;
	#group: JoinedGroup | undefined;
	#feed: Feed | undefined;
	/** Own rows as they were after the last step, in the order they now have. */
	#rows: number[];
	#items: number[];
	#length = 0;
	#released = false;

	constructor(owner: JoinedModel, encoded: EncodedBatch, options: DecoderStart, urgent: boolean) {
		this.#owner = owner;
		this.encoded = encoded;
		this.options = options;
		this.isUrgent = urgent;
		const perItem = options.rowsPerItem ?? 1;
		this.#rows = Array.from({ length: encoded.items * perItem }, (_, row) => row);
		this.#items = this.#rows.map((row) => Math.floor(row / perItem));
	}

	get rows(): number {
		return this.#rows.length;
	}

	get length(): number {
		return this.#length;
	}

	get itemOfRow(): readonly number[] {
		return this.#items;
	}

	/** Tokens wait to be fed. */
	get isWaiting(): boolean {
		return this.#feed !== undefined;
	}

	get tokens(): readonly (readonly number[])[] {
		return this.#feed?.tokens ?? [];
	}

	/** Own rows of the last step that go on. */
	get parents(): readonly number[] {
		return this.#rows;
	}

	/** True when both can begin in one run of the graph. */
	joins(other: JoinedRun): boolean {
		if (this === other) return true;
		return (
			this.isUrgent === other.isUrgent &&
			this.options.attentions !== true &&
			other.options.attentions !== true &&
			(this.options.rowsPerItem ?? 1) === (other.options.rowsPerItem ?? 1) &&
			this.encoded.positions === other.encoded.positions &&
			this.tokens[0]?.length === other.tokens[0]?.length
		);
	}

	feed(tokens: readonly (readonly number[])[], signal?: AbortSignal): Promise<DecoderOutput> {
		if (signal?.aborted === true) return Promise.reject(new AppError('cancelled'));
		if (this.#released || this.#feed !== undefined || tokens.length !== this.rows) {
			return Promise.reject(
				new AppError('internal', `${tokens.length} rows fed to ${this.rows}, or fed twice.`),
			);
		}
		return new Promise<DecoderOutput>((resolve, reject) => {
			const leave = (): void => {
				this.release();
				reject(new AppError('cancelled'));
			};
			signal?.addEventListener('abort', leave, { once: true });
			const settle = (): void => signal?.removeEventListener('abort', leave);
			this.#feed = {
				tokens,
				resolve: (output) => {
					settle();
					resolve(output);
				},
				reject: (error) => {
					settle();
					reject(error);
				},
			};
			if (this.#group === undefined) this.#owner.begin(this);
			else this.#owner.advance(this.#group);
		});
	}

	select(parents: readonly number[]): void {
		if (parents.some((parent) => !(parent >= 0 && parent < this.rows))) {
			throw new AppError('internal', 'A row was selected that does not exist.');
		}
		this.#rows = parents.map((parent) => this.#rows[parent] as number);
		this.#items = parents.map((parent) => this.#items[parent] as number);
	}

	release(): void {
		if (this.#released) return;
		this.#released = true;
		this.#feed = undefined;
		this.#rows = [];
		this.#group?.leave(this);
		if (this.#group !== undefined) this.#owner.advance(this.#group);
	}

	/** The group's word: from now on the rows are part of it. */
	joined(group: JoinedGroup): void {
		this.#group = group;
	}

	/** The rows lie in the group as they are ordered here. */
	settle(): void {
		this.#rows = this.#rows.map((_, row) => row);
	}

	/** The step is done. */
	answer(output: DecoderOutput): void {
		const feed = this.#feed;
		this.#feed = undefined;
		this.#length += output.tokens;
		feed?.resolve(output);
	}

	/** The step has failed. The caches are unchanged, and the same tokens may be fed again. */
	fail(error: unknown): void {
		const feed = this.#feed;
		this.#feed = undefined;
		feed?.reject(error);
	}
}
