/** From what a download request says to what will be fetched, and under which name it will be kept. */

import {
	type CatalogueEntry,
	type ResolveOptions,
	resolveEntry,
	similarNames,
} from '../hub/catalogue.ts';
import { isSameSource, nameTaken, type RequestedSource } from '../hub/modelSource.ts';
import { checkedFolder, parseModelUri } from '../hub/modelUri.ts';
import { modelIdPattern, pathFault, repositoryPattern } from '../hub/names.ts';
import { isStudentName, studentModelName } from '../hub/studentRegistry.ts';
import { defined } from '../protocol/defined.ts';
import {
	AppError,
	comparableName,
	findModel,
	type ModelInfo,
	type NamedModel,
	type Precision,
	type PromptTemplate,
	promptRoles,
} from '../protocol/index.ts';
import type { BuildFlags } from './buildWork.ts';

export interface TargetOptions {
	/** Address of the repository, where the name is not the catalogue's and no hub id. */
	readonly uri?: string;
	/** Folder inside the repository. */
	readonly path?: string;
	readonly revision?: string;
	readonly precision?: Precision;
}

/** A hub and a token that a request names instead of our own. */
export interface HubChoice {
	readonly hub?: string;
	readonly token?: string;
}

export interface DownloadOptions extends TargetOptions, HubChoice, BuildFlags {
	readonly publisher?: string;
	readonly providerType?: string;
	/** Kept with the model and used instead of its chat template; `{}` = its own again. */
	readonly promptTemplate?: PromptTemplate;
	/** Another folder for the files; must lie below a configured root. */
	readonly folder?: string;
	readonly bufferBytes?: number;
}

/** What a download name stands for. */
export type DownloadTarget = FetchTarget | PresentTarget;

interface NamedTarget extends NamedModel {
	/** Absent: the model is not the catalogue's. */
	readonly entry?: CatalogueEntry;
}

/** Files of the hub. */
export interface FetchTarget extends NamedTarget {
	readonly source: RequestedSource;
	/** The model of this name that was downloaded from there. */
	readonly here?: ModelInfo;
}

/** A model that is here and was not downloaded: nothing is fetched. */
export interface PresentTarget extends NamedTarget {
	readonly source?: undefined;
	readonly here: ModelInfo;
}

/** What names are looked up in. */
export interface KnownModels {
	readonly entries: readonly CatalogueEntry[];
	readonly machine: ResolveOptions;
	/** Models on this machine. */
	readonly here: readonly ModelInfo[];
	/** Models on their way. */
	readonly coming: readonly NamedModel[];
	/** Base address of the hub. */
	readonly hub: string;
}

/**
 * Finds the target: a name of the catalogue means the catalogue; any other name together with an address is
 * that repository under that name; a model that is here is downloaded from where it came; a hub id
 * stands for itself. A name without a version is the highest version of it, and 1 when there is none.
 * @throws AppError `model_not_found`, `invalid_request`, `conflict` when the name is that of another model
 */
export function findTarget(
	known: KnownModels,
	given: string | undefined,
	options: TargetOptions,
): DownloadTarget {
	const name = given?.trim().replace(/:latest$/i, '');
	const { path: folder, ...rest } = options;
	const path = folder === undefined ? undefined : checkedFolder(folder, 'model.Path');
	const target = targetOf(known, name, path === undefined ? rest : { ...rest, path });
	const { here, source } = target;
	if (here?.source === undefined || source === undefined) return target;
	if (isSameSource(here.source, source)) return target;
	throw nameTaken(here.id, here.source);
}

function targetOf(
	known: KnownModels,
	name: string | undefined,
	options: TargetOptions,
): DownloadTarget {
	const { entries, machine, here, hub } = known;
	const entry = name === undefined ? undefined : resolveEntry(entries, name, machine);
	if (entry !== undefined) return entryTarget(entry, here, options);
	if (options.uri !== undefined) {
		const uri = parseModelUri(options.uri, hub);
		const folder = [uri.path, options.path].filter((part) => part !== undefined).join('/');
		return repositoryTarget(known, name, { ...uri, ...requested(options), path: folder });
	}
	const found = name === undefined ? undefined : findModel(here, name);
	if (found?.source !== undefined)
		return { ...found, here: found, source: { ...found.source, ...requested(options) } };
	if (found !== undefined) return { ...found, here: found };
	if (name !== undefined && repositoryPattern.test(name))
		return repositoryTarget(known, name, { repository: name, path: '', ...requested(options) });
	const part = name === undefined ? undefined : partOf(name);
	if (part !== undefined) {
		const { repository, path } = part;
		if (options.path !== undefined && options.path !== path)
			throw new AppError(
				'invalid_request',
				`Both ${JSON.stringify(path)} behind the name and ${JSON.stringify(options.path)} are asked for. Give one of them.`,
				{ param: 'model.Path' },
			);
		return repositoryTarget(known, part.name, { repository, ...requested(options), path });
	}
	const close = similarNames(entries, name ?? '');
	throw new AppError(
		'model_not_found',
		`There is no model ${JSON.stringify((name ?? '').slice(0, 200))} to download.${close.length > 0 ? ` Did you mean ${close.join(', ')}?` : ''} Use a name of the catalogue, a hub id (owner/name), or give the Uri of a repository with it.`,
		{ param: 'model' },
	);
}

