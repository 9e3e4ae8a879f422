/**
 * The models on disk: every folder below the given roots that holds a model. Kept in memory until one of
 * us or the disk says that something has changed; asks for each model's description once per change. Names
 * map to folders through this index only.
 */

import { stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { ModelDescription } from '../engine/api.ts';
import type { Manifest } from '../hub/manifest.ts';
import { cardNames, cardText, readCard } from '../hub/modelCard.ts';
import { maxNameLength } from '../hub/modelData/fileLimits.ts';
import { defined } from '../protocol/defined.ts';
import { AppError, asAppError, comparableName, type ModelInfo } from '../protocol/index.ts';
import { FolderWatch, type FolderWatchOptions } from './folderWatch.ts';
import { modelContentOf } from './modelContent.ts';
import { ModelWalk, modelMarks, sameEntrances, type WalkRoot } from './modelWalk.ts';

export interface ModelRoot extends WalkRoot {
	readonly origin: ModelInfo['origin'];
}

export interface IndexedModel {
	readonly info: ModelInfo;
	readonly folder: string;
	/** Changes when a file of the model does. */
	readonly stamp: string;
	/** Changes when one does that a load reads. */
	readonly content: string;
	readonly description: ModelDescription | undefined;
	/** Why it cannot run, when it cannot. */
	readonly problem: AppError | undefined;
}

export type Describe = (folder: string) => Promise<ModelDescription>;

/** What a reading has found. */
interface Snapshot {
	readonly models: readonly IndexedModel[];
	readonly stamps: ReadonlyMap<string, string>;
	readonly roots: string;
	/** Count of changes when the reading began. */
	readonly change: number;
	/** Whether later changes in all that was read will be noticed. */
	readonly isWatched: boolean;
	/** Folders above which nothing is watched, each with what it was. */
	readonly entrances: ReadonlyMap<string, string>;
	/** When it was last held against the disk. */
	checkedAt: number;
}

export interface ModelIndexOptions extends FolderWatchOptions {
	/** Milliseconds; does not go back. */
	readonly now?: () => number;
}

/** People copy folders by hand, and not every disk tells of it: the time after which a list is looked at again. */
const maxAgeMs = 1000;

export class ModelIndex {
	readonly #roots: () => readonly ModelRoot[];
	readonly #describe: Describe;
	readonly #watch: FolderWatch;
	readonly #now: () => number;
	#snapshot: Snapshot | undefined;
	/** Changes that were noticed so far. */
	#changes = 0;
	#reading: { readonly change: number; readonly done: Promise<Snapshot> } | undefined;
	#next: Promise<Snapshot> | undefined;
	#check: Promise<boolean> | undefined;
	/** Folders that have changed since the reading began. */
	readonly #touched = new Set<string>();
	readonly #known = new Map<string, { readonly stamp: string; readonly model: IndexedModel }>();

	constructor(
		roots: readonly ModelRoot[] | (() => readonly ModelRoot[]),
		describe: Describe,
		options: ModelIndexOptions = {},
	) {
		this.#roots = typeof roots === 'function' ? roots : () => roots;
		this.#describe = describe;
		this.#watch = new FolderWatch((folder) => this.invalidate(folder), options);
		this.#now = options.now ?? (() => performance.now());
	}

	/**
	 * All models, those of earlier roots first; of two with the same id the first counts. From memory, unless
	 * something has changed.
	 */
	async list(): Promise<readonly IndexedModel[]> {
		return (await this.#current()).models;
	}

	/**
	 * As {@link list}, but the folders as they are now: who asks while they are read waits for the next reading,
	 * and shares it with all who came meanwhile.
	 */
	async refresh(): Promise<readonly IndexedModel[]> {
		return (await this.#readAgain()).models;
	}

	/** Changes when a file of the model does; of a folder that holds no model, always the same. */
	async stampOf(folder: string): Promise<string> {
		return (await this.#current()).stamps.get(folder) ?? '';
	}

	/**
	 * Must be called after models have changed: the next list is read from the disk.
	 * @param folder in which something changed; absent: where models are looked for, not what they are
	 */
	invalidate(folder?: string): void {
		this.#changes++;
		if (folder === undefined) return;
		// Not every file of a model is in its stamp, and one written within a tick of the disk's clock keeps its time.
		for (const path of [folder, dirname(folder)]) {
			this.#known.delete(path);
			this.#touched.add(path);
		}
	}

	/** Ends the watches of the folders. */
	close(): void {
		this.#watch.close();
	}

	async #current(): Promise<Snapshot> {
		const snapshot = this.#snapshot;
		const isCurrent =
			snapshot?.change === this.#changes &&
			snapshot.roots === keyOf(this.#roots()) &&
			(await this.#isUnchanged(snapshot));
		if (snapshot !== undefined && isCurrent) return snapshot;
		const reading = this.#reading;
		if (reading?.change === this.#changes) return reading.done;
		return this.#readAgain();
	}

	/** Whether a snapshot may still be given; looked up on the disk at most once in {@link maxAgeMs}. */
	async #isUnchanged(snapshot: Snapshot): Promise<boolean> {
		const now = this.#now();
		if (now - snapshot.checkedAt < maxAgeMs) return true;
		if (!snapshot.isWatched) return false;
		this.#check ??= sameEntrances(snapshot.entrances).then((same) => {
			this.#check = undefined;
			if (same) snapshot.checkedAt = now;
			return same;
		});
		return this.#check;
	}

	async #readAgain(): Promise<Snapshot> {
		const running = this.#reading;
		if (running === undefined) {
			const change = this.#changes;
			const done = this.#read(change).finally(() => {
				this.#reading = undefined;
			});
			this.#reading = { change, done };
			return done;
		}
		this.#next ??= running.done
			.then(
				() => {},
				() => {},
			)
			.then(() => {
				this.#next = undefined;
				return this.#readAgain();
			});
		return this.#next;
	}

	async #read(change: number): Promise<Snapshot> {
		const checkedAt = this.#now();
		this.#touched.clear();
		const roots = this.#roots();
		const walk = new ModelWalk(this.#watch, this.#snapshot?.entrances);
		const models = new Map<string, IndexedModel>();
		const stamps = new Map<string, string>();
		for (const root of roots) {
			for (const folder of await walk.modelFolders(root)) {
				const model = await this.#readModel(folder, root);
				stamps.set(folder, model.stamp);
				const id = comparableName(model.info.id);
				if (!models.has(id)) models.set(id, model);
			}
		}
		this.#watch.keep(walk.visited);
		for (const folder of this.#known.keys()) if (!stamps.has(folder)) this.#known.delete(folder);
		const { isWatched, entrances } = walk;
		const found = [...models.values()];
		const key = keyOf(roots);
		const read = { models: found, stamps, roots: key, change, isWatched, entrances, checkedAt };
		this.#snapshot = read;
		return read;
	}

	async #readModel(folder: string, root: ModelRoot): Promise<IndexedModel> {
		const stamp = await stampOf(folder);
		const known = this.#known.get(folder);
		if (known?.stamp === stamp) return known.model;
		let description: ModelDescription | undefined;
		let problem: AppError | undefined;
		let passing = false;
		try {
			description = await this.#describe(folder);
			if (description.problems.length > 0)
				problem = new AppError('unsupported_model', description.problems.join(' '), {
					param: 'model',
				});
		} catch (error) {
			const { code, message } = asAppError(error);
			passing = !(error instanceof AppError);
			problem = new AppError(code === 'internal' ? 'unsupported_model' : code, message, {
				param: 'model',
				cause: error,
			});
		}
		const info = await infoOf(folder, root, description);
		const content = await modelContentOf(folder, info);
		const model: IndexedModel = { info, folder, stamp, content, description, problem };
		// A fault of the moment, such as too many open files, is not remembered.
		if (!passing && !this.#touched.has(folder)) this.#known.set(folder, { stamp, model });
		return model;
	}
}

/** Which roots there are, as text. */
function keyOf(roots: readonly ModelRoot[]): string {
	return JSON.stringify(roots.map(({ folder, origin }) => [folder, origin]));
}

/** Changes when a file of the model is added, removed or replaced. */
async function stampOf(folder: string): Promise<string> {
	const parts = [
		'',
		'onnx',
		...modelMarks,
		'generation_config.json',
		'model.json',
		'nearglot.json',
		'nearglot-origin.json',
		'tokenizer.json',
		'tokenizer_config.json',
		'chat_template.jinja',
		'inference_model.json',
	];
	const times = await Promise.all(
		parts.map((part) =>
			stat(join(folder, part)).then(
				(found) => found.mtimeMs,
				() => 0,
			),
		),
	);
	return times.join(' ');
}

/** Languages of a model that its card may name. */
const maxLanguages = 2000;

async function infoOf(
	folder: string,
	root: ModelRoot,
	description: ModelDescription | undefined,
): Promise<ModelInfo> {
	const card = await readCard(folder);
	const text = (key: string) => cardText(card, key);
	const { name, version } = cardNames(card, basename(folder));
	const languages = Array.isArray(card['languages'])
		? card['languages']
				.filter((item) => typeof item === 'string' && item.length <= maxNameLength)
				.slice(0, maxLanguages)
		: undefined;
	const size = description?.variants[0]?.sizeBytes;
	return {
		id: `${name}:${version}`,
		name,
		version,
		alias: text('alias') ?? name,
		displayName: text('displayName') ?? name,
		task: description?.task ?? 'text-generation',
		state: 'cached',
		origin: root.origin,
		publisher: text('publisher') ?? (root.origin === 'built-in' ? 'nearglot' : ''),
		license: text('license') ?? (root.origin === 'built-in' ? 'mit' : ''),
		...sourceOf(card),
		folder,
		supportsToolCalling: description?.supportsTools ?? false,
		...(description?.seesImages === true ? { supportsImageInput: true } : {}),
		...defined({ sizeBytes: size }),
		...(description === undefined ? {} : { contextLength: description.contextLength }),
		...defined({
			maxHistoryTurns: description?.maxHistoryTurns,
			loss: description?.loss,
			languages,
		}),
	};
}

/** What a download has noted of where the model came from. */
function sourceOf(card: Readonly<Record<string, unknown>>): Partial<ModelInfo> {
	const { hub, repository, revision, path, precision } = card as Partial<Manifest>;
	const { providerType, promptTemplate, parent } = card as Partial<Manifest>;
	const source = typeof hub === 'string' &&
		typeof repository === 'string' && {
			hub,
			repository,
			...(typeof revision === 'string' ? { revision } : {}),
			...(typeof path === 'string' ? { path } : {}),
			...(typeof precision === 'string' ? { precision } : {}),
		};
	return {
		...(source ? { source } : {}),
		...(typeof providerType === 'string' ? { providerType } : {}),
		...(typeof promptTemplate === 'object' ? { promptTemplate } : {}),
		...(typeof parent === 'string' ? { parentModelUri: parent } : {}),
	};
}

/** A model as this server runs it: what is listed, counted and cut to is the context it will have. */
export function asLoaded(
	model: ModelDescription,
	limit = Number.POSITIVE_INFINITY,
): ModelDescription {
	const limited = model.architecture === 'decoder' || model.task === 'translation';
	return limited ? { ...model, contextLength: Math.min(limit, model.contextLength) } : model;
}
