/** Folders of models beyond downloads: registered in place, imported from archives, removed. */

import { stat } from 'node:fs/promises';
import { basename, dirname, join, resolve, sep } from 'node:path';
import { isArchive, unpack } from '../hub/archive.ts';
import { diskError } from '../hub/downloadFile.ts';
import { type DownloadEvent, isOutdated } from '../hub/downloadModel.ts';
import { jobEvents } from '../hub/jobEvents.ts';
import { fileFault } from '../hub/modelFile.ts';
import type { ModelSettingsFile } from '../hub/modelSettings.ts';
import { moveModelFolders } from '../hub/moveModels.ts';
import { pathFault } from '../hub/names.ts';
import { replacedPath } from '../hub/placeModel.ts';
import { AppError, errno, type ModelInfo, systemError } from '../protocol/index.ts';
import { idName } from '../protocol/modelNames.ts';
import { listFolder } from '../store/listFolder.ts';
import { movePath, removePath } from '../store/movePath.ts';
import { copyPath } from '../store/openPath.ts';
import { realPath } from '../store/realPath.ts';
import { hiddenPath, makeHiddenFolder } from '../store/scratch.ts';
import { holdsWeights } from './archivedWeights.ts';
import type { BuildFlags } from './buildWork.ts';
import { buildFromPath } from './builtModels.ts';
import type { BuildDeps } from './runBuild.ts';

export interface ModelFolders {
	/** The registered folder that a model lies in; it is used there and not changed. */
	registered(model: ModelInfo): string | undefined;
	/** Resolves to whether it was not registered before. */
	register(folder: string): Promise<boolean>;
	unregister(folder: string): Promise<void>;
	/** Resolves to the new folder. */
	import(path: string, name: string | undefined, signal: AbortSignal): Promise<string>;
	/**
	 * The name that a model of a path gets.
	 * @throws AppError `not_found`, `invalid_request` for what cannot be one, `conflict` when it is taken
	 */
	freeName(path: string, name: string | undefined): Promise<string>;
	/** Builds a model of weights; returns its folder, or `''` when only the plan was wanted. */
	build(
		path: string,
		name: string,
		flags: BuildFlags,
		signal: AbortSignal,
	): AsyncGenerator<DownloadEvent, string>;
	remove(model: ModelInfo): Promise<void>;
	/** Moves all downloaded models to another folder, which is used from then on. */
	move(folder: string): Promise<void>;
}

/**
 * @param onGone called when folders of models are not there any more
 * @param scratch folder for temporary files
 * @param building what models are built with
 */
export function createModelFolders(
	modelsFolder: () => string,
	settings: ModelSettingsFile,
	onGone: () => Promise<void>,
	scratch: string,
	building: BuildDeps,
): ModelFolders {
	const registeredAt = ({ folder: own }: ModelInfo): string | undefined =>
		settings.value.registered.find(
			(folder) => own === folder || own?.startsWith(join(folder, sep)),
		);
	return {
		registered: registeredAt,
		register: async (folder) => {
			const real = await realPath(resolve(folder)).catch((error: unknown) => {
				if (!/^(?:ENOENT|ENOTDIR)$/.test(errno(error) ?? '')) throw error;
				throw new AppError('not_found', `There is no folder ${folder}.`, { param: 'folder' });
			});
			if (!(await stat(real)).isDirectory())
				throw new AppError('invalid_request', `${folder} is not a folder.`, { param: 'folder' });
			let isNew = false;
			await settings.change(({ registered }) => {
				isNew = !registered.includes(real);
				return { registered: isNew ? [...registered, real] : registered };
			});
			return isNew;
		},
		unregister: async (folder) => {
			const full = resolve(folder);
			const real = await realPath(full).catch(() => full);
			await settings.change(({ registered }) => {
				const kept = registered.filter((path) => path !== real && path !== full);
				if (kept.length === registered.length)
					throw new AppError(
						'not_found',
						`${full} is not used in place. ${registered.length === 0 ? 'No folder is.' : `Used so are: ${registered.join(', ')}.`}`,
						{ param: 'folder' },
					);
				return { registered: kept };
			});
		},
		move: async (folder) => {
			await moveModelFolders(modelsFolder(), folder, settings, scratch);
			await onGone();
		},
		import: (path, name, signal) => importModel(modelsFolder(), path, name, signal),
		freeName: (path, name) => freeName(modelsFolder(), path, name),
		build: (path, folderName, flags, signal) =>
			jobEvents<DownloadEvent, string>(
				async (tell, stop) => {
					const build = {
						modelsFolder: modelsFolder(),
						folderName,
						path: resolve(path),
						flags,
					};
					return (await buildFromPath(building, build, tell, stop)) ?? '';
				},
				signal,
				isOutdated,
			),
		remove: async (model) => {
			const { folder } = model;
			if (folder === undefined) throw new AppError('not_found', `${model.id} has no files.`);
			const registered = registeredAt(model);
			if (registered !== undefined)
				throw new AppError(
					'forbidden',
					`${model.id} lies in ${registered}, which was registered in place; unregister the folder instead.`,
				);
			// Renamed first, so that a model half deleted is never offered.
			const fail = (error: unknown) => {
				throw systemError(error, { path: folder, verb: 'removed' }) ?? error;
			};
			const aside = hiddenPath('removed', dirname(folder));
			await movePath(folder, aside).catch(fail);
			// Of a change that was not ended: the next start would bring it back.
			await removePath(replacedPath(folder), { recursive: true, force: true }).catch(fail);
			await removePath(aside, { recursive: true, force: true });
			await onGone();
		},
	};
}

