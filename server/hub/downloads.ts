/**
 * Running downloads: one job per model, however many ask for it. Everybody sees its progress; it ends
 * early only when nobody follows it any more or somebody cancels it.
 */

import {
	AppError,
	asAppError,
	comparableName,
	type DownloadProgress,
	findModel,
	type NamedModel,
} from '../protocol/index.ts';
import type { DownloadStart } from './downloadModel.ts';

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

export interface Follower {
	readonly onProgress?: (progress: DownloadProgress) => void;
	readonly onWait?: (ownerPid: number | undefined) => void;
	/** Told of the licence and the size before the first byte. */
	readonly onStart?: (start: DownloadStart) => void;
	/** Keeps the job running when this follower goes away. */
	readonly detached?: boolean;
}

type Work = (
	signal: AbortSignal,
	onProgress: (progress: DownloadProgress) => void,
	onWait: (ownerPid: number | undefined) => void,
	onStart: (start: DownloadStart) => void,
) => Promise<string>;

interface Job {
	readonly order: DownloadOrder;
	progress: DownloadProgress | undefined;
	start: DownloadStart | undefined;
	paused: boolean;
	readonly stop: AbortController;
	readonly followers: Set<Follower>;
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
	 * Joins the job of this model, or starts it. Resolves to the folder. When the signal aborts, this
	 * follower leaves; the last one to leave stops the job, which can be resumed later.
	 * @throws AppError `conflict` while another model is downloaded under this name
	 */
	async run(
		order: DownloadOrder,
		work: Work,
		follower: Follower,
		signal: AbortSignal,
	): Promise<string> {
		for (;;) {
			this.check(order);
			const running = this.#jobs.get(comparableName(order.model.id));
			if (running?.stop.signal.aborted === true) {
				// It is ending: whoever joined it would be told that it was cancelled.
				await unlessAborted(
					running.done.catch(() => undefined),
					signal,
				);
				continue;
			}
			const job = running ?? this.#start(order, work);
			const folder = await this.#follow(job, follower, signal);
			// Whoever joined one with other details has theirs kept after it.
			if (job.order.details === order.details) return folder;
		}
	}

	async #follow(job: Job, follower: Follower, signal: AbortSignal): Promise<string> {
		if (signal.aborted) throw new AppError('cancelled');
		job.followers.add(follower);
		if (job.start !== undefined) follower.onStart?.(job.start);
		if (job.progress !== undefined) follower.onProgress?.(job.progress);
		try {
			return await unlessAborted(job.done, signal);
		} finally {
			if (!(follower.detached === true && signal.aborted)) job.followers.delete(follower);
			if (job.followers.size === 0) job.stop.abort();
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
		const followers = new Set<Follower>();
		const job: Job = {
			order,
			progress: undefined,
			start: undefined,
			paused: false,
			stop,
			followers,
			done: Promise.resolve()
				.then(() => {
					if (stop.signal.aborted) throw new AppError('cancelled');
					return work(
						stop.signal,
						(progress) => {
							job.progress = progress;
							for (const one of followers) one.onProgress?.(progress);
							for (const listener of this.#listeners) listener(progress);
						},
						(pid) => {
							for (const one of followers) one.onWait?.(pid);
						},
						(start) => {
							job.start = start;
							for (const one of followers) one.onStart?.(start);
						},
					);
				})
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
