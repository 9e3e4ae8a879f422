/**
 * Lends loaded models. A model that is asked for is loaded once, whoever else asks meanwhile waits
 * for the same load, and a runner that dies takes nothing with it but its own requests.
 */

import { resolve } from 'node:path';
import type { LoadOptions, ModelDescription } from '../engine/api.ts';
import { totalMemory } from '../net/roughMemory.ts';
import { defined } from '../protocol/defined.ts';
import {
	AppError,
	type ExecutionProvider,
	findModel,
	type ModelInfo,
	type ModelTask,
} from '../protocol/index.ts';
import type { AcquireOptions, ModelHost, ModelLease } from '../services/host.ts';
import type { Logger } from '../services/logger.ts';
import { untilAborted } from '../services/untilAborted.ts';
import { draftModelOf } from './draftModel.ts';
import { findInfo, findUsable } from './findModel.ts';
import { loadRunner } from './loadRunner.ts';
import { isAnswering } from './modelErrors.ts';
import type { IndexedModel, ModelIndex } from './modelIndex.ts';
import { makeRoom } from './modelRoom.ts';
import { type LoadedModel, type LoadedRunner, type ModelListener, ModelSlot } from './modelSlot.ts';
import {
	type ChosenProvider,
	deviceOf,
	type devices,
	ProviderChoice,
	type ProviderRefusal,
} from './providerChoice.ts';
import { retireReplaced } from './replacedModels.ts';
import type { RunnerCommand } from './runnerProcess.ts';
import type { RunnerWatch } from './runnerWatch.ts';
import { type SlotStats, statsOf } from './slotStats.ts';
import { type OwnedText, TextModels } from './textModels.ts';
import type { UsageFile } from './usageFile.ts';
import type { VerdictFile } from './verdictFile.ts';

export interface ModelHostOptions {
	/** Seconds an unused model stays loaded unless a request says otherwise; 0 = for ever. */
	readonly defaultTtlS: number;
	/** Longest time a load may take. */
	readonly loadTimeoutMs: number;
	/** Options given to every load, e.g. `threads`. */
	readonly load?: Omit<LoadOptions, 'folder' | 'executionProvider'>;
	/** When a provider that cannot be used is an error; default `named`. */
	readonly refuseProvider?: ProviderRefusal;
	/** Where models run when nothing names a provider: on the CPU (default), or on what a short test found faster. */
	readonly device?: (typeof devices)[number];
	/** How runners are watched. */
	readonly watch?: Partial<RunnerWatch>;
}

export interface ModelHostDeps {
	readonly index: ModelIndex;
	/** Tokenizer and template of a folder, in threads. */
	readonly openText: (folder: string, model: string) => OwnedText;
	/** Command of a new runner. */
	readonly runner: () => RunnerCommand;
	/** What loads have found of rewritten graphs. */
	readonly verdicts?: VerdictFile;
	/** Bytes this machine can still give; used to unload idle models before a load. */
	readonly freeBytes: (provider: ExecutionProvider) => number | Promise<number>;
	/** All that it has for models of a provider; default: the memory of the machine or its container. */
	readonly totalBytes?: (provider: ExecutionProvider) => number | Promise<number>;
	readonly log: Logger;
	/** Milliseconds the last load of each model took. */
	readonly loadTimes?: UsageFile;
	/** Options that can change while the daemon runs, e.g. the chosen GPU. */
	readonly loadOptions?: () => Pick<LoadOptions, 'deviceId'>;
	/** Models that are never unloaded by themselves. */
	readonly isPinned?: (id: string) => boolean;
	/** Name of the small model that drafts for a model, when one was chosen. */
	readonly draftOf?: (id: string) => string | undefined;
	/** Whether the installed runtime brings a provider along. */
	readonly hasProvider?: (provider: ExecutionProvider) => boolean;
}

/** What the daemon's own routes need beyond lending. */
export interface RunnerHost extends ModelHost {
	/** Told of every folder of a model that was added, removed or written; absent: where models are looked for. */
	changed(folder?: string): void;
	/** Ids of the models in memory. */
	loaded(): readonly string[];
	/** Loads without using; `ttlS` 0 = stays for ever. */
	load(name: string, options: AcquireOptions, signal?: AbortSignal): Promise<ModelInfo>;
	/** Ends the runner. Refused with `conflict` while in use, unless forced. False when not loaded. */
	unload(name: string, force?: boolean): Promise<boolean>;
	/** A pinned model is not unloaded when idle, nor to make room. */
	pin(name: string, pinned: boolean): Promise<void>;
	describe(name: string): Promise<ModelDescription>;
	/** Somebody's request has come: background work of all models waits for it a little. */
	expect(): void;
	/** Processes of the models in memory. */
	runners(): readonly LoadedRunner[];
	/** Models that are on disk and cannot run, with the reason. */
	problems(): Promise<readonly { readonly model: string; readonly problem: AppError }[]>;
	stats(): Promise<readonly SlotStats[]>;
	onChange(listener: ModelListener): () => void;
	close(): Promise<void>;
}

