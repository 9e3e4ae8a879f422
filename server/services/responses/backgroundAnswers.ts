/** Responses that go on without whoever asked for them: bounded, cancellable, with the events of those that were streamed. */

import { AppError } from '../../protocol/index.ts';
import type { HeldWork } from '../limits/liveWork.ts';
import type { ResponseEvent, ResponseObject } from './builder.ts';
import type { SharedEvents } from './redisEvents.ts';

/** Work on one response, which calls back with its events and can be given up. */
export type BackgroundWork = (
	emit: (event: ResponseEvent) => void,
	signal: AbortSignal,
) => Promise<void>;

interface Job {
	readonly person: string;
	readonly stop: AbortController;
	/** Absent: the caller wanted no stream. */
	readonly events: ResponseEvent[] | undefined;
	eventChars: number;
	readonly followers: Set<() => void>;
	snapshot: () => ResponseObject;
	isOver: boolean;
	readonly over: Promise<void>;
}

/** Under way at a time, for all and for one person. */
const maxJobs = 64;
const maxOwnJobs = 16;
const maxMs = 3600_000;
/** How long the events of a response that has ended can be read again. */
const eventsMs = 300_000;
/** Characters of the events of one response. */
const maxEventChars = 8_000_000;

export class BackgroundAnswers {
	readonly #jobs = new Map<string, Job>();
	/** Whose responses are under way, or about to be. */
	readonly #places: string[] = [];
	readonly #activity: { begin(): void; end(): void };
	readonly #shared: SharedEvents | undefined;

	/**
	 * @param activity told of work, so that the server does not end beside it
	 * @param shared where replicas read each other's events
	 */
	constructor(activity: { begin(): void; end(): void }, shared?: SharedEvents) {
		this.#activity = activity;
		this.#shared = shared;
	}

	/**
	 * Takes a place for a response that is about to start; what is returned gives it back, once.
	 * @throws AppError `overloaded` when there are too many
	 */
	reserve(person: string): () => void {
		const own = this.#places.filter((each) => each === person).length;
		if (this.#places.length >= maxJobs || own >= maxOwnJobs)
			throw new AppError(
				'overloaded',
				`${own} of your responses are under way in the background already, ${this.#places.length} of all. Wait for one, or cancel it.`,
				{ retryAfterS: 5 },
			);
		this.#places.push(person);
		let isTaken = true;
		return () => {
			if (isTaken) this.#places.splice(this.#places.indexOf(person), 1);
			isTaken = false;
		};
	}

	start(
		id: string,
		person: string,
		{
			streams,
			snapshot,
			held,
		}: {
			readonly streams: boolean;
			readonly snapshot: () => ResponseObject;
			/** Who asked for it: it ends when they may have nothing more. */
			readonly held?: HeldWork | undefined;
		},
		work: BackgroundWork,
	): void {
		const stop = new AbortController();
		const withdrawn = () => stop.abort(held?.signal.reason);
		if (held?.signal.aborted) withdrawn();
		held?.signal.addEventListener('abort', withdrawn, { once: true });
		const late = setTimeout(
			() =>
				stop.abort(new AppError('timeout', `The response took longer than ${maxMs / 3600_000} h.`)),
			maxMs,
		);
		late.unref();
		this.#activity.begin();
		const { promise: over, resolve } = Promise.withResolvers<void>();
		const job: Job = {
			...{ person, stop, snapshot, over },
			events: streams ? [] : undefined,
			eventChars: 0,
			followers: new Set(),
			isOver: false,
		};
		this.#jobs.set(id, job);
		const share = job.events && this.#shared?.share(person, id, job.events);
		const emit = (event: ResponseEvent) => {
			if (job.events === undefined) return;
			job.eventChars += JSON.stringify(event).length;
			if (job.eventChars > maxEventChars)
				stop.abort(new AppError('too_expensive', 'The events of this response are too long.'));
			job.events.push(event);
			share?.(false);
			for (const follow of job.followers) follow();
		};
		work(emit, stop.signal)
			// Whatever went wrong is in the response.
			.catch(() => {})
			.finally(() => {
				clearTimeout(late);
				held?.signal.removeEventListener('abort', withdrawn);
				held?.release();
				job.isOver = true;
				share?.(true);
				for (const follow of job.followers) follow();
				this.#activity.end();
				resolve();
				const forget = () => void this.#jobs.delete(id);
				if (job.events === undefined) forget();
				else setTimeout(forget, eventsMs).unref();
			});
	}

	/** How a response is at this moment; `undefined` when it is not under way. */
	running(id: string, person: string): ResponseObject | undefined {
		const job = this.#own(id, person);
		return job === undefined || job.isOver ? undefined : job.snapshot();
	}

	/** Ends one that is under way and waits until it has ended; `false` when there is none. */
	async cancel(id: string, person: string): Promise<boolean> {
		const job = this.#own(id, person);
		if (job === undefined || job.isOver) return false;
		job.stop.abort();
		await job.over;
		return true;
	}

	/** Forgets the events of a response that was deleted. */
	forget(id: string, person: string): void {
		if (this.#own(id, person) !== undefined) this.#jobs.delete(id);
	}

	/**
	 * Hands on the events after a number, as they come, until the last.
	 * @throws AppError `not_found` when they are not kept
	 */
	async follow(
		id: string,
		person: string,
		after: number,
		onEvent: (event: ResponseEvent) => void,
		signal: AbortSignal,
	): Promise<void> {
		const job = this.#own(id, person);
		const events = job?.events;
		if (job === undefined && (await this.#shared?.follow(person, id, after, onEvent, signal)))
			return;
		if (job === undefined || events === undefined)
			throw new AppError(
				'not_found',
				`The events of the response '${id.slice(0, 128)}' are not there: they are kept for five minutes after its end, of responses that were asked for with background and stream. Read it without stream.`,
			);
		let next = 0;
		const hand = () => {
			for (; next < events.length; next++) {
				const event = events[next];
				if (event !== undefined && Number(event['sequence_number']) > after) onEvent(event);
			}
		};
		hand();
		if (job.isOver) return;
		const { promise, resolve, reject } = Promise.withResolvers<void>();
		const follow = () => {
			hand();
			if (job.isOver) resolve();
		};
		const leave = () => reject(new AppError('cancelled'));
		if (signal.aborted) leave();
		signal.addEventListener('abort', leave, { once: true });
		job.followers.add(follow);
		try {
			await promise;
		} finally {
			job.followers.delete(follow);
			signal.removeEventListener('abort', leave);
		}
	}

	/** Ends all of them, because the server ends, or cancels those of one person, and waits; resolves to their number. */
	async end(person?: string): Promise<number> {
		const jobs = [...this.#jobs.values()].filter(
			(job) => !job.isOver && (person === undefined || job.person === person),
		);
		for (const { stop } of jobs)
			if (person !== undefined) stop.abort();
			else stop.abort(new AppError('daemon_unavailable', 'The model server ends. Ask again.'));
		await Promise.all(jobs.map(({ over }) => over));
		return jobs.length;
	}

	#own(id: string, person: string): Job | undefined {
		const job = this.#jobs.get(id);
		return job?.person === person ? job : undefined;
	}
}
