/**
 * The models on disk: every folder below the given roots that holds a model. Reads files only, asks
 * for each model's description once per change. Names map to folders through this index only.
 */

import type { Dirent } from 'node:fs';
import { readdir, realpath, stat } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, sep } from 'node:path';
import type { ModelDescription } from '../engine/api.ts';
import type { Manifest } from '../hub/manifest.ts';
import { readModelJson } from '../hub/modelData/readModelFile.ts';
import { AppError, asAppError, comparableName, type ModelInfo } from '../protocol/index.ts';

export interface ModelRoot {
	readonly folder: string;
	readonly origin: ModelInfo['origin'];
	/** The folder may be a model itself, not only hold some. */
	readonly mayBeModel?: boolean;
}

export interface IndexedModel {
	readonly info: ModelInfo;
	readonly folder: string;
	/** Changes when a file of the model does. */
	readonly stamp: string;
	readonly description: ModelDescription | undefined;
	/** Why it cannot run, when it cannot. */
	readonly problem: AppError | undefined;
}

export type Describe = (folder: string) => Promise<ModelDescription>;

/** `<root>/<publisher>/<name>/<version>` is the deepest place of a model. */
const deepest = 4;
const marks = ['config.json', 'genai_config.json'];

export class ModelIndex {
	readonly #roots: () => readonly ModelRoot[];
	readonly #describe: Describe;
	#reading: Promise<readonly IndexedModel[]> | undefined;
	#next: Promise<readonly IndexedModel[]> | undefined;
	#last: { readonly at: number; readonly models: readonly IndexedModel[] } | undefined;
	readonly #known = new Map<string, { readonly stamp: string; readonly model: IndexedModel }>();

	constructor(roots: readonly ModelRoot[] | (() => readonly ModelRoot[]), describe: Describe) {
		this.#roots = typeof roots === 'function' ? roots : () => roots;
		this.#describe = describe;
	}

	/** As {@link list}, but what was read a moment ago will do: one request asks several times. */
	async recent(maxAgeMs = 100): Promise<readonly IndexedModel[]> {
		const last = this.#last;
		if (last && performance.now() - last.at <= maxAgeMs) return last.models;
		return this.#reading ?? this.list();
	}

	/**
	 * All models, those of earlier roots first; of two with the same id the first counts. The folders are as they
	 * are now: who asks while they are read waits for the next reading, and shares it with all who came meanwhile.
	 */
	async list(): Promise<readonly IndexedModel[]> {
		if (this.#reading === undefined) {
			this.#reading = this.#read().finally(() => {
				this.#reading = undefined;
			});
			return this.#reading;
		}
		this.#next ??= this.#reading
			.catch(() => {})
			.then(() => {
				this.#next = undefined;
				return this.list();
			});
		return this.#next;
	}

	async #read(): Promise<readonly IndexedModel[]> {
		const models = new Map<string, IndexedModel>();
		for (const root of this.#roots()) {
			for (const folder of await modelFolders(root.folder, root.mayBeModel === true)) {
				const model = await this.#readModel(folder, root);
				const id = comparableName(model.info.id);
				if (!models.has(id)) models.set(id, model);
			}
		}
		const found = [...models.values()];
		this.#last = { at: performance.now(), models: found };
		return found;
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
		const model: IndexedModel = { info, folder, stamp, description, problem };
		// A fault of the moment, such as too many open files, is not remembered.
		if (!passing) this.#known.set(folder, { stamp, model });
		return model;
	}
}

async function modelFolders(root: string, mayBeModel: boolean, depth = 0): Promise<string[]> {
	let entries: Dirent[];
	try {
		entries = await readdir(root, { withFileTypes: true });
	} catch {
		return [];
	}
	if (depth > 0 && entries.some((entry) => entry.isFile() && entry.name === 'download.tmp'))
		return [];
	if (mayBeModel && entries.some((entry) => marks.includes(entry.name))) return [root];
	if (depth === deepest) return [];
	const found: string[] = [];
	for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
		if (entry.name.startsWith('.') || entry.name.endsWith('.tmp')) continue;
		const path = join(root, entry.name);
		if (entry.isDirectory() || (entry.isSymbolicLink() && (await leadsToModels(path))))
			found.push(...(await modelFolders(path, true, depth + 1)));
	}
	return found;
}

/**
 * People link models from elsewhere into the folder; nothing fetched can make such a link. One to a folder that
 * it lies in itself would be gone round for ever, or list half a disk.
 */
async function leadsToModels(link: string): Promise<boolean> {
	try {
		const [target, own] = await Promise.all([realpath(link), realpath(dirname(link))]);
		const inside = relative(target, own);
		const isAbove = inside === '' || !(inside.split(sep)[0] === '..' || isAbsolute(inside));
		return !isAbove && (await stat(target)).isDirectory();
	} catch {
		return false;
	}
}

/** Changes when a file of the model is added, removed or replaced. */
async function stampOf(folder: string): Promise<string> {
	const parts = [
		'',
		'onnx',
		...marks,
		'generation_config.json',
		'model.json',
		'nearglot.json',
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

async function infoOf(
	folder: string,
	root: ModelRoot,
	description: ModelDescription | undefined,
): Promise<ModelInfo> {
	const card = await readCard(folder);
	const text = (key: string) => {
		const value = card[key];
		return typeof value === 'string' && value !== '' ? value : undefined;
	};
	const named = /^(.+?)(?::(\d{1,9}))?$/.exec(text('name') ?? cleanName(basename(folder)));
	const name = cleanName(named?.[1] ?? basename(folder));
	const version = text('version') ?? named?.[2] ?? '1';
	const languages = Array.isArray(card['languages'])
		? card['languages'].filter((item) => typeof item === 'string')
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
		...(size === undefined ? {} : { sizeBytes: size }),
		...(description === undefined ? {} : { contextLength: description.contextLength }),
		...(description?.maxHistoryTurns === undefined
			? {}
			: { maxHistoryTurns: description.maxHistoryTurns }),
		...(languages === undefined ? {} : { languages }),
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

/** Optional card beside the model: `nearglot.json`, or `inference_model.json` of older services. */
async function readCard(folder: string): Promise<Readonly<Record<string, unknown>>> {
	for (const file of ['nearglot.json', 'inference_model.json']) {
		try {
			const card = await readModelJson(folder, file);
			if (card !== undefined) return { ...card, name: card['name'] ?? card['Name'] };
		} catch {
			// No card, or none that can be read: the folder's name is enough.
		}
	}
	return {};
}

/** Keeps what ids may hold: letters, digits, dot, dash, underscore. */
function cleanName(name: string): string {
	const clean = name.replace(/[^A-Za-z0-9._-]+/g, '-').replace(/^[^A-Za-z0-9]+/, '');
	return clean.slice(0, 128) || 'model';
}
