/**
 * What a runner says to the daemon. Each message between processes costs both of them as much as a small run, so
 * all of one turn is one message, and what background work makes is told a few times a second.
 */

import type { GenerateEvent } from '../engine/api.ts';
import type { FromRunner } from './runnerProtocol.ts';

/** Longest time that an event of background work is kept while it makes more of them, in milliseconds. */
const maxKeptMs = 100;

type TextEvent = Extract<GenerateEvent, { type: 'text' }>;

export class RunnerOutbox {
	readonly #send: (messages: readonly FromRunner[]) => void;
	#turn: FromRunner[] = [];
	/** Events of background calls, by the call. */
	readonly #kept = new Map<number, GenerateEvent[]>();
	#keptSince = 0;

	constructor(send: (messages: readonly FromRunner[]) => void) {
		this.#send = send;
	}

	/** Sends a message with all others of this turn; what is kept of its call goes before it. */
	add(message: FromRunner): void {
		if (this.#turn.length === 0) queueMicrotask(() => this.#sendTurn());
		this.#take(message.id);
		this.#turn.push(message);
	}

	/** An event of a background call: joined with those before it, and sent when more of them have come for a while. */
	keep(id: number, event: GenerateEvent): void {
		const now = performance.now();
		if (this.#kept.size === 0) this.#keptSince = now;
		const events = this.#kept.get(id);
		if (events === undefined) this.#kept.set(id, [event]);
		else join(events, event);
		if (now - this.#keptSince < maxKeptMs) return;
		if (this.#turn.length === 0) queueMicrotask(() => this.#sendTurn());
		for (const each of [...this.#kept.keys()]) this.#take(each);
	}

	#take(id: number): void {
		for (const event of this.#kept.get(id) ?? []) this.#turn.push({ type: 'event', id, event });
		this.#kept.delete(id);
	}

	#sendTurn(): void {
		const messages = this.#turn;
		this.#turn = [];
		this.#send(messages);
	}
}

/** Adds an event to those of a call; text of a choice continues its last text. */
function join(events: GenerateEvent[], event: GenerateEvent): void {
	const at = event.type === 'text' ? events.findLastIndex((each) => isOfChoice(each, event)) : -1;
	const last = events[at];
	if (event.type !== 'text' || last?.type !== 'text') {
		events.push(event);
		return;
	}
	events[at] = {
		...last,
		text: last.text + event.text,
		tokenIds: [...last.tokenIds, ...event.tokenIds],
		...(last.logprobs === undefined || event.logprobs === undefined
			? {}
			: { logprobs: [...last.logprobs, ...event.logprobs] }),
	};
}

const isOfChoice = (event: GenerateEvent, { choice }: TextEvent): boolean =>
	(event.type === 'text' || event.type === 'finish') && event.choice === choice;
