/** Sequences of several users that are decoded in lockstep: one run of the graph feeds all of them. */

import { AppError } from '../../protocol/index.ts';
import type { BatchMember, MemberBatch } from './batchMember.ts';
import { concatenateBatches } from './concatenateBatches.ts';
import type { DecoderOutput, DecoderRun, EncoderDecoder } from './encoderDecoder.ts';

/** Who runs the steps of batches. */
export interface BatchOwner {
	readonly model: EncoderDecoder;
	/** Something has changed: the batch may be ready for its next step, or empty. */
	readonly advance: (batch: LockstepBatch) => void;
}

export class LockstepBatch implements MemberBatch {
	readonly #owner: BatchOwner;
	readonly #run: DecoderRun;
	#members: readonly BatchMember[];
	/** Sequences of every member at the last step, where its own begin. */
	#offsets = new Map<BatchMember, number>();
	#controller: AbortController | undefined;
	#locked = true;
	#closed = false;

	/** The members wait with their first tokens; {@link step} feeds them. */
	constructor(owner: BatchOwner, members: readonly BatchMember[]) {
		this.#owner = owner;
		this.#members = members;
		const options = members[0]?.options ?? {};
		this.#run = owner.model.start(
			concatenateBatches(members.map(({ encoded }) => encoded)),
			options,
		);
		let offset = 0;
		for (const member of members) {
			this.#offsets.set(member, offset);
			offset += member.batchSize;
			member.enter(this);
		}
	}

	get size(): number {
		return this.#closed ? 0 : this.#run.batchSize;
	}

	get isEmpty(): boolean {
		return this.#members.length === 0 && this.#controller === undefined;
	}

	/** All members have said how they go on, and no step is under way or in the queue. */
	get isReady(): boolean {
		return !this.#locked && this.#members.every((member) => member.isWaiting);
	}

	get isUrgent(): boolean {
		return this.#members.some((member) => member.isUrgent);
	}

	/** A step is in the queue. */
	lock(): void {
		this.#locked = true;
	}

	/** A member goes; when it was the last one, a run under way ends within a step. */
	leave(member: BatchMember): void {
		this.#members = this.#members.filter((one) => one !== member);
		if (this.#members.length === 0) this.#controller?.abort();
		this.advance();
	}

	advance(): void {
		this.#owner.advance(this);
	}

	/** Feeds all members' tokens. Their promises tell how it went. */
	async step(): Promise<void> {
		const members = this.#members;
		if (members.length > 0) {
			this.#controller = new AbortController();
			try {
				const output = await this.#feed(members, this.#controller.signal);
				for (const member of members) member.resolve(this.#part(output, member));
			} catch (error) {
				for (const member of members) member.reject(error);
			}
			this.#controller = undefined;
		}
		this.#locked = false;
		this.advance();
	}

	async #feed(members: readonly BatchMember[], signal: AbortSignal): Promise<DecoderOutput> {
		const count = members[0]?.tokens[0]?.length;
		if (members.some((member) => member.tokens.some((sequence) => sequence.length !== count))) {
			throw new AppError(
				'internal',
				'Runs that are decoded in step must feed equally many tokens.',
			);
		}
		const parents: number[] = [];
		const offsets = new Map<BatchMember, number>();
		for (const member of members) {
			const before = this.#offsets.get(member) ?? 0;
			offsets.set(member, parents.length);
			parents.push(...member.parents.map((sequence) => before + sequence));
		}
		const moved =
			parents.length !== this.#run.batchSize || parents.some((sequence, at) => sequence !== at);
		if (moved) this.#run.select(parents);
		this.#offsets = offsets;
		const tokens = members.flatMap((member) => member.tokens);
		// The sequences have moved for good; a step that is made again starts from where they are now.
		for (const member of members) member.commitOrder();
		return this.#run.feed(tokens, signal);
	}

	/** What one member sees of a step. */
	#part(output: DecoderOutput, member: BatchMember): DecoderOutput {
		const offset = this.#offsets.get(member) ?? 0;
		return {
			...output,
			logits: (sequence, position) => output.logits(offset + sequence, position),
		};
	}

	close(): void {
		if (this.#closed) return;
		this.#closed = true;
		this.#run.release();
	}
}
