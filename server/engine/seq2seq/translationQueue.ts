/**
 * Calls that wait with their texts, and which texts make the next batch. Calls have their turns in a
 * {@link RequestQueue}; texts of other calls that fit ride along. While batches run a call of which nothing runs
 * may begin one of its own, so that a short one never waits for the end of a long one.
 */

import type { QueuedRequest, RequestQueue } from '../queue/requestQueue.ts';
import { LikeLengths } from './likeLengths.ts';
import {
	type BatchLimits,
	batchKey,
	chooseBatch,
	type TranslationJob,
} from './translationBatch.ts';

/** Interactive batches of long calls under way at a time; of others there is one. */
const maxInteractiveBatches = 3;
/** As many again of short calls, whose steps are small: pages that fill the places do not keep them waiting. */
const maxShortBatches = 4;
/** Texts of a short call. */
const shortTexts = 4;
/** UTF-16 units of a short call. */
const shortWork = 1000;
/** Texts that are looked at in vain for the company of one. */
const maxLooked = 256;
/** Texts of one source in a row that overtake, where the encoder's answer is kept for them. */
const maxSameSource = 16;

/** A call while it waits; its work is what it has waiting when its turn is asked for. */
export class TranslationCall implements QueuedRequest {
	readonly priority: 'interactive' | 'batch';
	readonly owner: string | undefined;
	readonly isAdmitted: boolean;
	readonly waiting = new Set<WaitingText>();
	/** Texts of it in batches under way. */
	running = 0;
	work = 0;
	isPart = false;
	/** Somebody waits for a few sentences; of an interactive call that has all its texts. */
	isShort = false;

	constructor({ priority, owner, isAdmitted }: Omit<QueuedRequest, 'work' | 'isPart'>) {
		this.priority = priority;
		this.owner = owner;
		this.isAdmitted = isAdmitted === true;
	}
}

export interface WaitingText extends TranslationJob {
	readonly call: TranslationCall;
}

export type CallQueue = RequestQueue<TranslationCall>;

export class TranslationQueue {
	readonly #calls: CallQueue;
	readonly #limits: BatchLimits;
	readonly #groups = new Map<string, LikeLengths<WaitingText>>();
	/** By source, where texts are computed alone. */
	readonly #bySource = new Map<string, Set<WaitingText>>();
	readonly #batches = new Set<readonly WaitingText[]>();
	#lastSource = '';
	#sameSource = 0;

	constructor(calls: CallQueue, limits: BatchLimits) {
		this.#calls = calls;
		this.#limits = limits;
	}

	/** Calls of which something runs. */
	get running(): number {
		return new Set([...this.#batches].flatMap((batch) => batch.map(({ call }) => call))).size;
	}

	/** Texts of a call wait for their turn. */
	add(call: TranslationCall, texts: readonly WaitingText[]): void {
		for (const text of texts) {
			call.waiting.add(text);
			this.#groupOf(text).add(text);
			if (this.#limits.model.batchInvariant) continue;
			const key = sourceKey(text);
			const same = this.#bySource.get(key) ?? new Set();
			this.#bySource.set(key, same.add(text));
		}
		this.#enqueue(call);
		call.isShort =
			call.priority === 'interactive' && texts.length <= shortTexts && call.work <= shortWork;
	}

	/** A call goes; what of it runs is left to whoever runs it. */
	remove(call: TranslationCall): void {
		this.#calls.remove(call);
		for (const text of call.waiting) this.#forget(text);
	}

	/** All that wait go. */
	clear(): WaitingText[] {
		const texts: WaitingText[] = [];
		for (const call of [...this.#calls]) {
			for (const text of call.waiting) texts.push(text);
			this.remove(call);
		}
		return texts;
	}

	/** The next batch, which {@link end} has to follow; empty when none may begin now. */
	next(): readonly WaitingText[] {
		const first = this.#first();
		if (first === undefined) return [];
		const batch = chooseBatch(first, this.#companyOf(first), this.#limits);
		const calls = new Set(batch.map(({ call }) => call));
		// Whose turn it is waits for the next one with what is left; others ride along.
		if (this.#calls.take(first.call) !== undefined) first.call.isPart = true;
		for (const text of batch) {
			this.#forget(text);
			text.call.running++;
		}
		if (first.call.waiting.size > 0) this.#enqueue(first.call);
		for (const call of calls) if (call.waiting.size === 0) this.#calls.take(call);
		this.#batches.add(batch);
		return batch;
	}

	end(batch: readonly WaitingText[]): void {
		if (!this.#batches.delete(batch)) return;
		for (const { call } of batch) call.running--;
	}

	#first(): WaitingText | undefined {
		const same = this.#sameAgain();
		if (same !== undefined) return same;
		for (const call of this.#calls) {
			if (!this.#mayBegin(call)) continue;
			const [first] = call.waiting;
			if (first !== undefined) {
				this.#lastSource = this.#limits.model.batchInvariant ? '' : sourceKey(first);
				this.#sameSource = 0;
				return first;
			}
		}
		return undefined;
	}

	/** Another target of the source that was read last. */
	#sameAgain(): WaitingText | undefined {
		if (this.#batches.size > 0 || this.#sameSource >= maxSameSource) return undefined;
		const [same] = this.#bySource.get(this.#lastSource) ?? [];
		if (same === undefined || same.priority !== this.#calls.peek()?.priority) return undefined;
		this.#sameSource++;
		return same;
	}

	/** Texts that may ride along, best first: beside other batches none that would only keep a short call waiting. */
	*#companyOf(first: WaitingText): Generator<WaitingText, void, undefined> {
		const isBeside = this.#batchesOf(first.priority).length > 0;
		let looked = 0;
		for (const text of this.#groupOf(first).near(first)) {
			const { isShort, running } = text.call;
			if (!isBeside || (running === 0 && (isShort || !first.call.isShort))) yield text;
			else if (++looked >= maxLooked) return;
		}
	}

	#batchesOf(priority: TranslationCall['priority']): (readonly WaitingText[])[] {
		return [...this.#batches].filter(([first]) => first?.priority === priority);
	}

	#mayBegin({ priority, running, isShort }: TranslationCall): boolean {
		const beside = this.#batchesOf(priority);
		if (beside.length === 0) return true;
		if (priority === 'batch' || running > 0) return false;
		const short = beside.filter((batch) => batch.every(({ call }) => call.isShort)).length;
		const long = beside.length - short;
		return long < maxInteractiveBatches || (isShort && short < maxShortBatches);
	}

	#enqueue(call: TranslationCall): void {
		call.work = 0;
		for (const { item } of call.waiting) call.work += item.text.length;
		this.#calls.add(call);
	}

	#forget(text: WaitingText): void {
		text.call.waiting.delete(text);
		const key = batchKey(text);
		const group = this.#groups.get(key);
		group?.delete(text);
		if (group?.size === 0) this.#groups.delete(key);
		const source = sourceKey(text);
		const same = this.#bySource.get(source);
		same?.delete(text);
		if (same?.size === 0) this.#bySource.delete(source);
	}

	#groupOf(text: WaitingText): LikeLengths<WaitingText> {
		const key = batchKey(text);
		let group = this.#groups.get(key);
		if (group === undefined) {
			group = new LikeLengths(({ encoded }) => encoded.source.length);
			this.#groups.set(key, group);
		}
		return group;
	}
}

const sourceKey = (text: WaitingText): string =>
	`${batchKey(text)} ${text.item.owner ?? ''}\u0000${text.item.sourceLanguage ?? ''}\u0000${text.item.text}`;
