/** From what a download request says to what will be fetched, and under which name it will be kept. */

import {
	type CatalogueEntry,
	type Device,
	type ResolveOptions,
	resolveEntry,
	similarNames,
} from '../hub/catalogue.ts';
import { type HubSource, parseModelUri } from '../hub/modelUri.ts';
import { modelIdPattern, repositoryPattern } from '../hub/names.ts';
import { AppError, type ModelInfo, type PromptTemplate, promptRoles } from '../protocol/index.ts';

export interface TargetWishes {
	readonly device?: Device;
	/** Address of the repository, where the name is not the catalogue's and no hub id. */
	readonly uri?: string;
	/** Folder inside the repository. */
	readonly path?: string;
}

/** What a download name stands for. */
export type DownloadTarget =
	| { readonly kind: 'catalogue'; readonly entry: CatalogueEntry }
	| ({
			readonly kind: 'repository';
			/** What it is called here; absent: by its repository. */
			readonly as?: { readonly name: string; readonly version: string };
	  } & HubSource);

/**
 * Finds the target: a name of the catalogue means the catalogue; any other name together with an address
 * is that repository under that name; a hub id stands for itself.
 * @throws AppError `model_not_found`, `invalid_request`
 */
export function findTarget(
	entries: readonly CatalogueEntry[],
	given: string | undefined,
	{ device, path, uri }: TargetWishes,
	machine: Omit<ResolveOptions, 'device'>,
	hub: string,
): DownloadTarget {
	const entry =
		given === undefined
			? undefined
			: resolveEntry(entries, given, { ...machine, ...(device === undefined ? {} : { device }) });
	if (entry !== undefined) {
		if (path === undefined || path === entry.variant.subfolder) return { kind: 'catalogue', entry };
		throw new AppError(
			'invalid_request',
			`'model.Path' does not go with ${entry.id}: the catalogue says which folder that is. Give another Name with the Uri.`,
			{ param: 'model.Path' },
		);
	}
	const source = uri === undefined ? undefined : parseModelUri(uri, hub);
	const name = given ?? source?.repository ?? '';
	if (source !== undefined || repositoryPattern.test(name))
		return repositoryTarget(name, source ?? { repository: name }, path);
	const close = similarNames(entries, name);
	throw new AppError(
		'model_not_found',
		`There is no model ${JSON.stringify(name.slice(0, 200))} to download.${close.length > 0 ? ` Did you mean ${close.join(', ')}?` : ''} Use a name of the catalogue, a hub id (owner/name), or give the Uri of a repository with it.`,
		{ param: 'model' },
	);
}

function repositoryTarget(
	name: string,
	source: HubSource,
	path: string | undefined,
): DownloadTarget {
	const folder = [source.path, path].filter((part) => part !== undefined).join('/');
	const from = { ...source, ...(folder === '' ? {} : { path: folder }) };
	if (name === source.repository) return { kind: 'repository', ...from };
	if (!modelIdPattern.test(name))
		throw new AppError(
			'invalid_request',
			`'model.Name' must be name or name:version of letters, digits, dot, dash and underscore, not ${JSON.stringify(name.slice(0, 200))}.`,
			{ param: 'model.Name' },
		);
	const [plain = name, version = '1'] = name.split(':');
	return { kind: 'repository', ...from, as: { name: plain, version } };
}

/** One job and one model per key. */
export function targetKey(target: DownloadTarget): string {
	if (target.kind === 'catalogue') return target.entry.id;
	const { as, path, repository } = target;
	if (as !== undefined) return `${as.name}:${as.version}`;
	return path === undefined ? repository : `${repository}/${path}`;
}

/** A name belongs to one model: neither a built-in one nor one from elsewhere is replaced. */
export function checkFree(models: readonly ModelInfo[], id: string, repository: string): void {
	const taken = models.find((model) => model.id.toLowerCase() === id.toLowerCase());
	if (taken === undefined || taken.uri?.endsWith(`/${repository}`) === true) return;
	throw new AppError(
		'conflict',
		`${taken.id} is on this machine already${taken.uri === undefined ? '' : `, from ${taken.uri}`}. Give the model another Name, or remove that one first.`,
		{ param: 'model.Name' },
	);
}

/**
 * The template to keep: `{}` for none, `undefined` to leave what there is. Clients send back what the
 * catalogue lists; that changes nothing.
 */
export function givenTemplate(
	target: DownloadTarget,
	asked: PromptTemplate | undefined,
): PromptTemplate | undefined {
	if (asked === undefined || target.kind !== 'catalogue') return asked;
	const listed = target.entry.model.promptTemplate;
	const isListed = promptRoles.every(
		(role) => asked[role] === undefined || asked[role] === listed?.[role],
	);
	return isListed && Object.keys(asked).length > 0 ? undefined : asked;
}

/** A model that is here and is not fetched. @throws AppError `conflict` when something was to be kept with it */
export function present(
	model: ModelInfo,
	wishes: { readonly promptTemplate?: PromptTemplate },
): ModelInfo {
	if (wishes.promptTemplate === undefined || Object.keys(wishes.promptTemplate).length === 0)
		return model;
	throw new AppError(
		'conflict',
		`A PromptTemplate is kept with downloaded models, and ${model.id} was not downloaded. Edit the template in its folder instead.`,
		{ param: 'model.PromptTemplate' },
	);
}