/**
 * `owner/name:Q8_0` and `owner/name:file.gguf` are weights of a repository. Each has a name of its own, so
 * that several can be here.
 */
function partOf(given: string) {
	const at = given.indexOf(':');
	const repository = given.slice(0, Math.max(0, at));
	if (!repositoryPattern.test(repository)) return undefined;
	const path = checkedFolder(given.slice(at + 1), 'model');
	if (path === undefined) return undefined;
	const own = ownName(repository);
	const last = path.slice(path.lastIndexOf('/') + 1);
	const isFile = last.toLowerCase().endsWith('.gguf');
	const file = isFile ? last.slice(0, -5).replace(/-\d{5}-of-\d{5}$/, '') : undefined;
	const name = (file ?? `${own}-${path}`).replace(/[^A-Za-z0-9._-]+/g, '-').replace(/^[._-]+/, '');
	return { repository, path, name: name.slice(0, 128) };
}

/** What a model of a repository is called. */
function ownName(repository: string): string {
	return isStudentName(repository)
		? studentModelName(repository)
		: (repository.split('/')[1] ?? '');
}

/** What a request says of the source beyond the repository. */
function requested({ path, precision, revision }: TargetOptions): Partial<RequestedSource> {
	return {
		...defined({ path, precision, revision }),
	};
}

/** What the request leaves out is as it was at the last time, else as the catalogue says. */
function entryTarget(
	entry: CatalogueEntry,
	models: readonly ModelInfo[],
	{ path, ...options }: TargetOptions,
): DownloadTarget {
	const { id, model, variant } = entry;
	if (path !== undefined && path !== variant.subfolder)
		throw new AppError(
			'invalid_request',
			`'model.Path' does not go with ${id}: the catalogue says which folder that is. Give another Name with the Uri.`,
			{ param: 'model.Path' },
		);
	const names = { id, name: variant.name, version: String(variant.version), alias: model.alias };
	const here = withId(models, id);
	if (here !== undefined && here.source === undefined) return { ...names, entry, here };
	const { precision = variant.precision, revision = variant.commit } = here?.source ?? {};
	return {
		...names,
		entry,
		source: {
			repository: variant.repository,
			path: variant.subfolder ?? '',
			...requested({
				...defined({ precision, revision }),
				...options,
			}),
		},
		...defined({ here }),
	};
}

function repositoryTarget(
	{ here: models, coming }: KnownModels,
	given: string | undefined,
	source: RequestedSource,
): DownloadTarget {
	const { repository } = source;
	const isNamed = given !== undefined && given.toLowerCase() !== repository.toLowerCase();
	if (isNamed && !modelIdPattern.test(given))
		throw new AppError(
			'invalid_request',
			`'model.Name' must be name or name:version of letters, digits, dot, dash and underscore, not ${JSON.stringify(given.slice(0, 200))}.`,
			{ param: 'model.Name' },
		);
	const [name = '', version] = (isNamed ? given : ownName(repository)).split(':');
	const fault = pathFault(name);
	if (fault !== undefined)
		throw new AppError(
			'invalid_request',
			`A model cannot be called ${JSON.stringify(name)}, which ${fault}. Give it another name ('model.Name', on the command line --name).`,
			{ param: 'model.Name' },
		);
	const same = models.filter((model) => model.source && isSameSource(model.source, source));
	const known = isNamed ? [...models, ...coming] : same;
	const versions = known.filter((model) => model.name.toLowerCase() === name.toLowerCase());
	const newest = findModel(versions, name)?.version ?? '1';
	const number = version === undefined ? newest : String(Number(version));
	const id = `${name}:${number}`;
	const here = withId(models, id);
	if (here === undefined)
		return { id, name, version: number, alias: isNamed ? name : repository, source };
	if (here.source === undefined) throw nameTaken(here.id, undefined);
	const { precision } = here.source;
	return {
		...here,
		here,
		source: { ...defined({ precision }), ...source },
	};
}

function withId(models: readonly ModelInfo[], id: string): ModelInfo | undefined {
	return models.find((model) => comparableName(model.id) === comparableName(id));
}

/**
 * The template to keep: `{}` for none, `undefined` to leave what there is. Clients send back what the
 * catalogue lists; that changes nothing.
 */
export function givenTemplate(
	{ entry }: DownloadTarget,
	requested: PromptTemplate | undefined,
): PromptTemplate | undefined {
	if (requested === undefined || entry === undefined) return requested;
	const listed = entry.model.promptTemplate;
	const isListed = promptRoles.every(
		(role) => requested[role] === undefined || requested[role] === listed?.[role],
	);
	return isListed && Object.keys(requested).length > 0 ? undefined : requested;
}

/** A model that is here and is not fetched. @throws AppError `conflict` when something was to be kept with it */
export function present(model: ModelInfo, template: PromptTemplate | undefined): ModelInfo {
	if (template === undefined || Object.keys(template).length === 0) return model;
	throw new AppError(
		'conflict',
		`A PromptTemplate is kept with downloaded models, and ${model.id} was not downloaded. Edit the template in its folder instead.`,
		{ param: 'model.PromptTemplate' },
	);
}
