/** One model in memory: its runner, who is using it, and when it is to be unloaded. */

import {
	AppError,
	type ExecutionProvider,
	type ModelInfo,
	type ModelNotice,
} from '../protocol/index.ts';
import type { ModelClient, ProviderFallback } from '../services/host.ts';
import type { IndexedModel } from './modelIndex.ts';
import type { ChosenProvider } from './providerChoice.ts';
import type { RunnerProcess } from './runnerProcess.ts';

/** Told whenever a model's state changes. */
export type ModelListener = (event: {
	readonly model: string;
	readonly state: ModelInfo['state'];
}) => void;

export interface LoadedModel {
	readonly runner: RunnerProcess;
	readonly engine: ModelClient;
	/** Milliseconds the load took. */
	readonly loadMs: number;
	/** What the daemon remarks about it, beside the engine. */
	readonly notices: readonly ModelNotice[];
}

/** A process, and milliseconds until it ends if nobody asks; absent: it stays. */
export interface LoadedRunner {
	readonly model: string;
	readonly pid: number;
	readonly idleLeftMs?: number;
}

export class ModelSlot {
	readonly model: IndexedModel;
	/** The small one that drafts for it. */
	draft: IndexedModel | undefined;
	/** Provider it runs on. */
	readonly provider: ExecutionProvider;
	/** Activations of 4-bit weights are in single precision. */
	readonly exact: boolean;
	/** Set when the model's files wish another one. */
	readonly fallback: ProviderFallback | undefined;
	/** The one load that all who ask share. */
	readonly loading: Promise<LoadedModel>;
	loaded: LoadedModel | undefined;
	/** Seconds after the last use; 0 = for ever. */
	ttlS: number;
	pinned = false;
	lastUsed: number;
	/** Its files were replaced: it takes no more requests, and ends with its last one. */
	#isRetired = false;
	#isEnding = false;
	readonly #ended = Promise.withResolvers<void>();
	#leases = 0;
	#timer: NodeJS.Timeout | undefined;
	readonly #onIdle: () => void;
	readonly #stop = new AbortController();

	constructor(
		model: IndexedModel,
		chosen: ChosenProvider,
		ttlS: number,
		load: (signal: AbortSignal) => Promise<LoadedModel>,
		onIdle: () => void,
	) {
		this.model = model;
		this.provider = chosen.provider;
		this.exact = chosen.exact === true;
		this.fallback = chosen.fallback;
		this.ttlS = ttlS;
		this.lastUsed = performance.now();
		this.#onIdle = onIdle;
		this.loading = load(this.#stop.signal).then((loaded) => {
			this.loaded = loaded;
			this.#arm();
			return loaded;
		});
		this.loading.catch(() => {});
	}

	get isRetired(): boolean {
		return this.#isRetired;
	}

	/** Has it end when its last request does, whatever its time is. */
	retire(): void {
		if (this.#isRetired) return;
		this.#isRetired = true;
		this.#arm();
	}

	get leases(): number {
		return this.#leases;
	}

	/** Milliseconds until it is unloaded if nobody asks for it; `undefined` = it stays. */
	get idleLeftMs(): number | undefined {
		if (this.ttlS === 0 || this.pinned) return undefined;
		const wholeMs = this.ttlS * 1000;
		if (this.#leases > 0) return wholeMs;
		return Math.max(0, wholeMs - (performance.now() - this.lastUsed));
	}

	/** Takes a lease; the returned function gives it back, once. */
	lease(): () => void {
		this.#leases++;
		clearTimeout(this.#timer);
		let given = false;
		return () => {
			if (given) return;
			given = true;
			this.#leases--;
			this.lastUsed = performance.now();
			this.#arm();
		};
	}

	/** Settles when {@link end} has. */
	get ended(): Promise<void> {
		return this.#ended.promise;
	}

	/** Does what ends it, once. */
	end(work: () => Promise<unknown>): Promise<void> {
		if (!this.#isEnding) {
			this.#isEnding = true;
			void work().then(() => this.#ended.resolve(), this.#ended.reject);
			this.#ended.promise.catch(() => {});
		}
		return this.#ended.promise;
	}

	/** Gives up a load that nobody waits for any more. */
	abandon(): void {
		this.#stop.abort(new AppError('cancelled', 'The load was given up.'));
	}

	dispose(): void {
		clearTimeout(this.#timer);
	}

	/** The time runs from the end of the last request, never during one. */
	#arm(): void {
		clearTimeout(this.#timer);
		if (this.#isRetired && this.#leases === 0) this.#onIdle();
		if (this.#isRetired || this.#leases > 0 || this.ttlS === 0 || this.pinned || !this.loaded)
			return;
		this.#timer = setTimeout(this.#onIdle, Math.min(this.ttlS * 1000, 2 ** 31 - 1));
		this.#timer.unref();
	}

	rearm(): void {
		this.#arm();
	}
}
