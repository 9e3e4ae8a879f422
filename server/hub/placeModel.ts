/** A model's folder under its name: whose the name is, what stays of an older one, and the change itself. */

import { stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { AppError } from '../protocol/index.ts';
import { listFolder } from '../store/listFolder.ts';
import { lockFile } from '../store/lock.ts';
import { movePath, removePath } from '../store/movePath.ts';
import type { Manifest } from './manifest.ts';
import { isSameSource, nameTaken } from './modelSource.ts';
import { inside } from './names.ts';

/** What is known of a model before its files are there. */
export type ModelIdentity = Omit<
	Manifest,
	'files' | 'downloadedAt' | 'hub' | 'commit' | 'repository' | 'builtFrom'
>;

/** Folder of what is not finished yet. */
export function unfinishedFolder(modelsFolder: string): string {
	return join(modelsFolder, '.downloads');
}

/** Where a model goes, and where it is until it is complete. */
export function modelPaths(
	modelsFolder: string,
	folderName: string,
): { readonly target: string; readonly partial: string } {
	return {
		target: inside(modelsFolder, folderName),
		partial: inside(unfinishedFolder(modelsFolder), folderName),
	};
}

/** Whoever is first has the name, also when another process was first. @throws AppError `conflict` */
export async function checkTaken(
	target: string,
	before: Manifest | undefined,
	{ manifest, repository }: { readonly manifest: ModelIdentity; readonly repository: string },
): Promise<void> {
	if (before === undefined) {
		if (!(await stat(target).catch(() => undefined))) return;
		throw new AppError(
			'conflict',
			`${target} is there already and was not downloaded. Move it away, or give the model another Name.`,
			{ param: 'model.Name' },
		);
	}
	if (!isSameSource(before, { ...manifest, repository })) throw nameTaken(before.id, before);
}

/** A template given with an earlier request stays until one gives another, or `{}` for none. */
export function keptOf(
	before: Manifest | undefined,
	{ promptTemplate: given }: ModelIdentity,
): Pick<Manifest, 'promptTemplate'> {
	const template = given ?? before?.promptTemplate;
	return template === undefined ? {} : { promptTemplate: template };
}

/** Where the older model is while the new one takes its place; no folder of a model has such a name. */
export const replacedPath = (target: string): string =>
	join(dirname(target), `.${basename(target)}.old`);

/** Ends what a killed process had begun: the older model gets its name back where the new one has not got it. */
export async function restoreModel(target: string): Promise<void> {
	const old = replacedPath(target);
	// Whatever else has such a name is somebody's.
	if ((await stat(join(old, 'config.json')).catch(() => undefined)) === undefined) return;
	if ((await stat(target).catch(() => undefined)) === undefined) await movePath(old, target);
	else await removePath(old, { recursive: true, force: true });
}

/** {@link restoreModel} of all models of a folder. */
export async function restoreModels(modelsFolder: string): Promise<void> {
	for (const { name, kind } of await listFolder(modelsFolder).catch(() => [])) {
		const model = /^\.(.+)\.old$/.exec(name)?.[1];
		if (kind !== 'folder' || model === undefined) continue;
		const { target, partial } = modelPaths(modelsFolder, model);
		try {
			await using _lock = await lockFile(`${partial}.lock`, { waitMs: 0 });
			await restoreModel(target);
		} catch {
			// Another server replaces it just now, a program holds it, or nobody may: the next download of it comes here again.
		}
	}
}

/**
 * Puts the finished folder in the place of an older one; the older goes only when the new is there. What of it a
 * disk cannot remove while somebody reads it, as one of the network, goes with {@link restoreModel}.
 * @param release called first: whoever has files of the older one open closes them, as Windows renames none that is open
 */
export async function replaceModel(
	partial: string,
	target: string,
	release: () => Promise<void> = async () => {},
): Promise<void> {
	await release();
	const old = replacedPath(target);
	await removePath(old, { recursive: true, force: true });
	const had = await movePath(target, old).then(
		() => true,
		(error: NodeJS.ErrnoException) => {
			if (error.code === 'ENOENT') return false;
			throw error;
		},
	);
	try {
		await movePath(partial, target);
	} catch (error) {
		if (had) await movePath(old, target);
		throw error;
	}
	if (had) await removePath(old, { recursive: true, force: true }).catch(() => {});
}
