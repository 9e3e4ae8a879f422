/** Folders of models beyond downloads: registered in place, imported from archives, removed. */

import { stat } from 'node:fs/promises';
import { dirname, join, resolve, sep } from 'node:path';
import { type DownloadEvent, isOutdated } from '../hub/downloadModel.ts';
import { jobEvents } from '../hub/jobEvents.ts';
import type { ModelSettingsFile } from '../hub/modelSettings.ts';
import { moveModelFolders } from '../hub/moveModels.ts';
import { replacedPath } from '../hub/placeModel.ts';
import { AppError, errno, type ModelInfo, systemError } from '../protocol/index.ts';
import { movePath, removePath } from '../store/movePath.ts';
import { realPath } from '../store/realPath.ts';
import { hiddenPath } from '../store/scratch.ts';
import type { BuildFlags } from './buildWork.ts';
import { buildFromPath } from './builtModels.ts';
import type { CheckFree } from './freeIds.ts';
import { freeName, importModelFiles } from './importModel.ts';
import type { BuildDeps } from './runBuild.ts';

export interface ModelFolders {
	/** The registered folder that a model lies in; it is used there and not changed. */
	registered(model: ModelInfo): string | undefined;
	/** Resolves to whether it was not registered before. */
	register(folder: string): Promise<boolean>;
	unregister(folder: string): Promise<void>;
	/** Resolves to the new folder. */
	import(
		path: string,
		name: string | undefined,
		checkFree: CheckFree,
		signal: AbortSignal,
	): Promise<string>;
	/** {@link freeName} in the folder of models. */
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
		import: (path, name, checkFree, signal) =>
			importModelFiles(modelsFolder(), path, name, checkFree, signal),
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
