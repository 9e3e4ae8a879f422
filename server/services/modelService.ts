/**
 * Models as use-cases: what there is, what is here, what is in memory; download, load, unload,
 * remove, register, pin. The wire shapes of the older clients are not made here.
 */

import {
	type Catalogue,
	type CatalogueEntry,
	catalogueEntries,
	type Device,
} from '../hub/catalogue.ts';
import type { DownloadEvent } from '../hub/downloadModel.ts';
import type { DownloadOrder, Downloads } from '../hub/downloads.ts';
import type { ModelSettingsFile } from '../hub/modelSettings.ts';
import type { KnownFacts } from '../hub/refresh.ts';
import type { FoundRepository } from '../hub/searchHub.ts';
import { defined } from '../protocol/defined.ts';
import { AppError, type ExecutionProvider, findModel, type ModelInfo } from '../protocol/index.ts';
import type { BuildFlags } from './buildWork.ts';
import { infoOf } from './catalogueInfo.ts';
import {
	type DownloadOptions,
	type DownloadTarget,
	type FetchTarget,
	findTarget,
	givenTemplate,
	type HubChoice,
	type PresentTarget,
	present,
} from './downloadTarget.ts';
import { freeIds } from './freeIds.ts';
import type { AcquireOptions, ModelHost, ProviderFallback } from './host.ts';
import type { ModelFetcher } from './modelFetcher.ts';
import type { ModelFolders } from './modelFolders.ts';
import { whenIdle } from './whenIdle.ts';

/** The part of the daemon's model host that changes what is in memory. */
export interface ModelLifecycle extends ModelHost {
	loaded(): readonly string[];
	load(name: string, options: AcquireOptions, signal?: AbortSignal): Promise<ModelInfo>;
	unload(name: string, force?: boolean): Promise<boolean>;
	pin(name: string, pinned: boolean): Promise<void>;
	/** Told of every folder of a model that was added, removed or written; absent: where models are looked for. */
	changed(folder?: string): void;
}

export interface ModelServiceDeps {
	readonly host: ModelLifecycle;
	readonly catalogue: Catalogue;
	readonly facts: () => Readonly<Record<string, KnownFacts>>;
	readonly downloads: Downloads;
	readonly fetcher: ModelFetcher;
	readonly folders: ModelFolders;
	readonly settings: ModelSettingsFile;
	/** Devices of this machine that models can run on. */
	readonly devices: () => Promise<{
		readonly devices: ReadonlySet<Device>;
		readonly cuda: boolean;
	}>;
	/** Seconds an unused model stays loaded when a load says nothing else. */
	readonly defaultTtlS: number;
	/** Whether files can be replaced while a runner has them open; Windows replaces none. */
	readonly replacesOpenFiles: boolean;
	/** What is known of every model in memory, by id. */
	readonly loaded: () => Promise<ReadonlyMap<string, LoadedFacts>>;
	/** Base address that downloads come from. */
	readonly hubAddress: () => string;
	/** The same for a request, made sure of. @throws AppError `invalid_request` */
	readonly hubOf: (requested: HubChoice) => string;
	/** Asks the hub for sizes, commits and licences; resolves to what could not be asked. */
	readonly refresh: (signal: AbortSignal, requested?: HubChoice) => Promise<readonly string[]>;
	readonly search: (
		wanted: WantedModels,
		signal: AbortSignal,
	) => Promise<readonly FoundRepository[]>;
}

/** What to look for where models are published. */
export interface WantedModels {
	/** Words. */
	readonly q?: string | undefined;
	/** Only the list of models of this kind. */
	readonly task?: 'translation' | undefined;
	readonly from?: HubChoice;
}

/** What the runner of a model in memory tells. */
export type LoadedFacts = Pick<ModelInfo, 'memoryBytes' | 'notices'>;

