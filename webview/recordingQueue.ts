/** The queue of recordings on the studio page: those that are still to be sent, and those that the server has. */

import { computed, signal } from '@preact/signals';
import type { QueuedState, TranscribeChoice, Transcript } from '../server/protocol/index.ts';
import {
	newestRecordings,
	queueAgain,
	queuedReason,
	queuedRecordings,
	queuedSound,
	queuedState,
	queuedTranscript,
	queueRecording,
	removeQueued,
} from '../server/protocol/queuedRecordings.ts';
import { cancelBatch } from '../server/protocol/routeAddresses.ts';
import type { BatchAnswer } from '../server/protocol/routes/batches.ts';
import { errorText, refusalText } from './errorText.ts';
import { ownStores } from './ownStore.ts';
import type { StudioApi } from './studioApi.ts';

/** A row of the queue. */
export interface QueuedRecording {
	readonly id: string;
	readonly name: string;
	readonly state: QueuedState | 'waiting' | 'sending';
	/** Why it failed, or what stands in its way. */
	readonly message?: string;
	/** Absent while it has not been sent. */
	readonly batch?: BatchAnswer;
}

interface UnsentRecording {
	readonly id: string;
	readonly file: File;
	readonly choice: TranscribeChoice;
	readonly stop: AbortController;
	readonly state: 'waiting' | 'sending' | 'failed';
	readonly message?: string;
}

/** How many of those that are not shown any more are remembered. */
const maxHidden = 2000;
const hiddenName = 'hiddenRecordings';

