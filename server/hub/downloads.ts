/**
 * Running downloads: one job per model, however many ask for it. Everybody sees its progress; it ends
 * early only when nobody follows it any more or somebody cancels it.
 */

import { AppError, asAppError, type DownloadProgress } from '../protocol/index.ts';
import type { DownloadStart } from './downloadModel.ts';

export interface DownloadJob {
	readonly model: string;
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
		return [...this.#jobs].map(([model, job]) => ({
			model,
			progress: job.progress,
			paused: job.paused,
		}));
	}

	/** Progress of all jobs, for the named pipe and the models view. */
	onProgress(listener: (progress: DownloadProgress) => void): () => void {
		this.#listeners.add(listener);
		return () => this.#listeners.delete(listener);
	}

	/**
	 * Joins the job of this model, or starts it. Resolves to the folder. When the signal aborts, this
	 * follower leaves; the last one to leave stops the job, which can be resumed later.
	 */
	async run(model: string, work: Work, follower: Follower, signal: AbortSignal): Promise<string> {
		if (signal.aborted) throw new AppError('cancelled');
		const job = this.#jobs.get(model) ?? this.#start(model, work);
		job.followers.add(follower);
		if (job.start !== undefined) follower.onStart?.(job.start);
		if (job.progress !== undefined) follower.onProgress?.(job.progress);
		let leave: () => void = () => {};
		const left = new Promise<never>((_resolve, reject) => {
			leave = () => reject(new AppError('cancelled'));
			signal.addEventListener('abort', leave, { once: true });
		});
		try {
			return await Promise.race([job.done, left]);
		} finally {
			signal.removeEventListener('abort', leave);
			if (!(follower.detached === true && signal.aborted)) job.followers.delete(follower);
			if (job.followers.size === 0) job.stop.abort();
		}
	}

	/** Stops a job for everybody; its files stay for the next time. False when there is none. */
	async pause(model: string): Promise<boolean> {
		const job = this.#jobs.get(model);
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

	#start(model: string, work: Work): Job {
		const stop = new AbortController();
		const followers = new Set<Follower>();
		const job: Job = {
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
						`The download of ${model} was paused. Ask for it again to resume.`,
					);
				})
				.finally(() => this.#jobs.delete(model)),
		};
		// Nobody may be waiting when it fails.
		job.done.catch(() => undefined);
		this.#jobs.set(model, job);
		return job;
	}
}