export interface ModelLoadOptions {
	/** Whether it may be unloaded when unused; default true. */
	readonly unload?: boolean;
	/** Seconds above 0; overrides `unload`. */
	readonly ttlS?: number;
	readonly executionProvider?: ExecutionProvider;
	/** Activations of 4-bit weights in single precision. */
	readonly exact?: boolean;
	readonly onFallback?: (fallback: ProviderFallback) => void;
}

/** What happens while somebody waits for a model. */
export type ModelDownloadEvent =
	| DownloadEvent
	| { readonly type: 'done'; readonly model: ModelInfo };

/** What a download will do, once it is clear that nothing speaks against it. */
interface Planned {
	readonly found: FetchTarget;
	readonly order: DownloadOrder;
}

export interface ModelService {
	readonly host: ModelLifecycle;
	readonly downloads: Downloads;
	entries(): readonly CatalogueEntry[];
	facts(id: string): KnownFacts | undefined;
	hubAddress(): string;
	refresh(signal: AbortSignal, requested?: HubChoice): Promise<readonly string[]>;
	/** Asks the hub for repositories whose models run here. */
	search(wanted: WantedModels, signal: AbortSignal): Promise<readonly FoundRepository[]>;
	/** Everything: on this machine first, then what the catalogue offers beyond it. */
	list(): Promise<readonly ModelInfo[]>;
	/**
	 * What a download will fetch. Whatever can be refused before a byte is refused here.
	 * @param name of the catalogue, hub id, or with `uri` any name; absent: the repository's of `uri`
	 */
	target(name: string | undefined, requested?: DownloadOptions): Promise<DownloadTarget>;
	/** What happens, `done` once the model is on disk. Leaving the iterator early leaves the download. */
	download(
		name: string | undefined,
		requested: DownloadOptions,
		signal: AbortSignal,
	): AsyncGenerator<ModelDownloadEvent, void>;
	load(name: string, requested: ModelLoadOptions, signal?: AbortSignal): Promise<ModelInfo>;
	unloadAll(force: boolean): Promise<readonly string[]>;
	/** Deletes the files. Refused for built-in and registered models. */
	remove(name: string): Promise<ModelInfo>;
	pin(name: string, pinned: boolean): Promise<void>;
	/** Chooses the small model that drafts for a model; `undefined` = none. Takes effect at the next load. */
	draft(name: string, draft: string | undefined): Promise<void>;
	/** Adds a folder of a model, or of models, in place. */
	register(folder: string): Promise<readonly ModelInfo[]>;
	unregister(folder: string): Promise<void>;
	/** Moves the folder of downloaded models, files included. Refused while one is in use. */
	move(folder: string): Promise<void>;
	/** Copies a model folder or unpacks an archive (.tar, .tar.gz, .zip) into the model folder. */
	import(path: string, name: string | undefined, signal: AbortSignal): Promise<ModelInfo>;
	/** Builds a model of a GGUF file or a folder of weights. Leaving the iterator early leaves the build. */
	build(
		path: string,
		name: string | undefined,
		flags: BuildFlags,
		signal: AbortSignal,
	): AsyncGenerator<ModelDownloadEvent, void>;
}