export class RecordingQueue {
	readonly #api: StudioApi;
	readonly #unsent = signal<readonly UnsentRecording[]>([]);
	readonly #batches = signal<readonly BatchAnswer[]>([]);
	readonly #hidden = signal<readonly string[]>(hiddenBatches());
	/** Why they failed, by batch. */
	readonly #reasons = signal<ReadonlyMap<string, string | undefined>>(new Map());
	#sending: Promise<void> = Promise.resolve();
	#looking: Promise<void> | undefined;
	/** How often a batch was changed here: what was asked for before is out of date. */
	#changes = 0;
	#hasListed = false;
	readonly #lookProblem = signal('');
	/** Why what was wanted last could not be done; empty: it could. */
	readonly failure = signal('');
	/** What is to be said of the queue as a whole. */
	readonly problem = computed(() => this.failure.value || this.#lookProblem.value);

	/** In the order in which they are done. */
	readonly recordings = computed((): readonly QueuedRecording[] => [
		...this.#batches.value
			.filter(({ id }) => !this.#hidden.value.includes(id))
			.map((batch): QueuedRecording => {
				const { id, metadata, problem } = batch;
				const state = queuedState(batch);
				const message = this.#reasons.value.get(id) ?? (problem ? refusalText(problem) : undefined);
				return {
					...{ id, name: metadata?.['name'] ?? id, state, batch },
					...(message === undefined || state === 'done' ? {} : { message }),
				};
			})
			.reverse(),
		...this.#unsent.value.map(({ id, file, state, message }) => ({
			...{ id, name: file.name, state },
			...(message === undefined ? {} : { message }),
		})),
	]);

	/** Whether something may be learnt by another look. */
	readonly isOpen = computed(
		() =>
			this.#lookProblem.value !== '' ||
			this.recordings.value.some(({ state }) => state === 'underWay'),
	);

	/** Whether recordings are still in this page alone. */
	readonly isSending = computed(() => this.#unsent.value.some(({ state }) => state !== 'failed'));

	constructor(api: StudioApi) {
		this.#api = api;
	}

	/** Sends recordings one after the other. */
	add(files: readonly File[], choice: TranscribeChoice): void {
		const added = files.map((file): UnsentRecording => {
			const stop = new AbortController();
			return { id: crypto.randomUUID(), file, choice, stop, state: 'waiting' };
		});
		this.#unsent.value = [...this.#unsent.value, ...added];
		for (const { id } of added) this.#sending = this.#sending.then(() => this.#send(id));
	}

	/** How they stand now; one look at a time. */
	look(): Promise<void> {
		this.#looking ??= this.#lookOnce().finally(() => {
			this.#looking = undefined;
		});
		return this.#looking;
	}

	async cancel({ id, batch }: QueuedRecording): Promise<void> {
		if (batch) return this.#attempt(() => this.#cancelBatch(id));
		this.#unsent.value.find((one) => one.id === id)?.stop.abort();
		this.#drop(id);
	}

	/** Once more what has failed or was cancelled. */
	async retry({ id, batch }: QueuedRecording): Promise<void> {
		if (batch) {
			this.#hide([...hiddenBatches(), id]);
			return this.#attempt(async () => {
				try {
					this.#put(await queueAgain(this.#api.client, batch));
				} catch (error) {
					this.#hide(hiddenBatches().filter((one) => one !== id));
					throw error;
				}
			});
		}
		const unsent = this.#unsent.value.find((one) => one.id === id);
		this.#drop(id);
		if (unsent) this.add([unsent.file], unsent.choice);
	}

	/** The recording, and what was heard in it. */
	async open(batch: BatchAnswer): Promise<{ sound: Blob; transcript: Transcript }> {
		const { client } = this.#api;
		const [sound, transcript] = await Promise.all([
			queuedSound(client, batch),
			queuedTranscript(client, batch),
		]);
		return { sound, transcript };
	}

	/** Takes one that is over out of the list, and its files from the server. */
	async remove({ id, batch }: QueuedRecording): Promise<void> {
		if (!batch) return this.#drop(id);
		this.#hide([...hiddenBatches(), id]);
		await this.#attempt(async () => {
			try {
				await removeQueued(this.#api.client, batch);
			} catch (error) {
				this.#hide(hiddenBatches().filter((one) => one !== id));
				throw error;
			}
		});
	}

	async #send(id: string): Promise<void> {
		const unsent = this.#unsent.value.find((one) => one.id === id);
		if (!unsent) return;
		this.#mark(id, { state: 'sending' });
		const { file, choice, stop } = unsent;
		try {
			const { name } = file;
			const sent = { sound: file, name, choice };
			const batch = await queueRecording(this.#api.client, sent, stop.signal);
			this.#put(batch);
			this.#drop(id);
			// Cancelled just as it was there.
			if (stop.signal.aborted) await this.#attempt(() => this.#cancelBatch(batch.id));
		} catch (error) {
			if (!stop.signal.aborted) this.#mark(id, { state: 'failed', message: errorText(error) });
			return;
		}
		// The next one is sent meanwhile.
		void this.look();
	}

	async #lookOnce(): Promise<void> {
		try {
			let changes: number;
			do {
				changes = this.#changes;
				const found = await this.#read();
				if (changes !== this.#changes) continue;
				this.#batches.value = found;
				await this.#readReasons(found);
			} while (changes !== this.#changes);
			this.#lookProblem.value = '';
		} catch (error) {
			this.#lookProblem.value = errorText(error);
		}
	}

	/** All of them once; from then on those that are new, and those that are under way. */
	async #read(): Promise<readonly BatchAnswer[]> {
		const { client } = this.#api;
		if (!this.#hasListed) {
			const all = await queuedRecordings(client);
			this.#hasListed = true;
			return all;
		}
		const before = this.#batches.value;
		const underWay = before.filter((batch) => queuedState(batch) === 'underWay');
		const found = await newestRecordings(
			client,
			underWay.map(({ id }) => id),
		);
		const known = new Set([...found, ...underWay].map(({ id }) => id));
		const ended = before.filter(({ id }) => !known.has(id));
		return [...found, ...ended].sort((a, b) => b.created_at - a.created_at);
	}

	async #readReasons(batches: readonly BatchAnswer[]): Promise<void> {
		for (const batch of batches) {
			const { id } = batch;
			if (queuedState(batch) !== 'failed' || this.#reasons.value.has(id)) continue;
			if (this.#hidden.value.includes(id)) continue;
			const reason = await queuedReason(this.#api.client, batch);
			const said = reason && refusalText(reason);
			this.#reasons.value = new Map([...this.#reasons.value, [id, said]]);
		}
	}

	async #attempt(work: () => Promise<unknown>): Promise<void> {
		this.failure.value = '';
		try {
			await work();
			await this.look();
		} catch (error) {
			this.failure.value = errorText(error);
		}
	}

	async #cancelBatch(id: string): Promise<void> {
		this.#put(await this.#api.client.call(cancelBatch, { params: { id } }));
	}

	/** A batch as the server has just said it stands; it is shown from now on, whatever the next look finds. */
	#put(batch: BatchAnswer): void {
		this.#changes++;
		const at = this.#batches.value.findIndex(({ id }) => id === batch.id);
		this.#batches.value =
			at < 0 ? [batch, ...this.#batches.value] : this.#batches.value.with(at, batch);
	}

	#mark(id: string, change: Partial<UnsentRecording>): void {
		this.#unsent.value = this.#unsent.value.map((one) =>
			one.id === id ? { ...one, ...change } : one,
		);
	}

	#drop(id: string): void {
		this.#unsent.value = this.#unsent.value.filter((one) => one.id !== id);
	}

	#hide(ids: readonly string[]): void {
		this.#hidden.value = ids.slice(-maxHidden);
		ownStores().browser.set(hiddenName, JSON.stringify(this.#hidden.value));
	}
}

function hiddenBatches(): string[] {
	try {
		const value: unknown = JSON.parse(ownStores().browser.get(hiddenName) ?? '[]');
		return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
	} catch {
		return [];
	}
}
