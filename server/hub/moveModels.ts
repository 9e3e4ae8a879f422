/**
 * Moves the folder of downloaded models. The old folder stays complete until the new one is, and the
 * choice is written in between: killed at any moment, one of the two holds everything.
 */

import { readdir, stat } from 'node:fs/promises';
import { dirname, isAbsolute, join, relative, resolve } from 'node:path';
import { AppError, systemError } from '../protocol/index.ts';
import { makeFolder } from '../store/makeFolder.ts';
import { movePath, removePath } from '../store/movePath.ts';
import { copyPath } from '../store/openPath.ts';
import { movingSuffix, noteMoving } from '../store/scratch.ts';
import type { ModelSettingsFile } from './modelSettings.ts';

/**
 * @param scratch folder for temporary files
 * Throws `invalid_request`, `conflict`, `disk_full` or `store_unavailable`; then nothing has changed. */
export async function moveModelFolders(
	from: string,
	to: string,
	settings: ModelSettingsFile,
	scratch: string,
): Promise<void> {
	if (!isAbsolute(to))
		throw new AppError('invalid_request', `${to} is not an absolute path.`, { param: 'folder' });
	const target = resolve(to);
	const between = relative(resolve(from), target);
	if (between === '') return;
	if (!between.startsWith('..') && !isAbsolute(between))
		throw new AppError('invalid_request', `${target} lies inside the present folder.`, {
			param: 'folder',
		});
	const present = await entries(target);
	if (present.length > 0)
		throw new AppError('conflict', `${target} is not empty; name a new or an empty folder.`, {
			param: 'folder',
		});
	await checkPlace(target);
	const staging = `${target}${movingSuffix}`;
	// What a killed move has left is noted, and removed when the next server starts; this is not noted.
	if ((await stat(staging).catch(() => undefined)) !== undefined)
		throw new AppError(
			'conflict',
			`${staging} is there already, and the models would be copied to it first. Move it away, or name another folder.`,
			{ param: 'folder' },
		);
	await using _note = await noteMoving(scratch, staging).catch((error: unknown) => {
		throw systemError(error, { path: scratch, verb: 'written' }) ?? error;
	});
	try {
		makeFolder(staging);
		const names = await entries(from);
		for (const name of names)
			await copyPath(join(from, name), join(staging, name), {
				recursive: true,
				verbatimSymlinks: true,
			});
		await removePath(target, { recursive: true, force: true });
		await movePath(staging, target);
		await settings
			.change(() => ({ modelsFolder: target }))
			.catch(async (error: unknown) => {
				await removePath(target, { recursive: true, force: true });
				throw error;
			});
		for (const name of names) await removePath(join(from, name), { recursive: true, force: true });
	} catch (error) {
		await removePath(staging, { recursive: true, force: true });
		throw systemError(error) ?? error;
	}
}

/** What becomes the folder is renamed into place, which a disk's own folder cannot be. */
async function checkPlace(target: string): Promise<void> {
	const [own, around] = await Promise.all(
		[target, dirname(target)].map((path) => stat(path).catch(() => undefined)),
	);
	if (own === undefined || around === undefined || own.dev === around.dev) return;
	throw new AppError(
		'invalid_request',
		`${target} is a disk's own folder; name a folder in it, for example ${join(target, 'models')}.`,
		{ param: 'folder' },
	);
}

async function entries(folder: string): Promise<string[]> {
	return readdir(folder).catch((error: NodeJS.ErrnoException) => {
		if (error.code === 'ENOENT') return [];
		throw systemError(error) ?? error;
	});
}
