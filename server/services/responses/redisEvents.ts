/**
 * Events of responses in the background, in Redis or Valkey: whoever makes one writes its events down in batches, and they
 * are read at every other replica. A list by response, which begins with a mark and has another at its end.
 */

import { AppError } from '../../protocol/index.ts';
import type { RedisLink } from '../shared/redisLink.ts';
import type { ResponseEvent } from './builder.ts';
import { keysOf } from './redisEntries.ts';

/** Events of responses that another replica makes, or of this one for the others. */
export interface SharedEvents {
	/** Writes down what a response has told and will tell; the returned function says that there is more, or no more. */
	share(person: string, id: string, events: readonly ResponseEvent[]): (isOver: boolean) => void;
	/**
	 * Hands on the events after a number, as they come, until the last.
	 * @returns false where none are kept
	 * @throws AppError `cancelled`; `daemon_unavailable` when the replica that makes it has gone; `store_unavailable`
	 */
	follow(
		person: string,
		id: string,
		after: number,
		onEvent: (event: ResponseEvent) => void,
		signal: AbortSignal,
	): Promise<boolean>;
}

/** Between two writes, and between two looks. */
const everyMs = 150;
/** Without anything new, it is asked whether the response is still made. */
const unheardMs = 3000;
/** How long events are kept while a response is made, renewed with each write, and after its end. */
const madeMs = 3_900_000;
const keptMs = 300_000;
/** That there will be events, and that there are no more. */
const [begin, end] = ['begin', 'end'];

const numberOf = (event: ResponseEvent): number => Number(event['sequence_number']);

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

export class RedisEvents implements SharedEvents {
	readonly #link: RedisLink;
	readonly #isOpen: (person: string, id: string) => Promise<boolean>;

	/** @param isOpen whether a response is still made by a replica that lives */
	constructor(link: RedisLink, isOpen: (person: string, id: string) => Promise<boolean>) {
		this.#link = link;
		this.#isOpen = isOpen;
	}

	share(person: string, id: string, events: readonly ResponseEvent[]): (isOver: boolean) => void {
		const key = keysOf(person).events(id);
		let written = 0;
		let isOver = false;
		let endsAt = Number.POSITIVE_INFINITY;
		let isWaiting = false;
		let isBegun = false;
		const write = async () => {
			const upTo = events.length;
			const withEnd = isOver;
			const texts = events.slice(written, upTo).map((event) => JSON.stringify(event));
			if (!isBegun) texts.unshift(begin);
			if (withEnd) texts.push(end);
			if (texts.length === 0) return true;
			await this.#link.run((client) =>
				client
					.multi()
					.rPush(key, texts)
					.pExpire(key, withEnd ? keptMs : madeMs)
					.exec(),
			);
			isBegun = true;
			written = upTo;
			return withEnd || (written === events.length && !isOver);
		};
		const soon = () => {
			if (isWaiting) return;
			isWaiting = true;
			setTimeout(() => {
				void write()
					// What is away for longer than they are kept gets none of them.
					.catch(() => performance.now() > endsAt)
					.then((isDone) => {
						isWaiting = false;
						if (!isDone) soon();
					});
			}, everyMs).unref();
		};
		soon();
		return (over) => {
			if (over && !isOver) {
				isOver = true;
				endsAt = performance.now() + keptMs;
			}
			soon();
		};
	}

	async follow(
		person: string,
		id: string,
		after: number,
		onEvent: (event: ResponseEvent) => void,
		signal: AbortSignal,
	): Promise<boolean> {
		const key = keysOf(person).events(id);
		let [next, last] = [0, after];
		for (let lookedMs = performance.now(), isOpen = true; ; ) {
			if (signal.aborted) throw new AppError('cancelled');
			const texts = await this.#link.run((client) => client.lRange(key, next, -1));
			next += texts.length;
			for (const text of texts) {
				if (text === begin) continue;
				if (text === end) return true;
				const event = JSON.parse(text) as ResponseEvent;
				// What was written again after a late answer of Redis was handed on before.
				if (numberOf(event) <= last) continue;
				last = numberOf(event);
				onEvent(event);
			}
			const waitedMs = performance.now() - lookedMs;
			if (next === 0 && waitedMs > unheardMs) return false;
			if (texts.length > 0) lookedMs = performance.now();
			else if (!isOpen) {
				if (next === 0) return false;
				throw new AppError(
					'daemon_unavailable',
					`The replica that made the response '${id}' ended, or cannot reach the others any more. Read it without stream.`,
				);
			} else if (next === 0) isOpen = await this.#isOpen(person, id);
			else if (waitedMs > unheardMs) {
				isOpen = await this.#isOpen(person, id);
				lookedMs = performance.now();
			}
			await pause(everyMs);
		}
	}
}