async function freeName(
	modelsFolder: string,
	path: string,
	name: string | undefined,
): Promise<string> {
	await found(path);
	const wanted =
		name ??
		basename(path)
			.replace(/\.(tar|tar\.gz|tgz|zip|gguf)$/i, '')
			.replace(/-\d{5}-of-\d{5}$/, '');
	if (wanted.includes('/') || pathFault(wanted) !== undefined)
		throw new AppError('invalid_request', `${JSON.stringify(wanted)} cannot be a model's name.`, {
			param: 'name',
		});
	// The folder is called what the model is: two that only an id does not tell apart are none.
	const id = idName(wanted);
	const target = join(modelsFolder, id);
	if (await stat(target).catch(() => undefined))
		throw new AppError('conflict', `${target} exists already; remove it or give another name.`);
	return id;
}

function found(path: string) {
	return stat(path).catch(() => {
		throw new AppError('not_found', `There is no file or folder ${path}.`, { param: 'path' });
	});
}

async function importModel(
	modelsFolder: string,
	path: string,
	name: string | undefined,
	signal: AbortSignal,
): Promise<string> {
	const info = await found(path);
	const target = join(modelsFolder, await freeName(modelsFolder, path, name));
	if (await holdsWeights(path, signal))
		throw new AppError(
			'unsupported_model',
			`${path} holds weights and no ONNX graphs: a model is built of them with 'nearglot models import'.`,
			{ param: 'path' },
		);
	const work = await makeHiddenFolder('import', modelsFolder).catch((error: unknown) => {
		throw diskError(error, modelsFolder) ?? error;
	});
	try {
		if (info.isDirectory())
			await copyPath(path, join(work, 'model'), {
				recursive: true,
				dereference: true,
				filter: (source) => checkCopied(path, source, signal),
			});
		else if (isArchive(path)) await unpack(path, join(work, 'model'), signal);
		else
			throw new AppError(
				'invalid_request',
				`${path} is neither a folder nor a .tar, .tar.gz or .zip archive.`,
				{ param: 'path' },
			);
		await movePath(await modelRoot(join(work, 'model')), target);
		return target;
	} catch (error) {
		const known = systemError(error, { path: target, verb: 'written' });
		throw known?.code === 'disk_full' ? known : error;
	} finally {
		await removePath(work, { recursive: true, force: true });
	}
}

/** A link that leaves the folder would bring in a file that is none of the model's. */
async function checkCopied(folder: string, source: string, signal: AbortSignal): Promise<true> {
	if (signal.aborted) throw new AppError('cancelled');
	if ((await stat(source)).isDirectory()) return true;
	const why = await fileFault(folder, source);
	if (why === undefined) return true;
	throw new AppError('unsupported_model', `${source} ${why}, so the model is not imported.`);
}

/** Archives often hold one folder that holds the model. */
async function modelRoot(folder: string): Promise<string> {
	const entries = await listFolder(folder);
	if (entries.some((entry) => /^(genai_)?config\.json$/.test(entry.name))) return folder;
	const only = entries.filter(({ kind }) => kind === 'folder');
	const [first] = only;
	if (only.length === 1 && first !== undefined) return modelRoot(join(folder, first.name));
	throw new AppError(
		'unsupported_model',
		'There is no config.json or genai_config.json in it, so it is not a model in a published layout.',
	);
}
