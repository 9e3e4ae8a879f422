/** Rows of several users that are decoded in step: one run of the graph feeds all of them. */

import { AppError } from '../../protocol/index.ts';
import type { TensorData } from '../runtime/runtime.ts';
import { createData } from '../runtime/tensorType.ts';
import type { DecoderOutput, DecoderRun, EncodedBatch } from './encoderDecoder.ts';
import type { JoinedModel } from './joinedModel.ts';
import type { JoinedRun } from './joinedRun.ts';

export class JoinedGroup {
	readonly #owner: JoinedModel;
	readonly #run: DecoderRun;
	#members: readonly JoinedRun[];
	/** Rows of every member at the last step, where its own begin. */
	#places = new Map<JoinedRun, number>();
	#controller: AbortController | undefined;
	#locked = true;
	#closed = false;

	/** The members wait with their first tokens; {@link step} feeds them. */
	constructor(owner: JoinedModel, members: readonly JoinedRun[]) {
		this.#owner = owner;
		this.#members = members;
		const options = members[0]?.options ?? {};
		this.#run = owner.model.start(concatenate(members.map(({ encoded }) => encoded)), options);
		let place = 0;
		for (const member of members) {
			this.#places.set(member, place);
			place += member.rows;
			member.joined(this);
		}
	}

	get rows(): number {
		return this.#closed ? 0 : this.#run.rows;
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
	leave(member: JoinedRun): void {
		this.#members = this.#members.filter((one) => one !== member);
		if (this.#members.length === 0) this.#controller?.abort();
	}

	/** Feeds all members' tokens. Their promises tell how it went. */
	async step(): Promise<void> {
		const members = this.#members;
		if (members.length > 0) {
			this.#controller = new AbortController();
			try {
				const output = await this.#feed(members, this.#controller.signal);
				for (const member of members) member.answer(this.#part(output, member));
			} catch (error) {
				for (const member of members) member.fail(error);
			}
			this.#controller = undefined;
		}
		this.#locked = false;
		this.#owner.advance(this);
	}

	async #feed(members: readonly JoinedRun[], signal: AbortSignal): Promise<DecoderOutput> {
		const count = members[0]?.tokens[0]?.length;
		if (members.some((member) => member.tokens.some((row) => row.length !== count))) {
			throw new AppError(
				'internal',
				'Runs that are decoded in step must feed equally many tokens.',
			);
		}
		const parents: number[] = [];
		const places = new Map<JoinedRun, number>();
		for (const member of members) {
			const before = this.#places.get(member) ?? 0;
			places.set(member, parents.length);
			parents.push(...member.parents.map((row) => before + row));
		}
		const moved = parents.length !== this.#run.rows || parents.some((row, at) => row !== at);
		if (moved) this.#run.select(parents);
		this.#places = places;
		const tokens = members.flatMap((member) => member.tokens);
		// The rows have moved for good; a step that is made again starts from where they are now.
		for (const member of members) member.settle();
		return this.#run.feed(tokens, signal);
	}

	/** What one member sees of a step. */
	#part(output: DecoderOutput, member: JoinedRun): DecoderOutput {
		const place = this.#places.get(member) ?? 0;
		return {
			...output,
			logits: (row, position) => output.logits(place + row, position),
		};
	}

	close(): void {
		if (this.#closed) return;
		this.#closed = true;
		this.#run.release();
	}
}

/** Encoded batches of equally many positions behind each other. */
function concatenate(parts: readonly EncodedBatch[]): EncodedBatch {
	const [first] = parts;
	if (first === undefined) throw new AppError('internal', 'A group has no members.');
	if (parts.length === 1) return first;
	const items = parts.reduce((sum, part) => sum + part.items, 0);
	const join = (pick: (part: EncodedBatch) => EncodedBatch['hidden']): EncodedBatch['hidden'] => {
		const { type, dims } = pick(first);
		const width = dims.slice(1).reduce((a, b) => a * b, 1);
		const data = createData(type, items * width);
		let at = 0;
		for (const part of parts) {
			const own = pick(part).data.subarray(0, part.items * width);
			(data as Float32Array).set(own as Float32Array, at);
			at += own.length;
		}
		return { type, dims: [items, ...dims.slice(1)], data: data as TensorData };
	};
	return {
		items,
		positions: first.positions,
		hidden: join((part) => part.hidden),
		mask: join((part) => part.mask),
		...(first.cross === undefined
			? {}
			: {
					cross: first.cross.map((_, index) =>
						join((part) => (part.cross as readonly EncodedBatch['hidden'][])[index] ?? part.hidden),
					),
				}),
	};
}