export function createModelService(deps: ModelServiceDeps): ModelService {
	const entries = catalogueEntries(deps.catalogue);
	const factsOf = (id: string) => deps.facts()[id];

	const list = async (): Promise<readonly ModelInfo[]> => {
		const [found, loaded] = await Promise.all([deps.host.list(), deps.loaded()]);
		const here = found.map((model) => ({ ...model, ...loaded.get(model.id) }));
		const ids = new Set(here.map((model) => model.id));
		const running = new Set(deps.downloads.list().map((job) => job.model));
		const others = entries
			.filter((entry) => !ids.has(entry.id))
			.map((entry) => infoOf(entry, factsOf(entry.id), running.has(entry.id)));
		return [...here, ...others];
	};

	const plan = async (
		name: string | undefined,
		requested: DownloadOptions,
	): Promise<{ readonly found: PresentTarget } | Planned> => {
		const [machine, models] = await Promise.all([deps.devices(), deps.host.list()]);
		// Nothing is downloaded into folders that were registered where they lie.
		const here = models.map((model) => {
			const { source, ...rest } = model;
			return deps.folders.registered(model) === undefined ? model : rest;
		});
		const coming = deps.downloads.list().map((job) => job.order.model);
		const hub = deps.hubOf(requested);
		const known = { entries, machine, here, coming, hub };
		const found = findTarget(known, name, requested);
		const { modelsFolder } = await deps.fetcher.place(found, requested.folder);
		if (found.source === undefined) return { found };
		const { repository, revision = 'main', path = '', precision } = found.source;
		const { publisher, providerType } = requested;
		const template = givenTemplate(found, requested.promptTemplate);
		const order: DownloadOrder = {
			model: found,
			from: JSON.stringify([
				hub,
				repository.toLowerCase(),
				revision,
				path,
				precision,
				modelsFolder,
			]),
			details: JSON.stringify([
				template,
				publisher,
				providerType,
				requested.quality,
				requested.keep,
			]),
		};
		deps.downloads.check(order);
		return { found, order };
	};

	const checkFree = freeIds(() => deps.host.list(), deps.downloads);

	/** Ends the models that a small one drafts for: they have its files open. */
	const endDraftedBy = async (id: string): Promise<void> => {
		const drafts = Object.entries(deps.settings.value.drafts ?? {});
		const loaded = deps.host.loaded();
		for (const [user, draft] of drafts)
			if (draft === id && loaded.includes(user)) await deps.host.unload(user, false);
	};
	return {
		host: deps.host,
		downloads: deps.downloads,
		entries: () => entries,
		facts: factsOf,
		hubAddress: deps.hubAddress,
		refresh: deps.refresh,
		search: deps.search,
		list,
		target: async (name, requested = {}) => (await plan(name, requested)).found,
		download: async function* (name, requested, signal) {
			const planned = await plan(name, requested);
			if (!('order' in planned)) {
				// Refused when it cannot run here, with the reason.
				const model = await deps.host.resolve(planned.found.here.id);
				yield { type: 'done', model: present(model, requested.promptTemplate) };
				return;
			}
			const { found, order } = planned;
			const { here } = found;
			if (requested.plan === true) {
				yield* deps.fetcher.fetch(found, requested, signal);
				return;
			}
			// It answers until the new one is there, and could be loaded again while a long build goes on.
			const release = async (stop: AbortSignal) => {
				if (deps.replacesOpenFiles || here === undefined) return;
				if (findModel(await deps.host.list(), here.id) === undefined) return;
				await whenIdle(here.id, () => deps.host.unload(here.id, false), stop);
				await whenIdle(here.id, () => endDraftedBy(here.id), stop);
			};
			const folder = yield* deps.downloads.run(
				order,
				(stop) => deps.fetcher.fetch(found, requested, stop, () => release(stop)),
				signal,
			);
			deps.host.changed(folder);
			const done = findModel(await deps.host.list(), found.id);
			if (done !== undefined) {
				yield { type: 'done', model: done };
				return;
			}
			throw new AppError(
				'unsupported_model',
				`${found.id} was downloaded to ${folder}, but its files are not a model that can run here.`,
			);
		},
		load: async (name, requested, signal) => {
			const ttlS = requested.ttlS ?? (requested.unload === false ? 0 : deps.defaultTtlS);
			return deps.host.load(
				name,
				{
					ttlS,
					...defined({
						executionProvider: requested.executionProvider,
						exact: requested.exact,
						onFallback: requested.onFallback,
					}),
				},
				signal,
			);
		},
		unloadAll: async (force) => {
			const names = deps.host.loaded();
			const results = await Promise.allSettled(names.map((name) => deps.host.unload(name, force)));
			const failed = results.find((result) => result.status === 'rejected');
			if (failed !== undefined) throw failed.reason;
			return names;
		},
		remove: async (name) => {
			// One that cannot be used can be removed.
			const model = findModel(await deps.host.list(), name) ?? (await deps.host.resolve(name));
			if (model.origin === 'built-in')
				throw new AppError('forbidden', `${model.id} comes with Nearglot and cannot be removed.`);
			await deps.host.unload(model.id, false);
			await endDraftedBy(model.id);
			await deps.folders.remove(model);
			deps.host.changed(model.folder);
			// A model of the same name that comes later is another one.
			await deps.settings.change(({ pinned, drafts = {} }) => ({
				pinned: pinned.filter((id) => id !== model.id),
				drafts: Object.fromEntries(
					Object.entries(drafts).filter((pair) => !pair.includes(model.id)),
				),
			}));
			return model;
		},
		pin: async (name, pinned) => {
			const model = await deps.host.resolve(name);
			await deps.settings.change((now) => {
				const rest = now.pinned.filter((id) => id !== model.id);
				return { pinned: pinned ? [...rest, model.id] : rest };
			});
			await deps.host.pin(model.id, pinned);
		},
		draft: async (name, draft) => {
			const model = await deps.host.resolve(name);
			const small = draft === undefined ? undefined : await deps.host.resolve(draft, model.task);
			if (small?.id === model.id)
				throw new AppError('invalid_request', `${model.id} cannot draft for itself.`, {
					param: 'draft_model',
				});
			await deps.settings.change((now) => {
				const others = Object.entries(now.drafts ?? {}).filter(([id]) => id !== model.id);
				const rest = Object.fromEntries(others);
				return { drafts: small === undefined ? rest : { ...rest, [model.id]: small.id } };
			});
		},
		register: async (folder) => {
			const before = new Set((await deps.host.list()).map((model) => model.folder));
			const isNew = await deps.folders.register(folder);
			deps.host.changed();
			const there = await deps.host.list();
			const added = there.filter((model) =>
				isNew ? !before.has(model.folder) : deps.folders.registered(model) !== undefined,
			);
			if (added.length > 0) return added;
			if (isNew) {
				await deps.folders.unregister(folder);
				deps.host.changed();
			}
			throw new AppError(
				'unsupported_model',
				`${folder} holds no model that is not known already: a model folder has config.json or genai_config.json and its ONNX files.`,
			);
		},
		unregister: async (folder) => {
			await deps.folders.unregister(folder);
			deps.host.changed();
		},
		move: async (folder) => {
			if (deps.downloads.list().length > 0)
				throw new AppError('conflict', 'A download is running; wait for it or pause it first.');
			for (const model of await deps.host.list())
				if (model.origin === 'local' && model.state !== 'cached')
					await deps.host.unload(model.id, false);
			await deps.folders.move(folder);
			// The next request must not see the old places.
			deps.host.changed();
		},
		import: async (path, name, signal) => {
			const folder = await deps.folders.import(path, name, checkFree, signal);
			deps.host.changed(folder);
			const done = (await deps.host.list()).find((model) => model.folder === folder);
			if (done !== undefined) return done;
			throw new AppError('unsupported_model', `${path} holds no model that can run here.`);
		},
		build: async function* (path, name, flags, signal) {
			const wanted = await deps.folders.freeName(path, name);
			await checkFree(`${wanted}:1`);
			if (flags.plan === true) {
				yield* deps.folders.build(path, wanted, flags, signal);
				return;
			}
			const order: DownloadOrder = {
				model: { id: wanted, name: wanted, version: '1', alias: wanted },
				from: JSON.stringify([path]),
				details: JSON.stringify(flags),
			};
			const folder = yield* deps.downloads.run(
				order,
				(stop) => deps.folders.build(path, wanted, flags, stop),
				signal,
			);
			deps.host.changed(folder);
			const done = (await deps.host.list()).find((model) => model.folder === folder);
			if (done !== undefined) yield { type: 'done', model: done };
			else
				throw new AppError(
					'unsupported_model',
					`${path} was built in ${folder}, but that is not a model that can run here.`,
				);
		},
	};
}
