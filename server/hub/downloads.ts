/**
 * Running downloads: one job per model, however many ask for it. Everybody sees its progress; it ends
 * early only when nobody reads of it any more or somebody cancels it.
 */

import {
	AppError,
	asAppError,
	comparableName,
	type DownloadProgress,
	findModel,
	type NamedModel,
} from '../protocol/index.ts';
import { type DownloadEvent, type DownloadStart, isOutdated } from './downloadModel.ts';
import { jobEvents } from './jobEvents.ts';

/** What a job does. */
export interface DownloadOrder {
	/** The model, under the name it will have. */
	readonly model: NamedModel;
	/** Source and place of its files. One name is downloaded from one source at a time. */
	readonly from: string;
	/** What else is to be kept with it. */
	readonly details: string;
}

export interface DownloadJob {
	/** Id of the model. */
	readonly model: string;
	readonly order: DownloadOrder;
	/** Last known progress. */
	readonly progress: DownloadProgress | undefined;
	readonly paused: boolean;
}

/** Does a job; returns the folder. */
type Work = (signal: AbortSignal) => AsyncGenerator<DownloadEvent, string>;

type DownloadSubscriber = (event: DownloadEvent) => void;

interface Job {
	readonly order: DownloadOrder;
	progress: DownloadProgress | undefined;
	start: DownloadStart | undefined;
	paused: boolean;
	readonly stop: AbortController;
	readonly subscribers: Set<DownloadSubscriber>;
	readonly done: Promise<string>;
}

export class Downloads {
	readonly #jobs = new Map<string, Job>();
	readonly #listeners = new Set<(progress: DownloadProgress) => void>();

	/** All running jobs. */
	list(): DownloadJob[] {
		return [...this.#jobs.values()].map((job) => ({
			model: job.order.model.id,
			order: job.order,
			progress: job.progress,
			paused: job.paused,
		}));
	}

	/** Progress of all jobs, for the named pipe and the models view. */
	onProgress(listener: (progress: DownloadProgress) => void): () => void {
		this.#listeners.add(listener);
		return () => this.#listeners.delete(listener);
	}

	/** @throws AppError `conflict` while another model is downloaded under this name */
	check({ model, from }: DownloadOrder): void {
		const running = this.#jobs.get(comparableName(model.id));
		if (running === undefined || running.order.from === from) return;
		throw new AppError(
			'conflict',
			`${running.order.model.id} is being downloaded from another place just now. Give this one another Name or version, or wait for that one.`,
			{ param: 'model.Name' },
		);
	}

	/**
	 * Joins the job of this model, or starts it: what happens from now on, and returns the folder. Whoever
	 * stops reading, or whose signal aborts, leaves; the last one to leave stops the job, which can be
	 * resumed later.
	 * @throws AppError `conflict` while another model is downloaded under this name
	 */
	async *run(
		order: DownloadOrder,
		work: Work,
		signal: AbortSignal,
	): AsyncGenerator<DownloadEvent, string> {
		for (;;) {
			this.check(order);
			const running = this.#jobs.get(comparableName(order.model.id));
			if (running?.stop.signal.aborted === true) {
				// It is ending: a new subscriber would only see that it was cancelled.
				await unlessAborted(
					running.done.catch(() => undefined),
					signal,
				);
				continue;
			}
			const job = running ?? this.#start(order, work);
			const folder = yield* jobEvents<DownloadEvent, string>(
				(subscriber, leave) => this.#subscribe(job, subscriber, leave),
				signal,
				isOutdated,
			);
			// Other details of a later subscriber are kept after it.
			if (job.order.details === order.details) return folder;
		}
	}

	async #subscribe(job: Job, subscriber: DownloadSubscriber, signal: AbortSignal): Promise<string> {
		if (signal.aborted) throw new AppError('cancelled');
		job.subscribers.add(subscriber);
		if (job.start !== undefined) subscriber({ type: 'start', start: job.start });
		if (job.progress !== undefined) subscriber({ type: 'progress', progress: job.progress });
		try {
			return await unlessAborted(job.done, signal);
		} finally {
			job.subscribers.delete(subscriber);
			if (job.subscribers.size === 0) job.stop.abort();
		}
	}

	/** Does the work and tells all who listen. */
	async #work(job: Job, work: Work): Promise<string> {
		if (job.stop.signal.aborted) throw new AppError('cancelled');
		const events = work(job.stop.signal);
		for (;;) {
			const { done, value } = await events.next();
			if (done) return value;
			if (value.type === 'start') job.start = value.start;
			if (value.type === 'progress') {
				job.progress = value.progress;
				for (const listener of this.#listeners) listener(value.progress);
			}
			for (const subscriber of job.subscribers) subscriber(value);
		}
	}

	/** Stops a job for everybody; its files stay for the next time. False when there is none. */
	async pause(name: string): Promise<boolean> {
		const models = [...this.#jobs.values()].map(({ order }) => order.model);
		const found = findModel(models, name);
		const job = found && this.#jobs.get(comparableName(found.id));
		if (job === undefined) return false;
		job.paused = true;
		job.stop.abort();
		await job.done.catch(() => undefined);
		return true;
	}

	/** Stops all jobs and waits for them. */
	async close(): Promise<void> {
		await Promise.all([...this.#jobs.keys()].map((model) => this.pause(model)));
	}

	#start(order: DownloadOrder, work: Work): Job {
		const key = comparableName(order.model.id);
		const stop = new AbortController();
		const job: Job = {
			order,
			progress: undefined,
			start: undefined,
			paused: false,
			stop,
			subscribers: new Set(),
			done: Promise.resolve()
				.then(() => this.#work(job, work))
				.catch((error: unknown) => {
					if (!job.paused) throw asAppError(error);
					throw new AppError(
						'cancelled',
						`The download of ${order.model.id} was paused. Ask for it again to resume.`,
					);
				})
				.finally(() => this.#jobs.delete(key)),
		};
		// Nobody may be waiting when it fails.
		job.done.catch(() => undefined);
		this.#jobs.set(key, job);
		return job;
	}
}

/** Waits no longer than the signal allows. @throws AppError `cancelled` */
async function unlessAborted<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
	const { promise: left, reject } = Promise.withResolvers<never>();
	const leave = () => reject(new AppError('cancelled'));
	if (signal.aborted) leave();
	signal.addEventListener('abort', leave, { once: true });
	try {
		return await Promise.race([work, left]);
	} finally {
		signal.removeEventListener('abort', leave);
	}
}
