/** How batches stand on the machines that work on them: told to those that only serve, and heard from them. */

import type { QueueWorkers } from './jobQueue.ts';
import type { OpenBatch } from './openBatch.ts';
import type { ShardWait } from './shardWaits.ts';

export interface WorkerNewsDeps {
	readonly workers: QueueWorkers;
	/** Whether shards are worked on here. */
	readonly works: boolean;
	/** Milliseconds since 1970. */
	readonly now: () => number;
	/** How long what was told holds; it is told again in half of that time. */
	readonly holdsMs: number;
}

/** One that takes its time, or has missed a turn, counts as there. */
const missedTurns = 3;

const noWorker: ShardWait = {
	code: 'no_worker',
	message:
		'No machine works from the queue at the moment: those that are there only serve (--work 0). The batch goes on when one that works is started.',
};

export class WorkerNews {
	readonly #deps: WorkerNewsDeps;
	#announcedAt: number | undefined;
	#isWorked = true;

	constructor(deps: WorkerNewsDeps) {
		this.#deps = deps;
	}

	/** Says that this machine works, or looks whether another one does. What is not known of it keeps nobody from working. */
	async look(): Promise<void> {
		const { workers, works, now, holdsMs } = this.#deps;
		if (!works) {
			this.#isWorked = await workers.isAny().catch(() => true);
			return;
		}
		if (!this.#isDue(this.#announcedAt)) return;
		this.#announcedAt = now();
		await workers.announce(missedTurns * holdsMs).catch(() => {
			this.#announcedAt = undefined;
		});
	}

	/** Tells what a batch waits for here, or hears what it waits for elsewhere. */
	async exchange(batch: OpenBatch): Promise<void> {
		const { workers, now, holdsMs } = this.#deps;
		const { id } = batch.record;
		const wait = batch.isUnderWay ? (batch.wait ?? 'none') : undefined;
		const text = JSON.stringify(wait) ?? '';
		const isNews =
			text !== (batch.reported?.text ?? '') || (text !== '' && this.#isDue(batch.reported?.at));
		if (isNews) {
			const isReported = await workers.report(id, wait, missedTurns * holdsMs).then(
				() => true,
				() => false,
			);
			if (isReported) batch.reported = { text, at: now() };
		}
		if (batch.isUnderWay) batch.elsewhere = undefined;
		else
			batch.elsewhere = this.#isWorked ? await workers.waitOf(id).catch(() => undefined) : noWorker;
	}

	#isDue(at: number | undefined): boolean {
		const { now, holdsMs } = this.#deps;
		return at === undefined || Math.abs(now() - at) >= holdsMs / 2;
	}
}