const stateOf = (own: readonly ModelSlot[]): ModelInfo['state'] =>
	own.some((slot) => slot.loaded) ? 'loaded' : own.length > 0 ? 'loading' : 'cached';

export function createModelHost(options: ModelHostOptions, deps: ModelHostDeps): RunnerHost {
	const slots = new Map<string, ModelSlot[]>();
	const texts = new TextModels(deps.openText);
	const listeners = new Set<ModelListener>();
	const leaving = new Set<ModelSlot>();
	let closed = false;

	const all = () => [...slots.values()].flat();
	const notify = (model: string, state: ModelInfo['state']) => {
		for (const listener of listeners) listener({ model, state });
	};

	const withState = (model: IndexedModel): ModelInfo => {
		const own = slots.get(model.info.id) ?? [];
		return {
			...model.info,
			state: stateOf(own),
			...(own.some((slot) => slot.pinned) ? { pinned: true } : {}),
		};
	};

	const find = (name: string, task?: ModelTask) => findUsable(deps.index, name, task);

	const forget = (slot: ModelSlot) => {
		slot.dispose();
		const id = slot.model.info.id;
		const own = slots.get(id) ?? [];
		const rest = own.filter((other) => other !== slot);
		if (rest.length === own.length) return;
		if (rest.length > 0) slots.set(id, rest);
		else slots.delete(id);
		notify(id, stateOf(rest));
	};

	const providers = new ProviderChoice({
		refusal: options.refuseProvider ?? 'named',
		hasProvider: deps.hasProvider ?? (() => true),
		log: deps.log,
	});

	/** Of a model in memory, also of one whose files have gone; else of one on the disk, also of one that cannot be used. */
	const idOf = async (name: string): Promise<string> =>
		(
			findModel(
				all().map(({ model }) => model.info),
				name,
			) ??
			findInfo(await deps.index.list(), name)?.info ??
			(await find(name)).info
		).id;

	const startRunner = async (
		slot: ModelSlot,
		{ provider: executionProvider, exact }: ChosenProvider,
		signal: AbortSignal,
	): Promise<LoadedModel> => {
		const { model } = slot;
		await makeRoom(room, model, executionProvider, signal);
		// A runner is in another folder than the daemon.
		const folder = resolve(model.folder);
		const draft = await draftModelOf(deps.draftOf?.(model.info.id), find, deps.log);
		slot.draft = draft;
		const loaded = await loadRunner(
			{
				...options,
				model: model.info.id,
				command: deps.runner(),
				log: deps.log,
				timeoutMs: options.loadTimeoutMs,
				verdicts: deps.verdicts,
				load: {
					...(draft === undefined ? {} : { draftFolder: resolve(draft.folder) }),
					...options.load,
					...deps.loadOptions?.(),
					...defined({ exact }),
					folder,
					modelName: model.info.id,
					executionProvider,
				},
			},
			signal,
		);
		deps.loadTimes?.record(model.info.id, loaded.loadMs);
		return loaded;
	};

	const end = (slot: ModelSlot): Promise<void> =>
		slot.end(async () => {
			leaving.add(slot);
			try {
				forget(slot);
				slot.abandon();
				const loaded = await slot.loading.catch(() => undefined);
				await Promise.all([loaded?.runner.close(), texts.release(slot.model.folder)]);
			} finally {
				leaving.delete(slot);
			}
		});

	const room = {
		...{ slots: all, leaving, end, freeBytes: deps.freeBytes, log: deps.log },
		totalBytes: deps.totalBytes ?? (() => totalMemory()),
		waitMs: options.loadTimeoutMs,
	};

	const retire = async () =>
		retireReplaced(all(), await deps.index.list().catch(() => []), leaving, deps.log);

	const newSlot = (
		model: IndexedModel,
		chosen: ChosenProvider,
		ttlS: number,
		after: Promise<void> | undefined,
	) => {
		const { id } = model.info;
		const slot: ModelSlot = new ModelSlot(
			model,
			chosen,
			ttlS,
			(signal) => Promise.resolve(after).then(() => startRunner(slot, chosen, signal)),
			() => void end(slot),
		);
		slot.pinned = deps.isPinned?.(id) ?? false;
		slots.set(id, [...(slots.get(id) ?? []), slot]);
		notify(id, 'loading');
		slot.loading.then(
			({ runner }) => {
				notify(id, 'loaded');
				void runner.ended.then((reason) => {
					if (slots.get(id)?.includes(slot)) {
						deps.log.warn('runner ended', { model: id, reason: reason.message });
						forget(slot);
					}
				});
			},
			() => forget(slot),
		);
		return slot;
	};

	/** The slot of the wished provider; without a wish, any. A model runs on each device once. */
	const slotFor = (model: IndexedModel, acquire: AcquireOptions, chosen: ChosenProvider) => {
		const own = (slots.get(model.info.id) ?? []).filter((slot) => !slot.isRetired);
		const { executionProvider: asked, exact } = acquire;
		const found = own.find(
			(slot) =>
				(asked === undefined || slot.provider === chosen.provider) &&
				(exact === undefined || slot.exact === exact),
		);
		if (found) {
			if (acquire.ttlS !== undefined) found.ttlS = acquire.ttlS;
			return found;
		}
		const device = deviceOf(chosen.provider);
		const rival = own.find((slot) => deviceOf(slot.provider) === device);
		if (rival !== undefined && rival.leases > 0)
			throw isAnswering(model.info.id, rival.provider, chosen.provider);
		const after = rival === undefined ? undefined : end(rival);
		// What one request wished is not told to the others.
		const kept = asked === undefined ? chosen : { provider: chosen.provider };
		const form = { ...kept, ...defined({ exact: exact ?? options.load?.exact }) };
		return newSlot(model, form, acquire.ttlS ?? options.defaultTtlS, after);
	};

	const acquire = async (
		name: string,
		requested: AcquireOptions,
		signal?: AbortSignal,
	): Promise<ModelLease> => {
		if (closed) throw new AppError('daemon_unavailable', 'The model server is ending.');
		const began = performance.now();
		// Of a model that is written all the time one must do.
		let loadsLeft = 4;
		for (;;) {
			const model = await find(name);
			await retire();
			const asked = requested.executionProvider;
			const published = model.description?.executionProvider;
			const chosen = providers.choose({ byRequest: asked, byModel: published });
			const slot = slotFor(model, requested, chosen);
			const giveBack = slot.lease();
			try {
				const ready = slot.loaded;
				const fallback = asked === undefined ? slot.fallback : chosen.fallback;
				if (fallback) requested.onFallback?.(fallback);
				if (!ready) requested.onLoading?.(deps.loadTimes?.used(model.info.id));
				const loaded = ready ?? (await untilAborted(slot.loading, signal));
				if (!ready) await retire();
				if (slot.isRetired && --loadsLeft > 0) {
					giveBack();
					continue;
				}
				return {
					info: withState(model),
					engine: loaded.engine,
					loadMs: ready ? 0 : performance.now() - began,
					[Symbol.asyncDispose]: async () => giveBack(),
				};
			} catch (error) {
				giveBack();
				if (!slot.loaded && slot.leases === 0 && signal?.aborted) {
					// Forgotten first, so that the next request starts a load of its own.
					forget(slot);
					slot.abandon();
				}
				await retire();
				if (slot.isRetired && signal?.aborted !== true && --loadsLeft > 0) continue;
				const didNotStart = error instanceof AppError && error.code === 'not_supported';
				if (!didNotStart || slot.provider === 'cpu') throw error;
				// Waiting requests are tried again: on the CPU's slot, or refused with its reason.
				providers.fails(slot.provider, error.message);
				forget(slot);
			}
		}
	};

	let asked: Promise<SlotStats[]> | undefined;

	return {
		list: async (task) =>
			(await deps.index.list())
				.filter((model) => task === undefined || model.info.task === task)
				.map(withState),
		resolve: async (name, task) => withState(await find(name, task)),
		acquire,
		textModel: async (name) => texts.get(await find(name)),
		describe: async (name) => {
			const { description } = await find(name);
			if (!description) throw new AppError('unsupported_model');
			return description;
		},
		expect: () => {
			for (const { loaded } of all()) loaded?.runner.expect();
		},
		runners: () =>
			all().flatMap(({ loaded, model, idleLeftMs }) =>
				loaded
					? [{ model: model.info.id, pid: loaded.runner.pid, ...defined({ idleLeftMs }) }]
					: [],
			),
		problems: async () =>
			(await deps.index.list()).flatMap(({ info, problem }) =>
				problem ? [{ model: info.id, problem }] : [],
			),
		changed: (folder) => {
			deps.index.invalidate(folder);
			// An older one that nobody asks for goes as well.
			void retire();
		},
		// On two devices it is loaded twice, and is one model.
		loaded: () => [...new Set(all().flatMap((slot) => (slot.loaded ? [slot.model.info.id] : [])))],
		load: async (name, requested, signal) => {
			await using lease = await acquire(name, { ...requested, ttlS: requested.ttlS ?? 0 }, signal);
			return lease.info;
		},
		unload: async (name, force = false) => {
			const id = await idOf(name);
			const own = slots.get(id) ?? [];
			if (!force && own.some((slot) => slot.leases > 0))
				throw new AppError(
					'conflict',
					`'${id}' is answering a request; wait for it or unload with force.`,
					{ param: 'model' },
				);
			await Promise.all(own.map(end));
			return own.length > 0;
		},
		pin: async (name, pinned) => {
			for (const slot of slots.get(await idOf(name)) ?? []) {
				slot.pinned = pinned;
				slot.rearm();
			}
		},
		stats: () => {
			// Requests that come meanwhile share the answer.
			asked ??= statsOf(all()).finally(() => {
				asked = undefined;
			});
			return asked;
		},
		onChange: (listener) => {
			listeners.add(listener);
			return () => listeners.delete(listener);
		},
		close: async () => {
			closed = true;
			deps.index.close();
			await Promise.all(all().map(end));
			await texts.close();
		},
	};
}
