/** One user's sequences inside a batch that is decoded in lockstep. */

import { AppError } from '../../protocol/index.ts';
import type { DecoderOutput, DecoderRun, DecoderStart, EncodedBatch } from './encoderDecoder.ts';

interface Feed {
	readonly tokens: readonly (readonly number[])[];
	readonly resolve: (output: DecoderOutput) => void;
	readonly reject: (error: unknown) => void;
}

/** Who lets the first tokens wait until others can begin with them. */
export interface MemberOwner {
	readonly begin: (member: BatchMember) => void;
}

/** The batch that a member is part of once it has begun. */
export interface MemberBatch {
	/** The member has fed its next tokens. */
	readonly advance: () => void;
	readonly leave: (member: BatchMember) => void;
}

export class BatchMember implements DecoderRun {
	readonly encoded: EncodedBatch;
	readonly options: DecoderStart;
	readonly isUrgent: boolean;
	readonly #owner: MemberOwner;
	#batch: MemberBatch | undefined;
	#feed: Feed | undefined;
	/** Own sequences as indices of the last step, in their present order. */
	#sequences: number[];
	#items: number[];
	#length = 0;
	#released = false;

	constructor(owner: MemberOwner, encoded: EncodedBatch, options: DecoderStart, urgent: boolean) {
		this.#owner = owner;
		this.encoded = encoded;
		this.options = options;
		this.isUrgent = urgent;
		const perItem = options.sequencesPerItem ?? 1;
		this.#sequences = Array.from({ length: encoded.items * perItem }, (_, index) => index);
		this.#items = this.#sequences.map((index) => Math.floor(index / perItem));
	}

	get batchSize(): number {
		return this.#sequences.length;
	}

	get length(): number {
		return this.#length;
	}

	get itemOfSequence(): readonly number[] {
		return this.#items;
	}

	/** Tokens wait to be fed. */
	get isWaiting(): boolean {
		return this.#feed !== undefined;
	}

	get tokens(): readonly (readonly number[])[] {
		return this.#feed?.tokens ?? [];
	}

	/** Own sequences of the last step that continue. */
	get parents(): readonly number[] {
		return this.#sequences;
	}

	/** True if both can begin in one run of the graph. */
	isCompatible(other: BatchMember): boolean {
		if (this === other) return true;
		return (
			this.isUrgent === other.isUrgent &&
			this.options.attentions !== true &&
			other.options.attentions !== true &&
			this.options.columns === other.options.columns &&
			(this.options.sequencesPerItem ?? 1) === (other.options.sequencesPerItem ?? 1) &&
			this.encoded.positions === other.encoded.positions &&
			this.tokens[0]?.length === other.tokens[0]?.length
		);
	}

	feed(tokens: readonly (readonly number[])[], signal?: AbortSignal): Promise<DecoderOutput> {
		if (signal?.aborted === true) return Promise.reject(new AppError('cancelled'));
		if (this.#released || this.#feed !== undefined || tokens.length !== this.batchSize) {
			return Promise.reject(
				new AppError(
					'internal',
					`${tokens.length} sequences fed to ${this.batchSize}, or fed twice.`,
				),
			);
		}
		return new Promise<DecoderOutput>((resolve, reject) => {
			const leave = (): void => {
				this.release();
				reject(new AppError('cancelled'));
			};
			signal?.addEventListener('abort', leave, { once: true });
			const removeListener = (): void => signal?.removeEventListener('abort', leave);
			this.#feed = {
				tokens,
				resolve: (output) => {
					removeListener();
					resolve(output);
				},
				reject: (error) => {
					removeListener();
					reject(error);
				},
			};
			if (this.#batch === undefined) this.#owner.begin(this);
			else this.#batch.advance();
		});
	}

	select(parents: readonly number[]): void {
		if (parents.some((parent) => !(parent >= 0 && parent < this.batchSize))) {
			throw new AppError('internal', 'A sequence was selected that does not exist.');
		}
		this.#sequences = parents.map((parent) => this.#sequences[parent] as number);
		this.#items = parents.map((parent) => this.#items[parent] as number);
	}

	release(): void {
		if (this.#released) return;
		this.#released = true;
		this.#feed = undefined;
		this.#sequences = [];
		this.#batch?.leave(this);
	}

	/** Called by the batch: from now on the sequences are part of it. */
	enter(batch: MemberBatch): void {
		this.#batch = batch;
	}

	/** Called by the batch if its sequences now have the order they have here. */
	commitOrder(): void {
		this.#sequences = this.#sequences.map((_, index) => index);
	}

	/** The step is done. */
	resolve(output: DecoderOutput): void {
		const feed = this.#feed;
		this.#feed = undefined;
		this.#length += output.tokens;
		feed?.resolve(output);
	}

	/** The step has failed. The caches are unchanged, and the same tokens may be fed again. */
	reject(error: unknown): void {
		const feed = this.#feed;
		this.#feed = undefined;
		feed?.reject(error);
	}
}
