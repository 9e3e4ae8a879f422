/**
 * Moves the folder of downloaded models. The old folder stays complete until the new one is, and the
 * choice is written in between: killed at any moment, one of the two holds everything.
 */

import { cp, mkdir, readdir, rename, rm } from 'node:fs/promises';
import { isAbsolute, join, relative, resolve } from 'node:path';
import { AppError } from '../protocol/index.ts';
import { diskError } from './downloadFile.ts';
import type { ModelSettingsFile } from './settings.ts';

/** Throws `invalid_request`, `conflict`, `disk_full` or `forbidden`; then nothing has changed. */
export async function moveModels(
	from: string,
	to: string,
	settings: ModelSettingsFile,
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
	try {
		const staging = `${target}.moving`;
		await rm(staging, { recursive: true, force: true });
		await mkdir(staging, { recursive: true });
		const names = await entries(from);
		for (const name of names)
			await cp(join(from, name), join(staging, name), { recursive: true, verbatimSymlinks: true });
		await rm(target, { recursive: true, force: true });
		await rename(staging, target);
		await settings
			.change(() => ({ modelsFolder: target }))
			.catch(async (error: unknown) => {
				await rm(target, { recursive: true, force: true });
				throw error;
			});
		for (const name of names) await rm(join(from, name), { recursive: true, force: true });
	} catch (error) {
		await rm(`${target}.moving`, { recursive: true, force: true });
		throw diskError(error, target) ?? error;
	}
}

async function entries(folder: string): Promise<string[]> {
	return readdir(folder).catch((error: NodeJS.ErrnoException) => {
		if (error.code === 'ENOENT') return [];
		throw diskError(error, folder) ?? error;
	});
}
