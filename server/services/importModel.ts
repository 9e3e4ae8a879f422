/** Models of this machine that are copied into the folder of models, and the names they get there. */

import { stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { isArchive, unpack } from '../hub/archive.ts';
import { diskError } from '../hub/downloadFile.ts';
import { checkDisk } from '../hub/downloadModel.ts';
import { cardId, renameCard } from '../hub/modelCard.ts';
import { fileFault } from '../hub/modelFile.ts';
import { pathFault } from '../hub/names.ts';
import { modelPaths } from '../hub/placeModel.ts';
import { AppError, systemError } from '../protocol/index.ts';
import { idName } from '../protocol/modelNames.ts';
import { listFolder } from '../store/listFolder.ts';
import { lockFile } from '../store/lock.ts';
import { movePath, removePath } from '../store/movePath.ts';
import { copyPath } from '../store/openPath.ts';
import { makeHiddenFolder } from '../store/scratch.ts';
import { holdsWeights } from './archivedWeights.ts';
import type { CheckFree } from './freeIds.ts';

/** Folders inside each other that are counted. */
const maxDepth = 32;

/**
 * The name that a model of a path gets.
 * @throws AppError `not_found`, `invalid_request` for what cannot be one, `conflict` when it is taken
 */
export async function freeName(
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
	if (await stat(target).catch(() => undefined)) throw existsAlready(target);
	return id;
}

const existsAlready = (target: string) =>
	new AppError('conflict', `${target} exists already; remove it or give another name.`, {
		param: 'name',
	});

function found(path: string) {
	return stat(path).catch(() => {
		throw new AppError('not_found', `There is no file or folder ${path}.`, { param: 'path' });
	});
}

/**
 * Copies a model's folder or unpacks an archive into the folder of models; resolves to the new folder.
 * @param checkFree asked for the id that the model would have, before and after it is known for certain; throws where that is taken
 * @throws AppError `conflict`, `not_found`, `invalid_request`, `unsupported_model`, `disk_full`, `cancelled`
 */
export async function importModelFiles(
	modelsFolder: string,
	path: string,
	name: string | undefined,
	checkFree: CheckFree,
	signal: AbortSignal,
): Promise<string> {
	const info = await found(path);
	const folderName = await freeName(modelsFolder, path, name);
	if (name !== undefined) await checkFree(`${folderName}:1`);
	if (await holdsWeights(path, signal))
		throw new AppError(
			'unsupported_model',
			`${path} holds weights and no ONNX graphs: a model is built of them with 'nearglot models import'.`,
			{ param: 'path' },
		);
	const { target, partial } = modelPaths(modelsFolder, folderName);
	await using _lock = await lockFile(`${partial}.lock`, { waitMs: 0 }).catch((error: unknown) => {
		if (!(error instanceof AppError) || error.code !== 'store_unavailable') throw error;
		throw new AppError(
			'conflict',
			`${folderName} is being imported, downloaded or built just now. Wait for that, or give this one another name.`,
			{ param: 'name', cause: error },
		);
	});
	const work = await makeHiddenFolder('import', modelsFolder).catch((error: unknown) => {
		throw diskError(error, modelsFolder) ?? error;
	});
	try {
		const checkRoom = (bytes: number) => checkDisk({ modelsFolder, folderName }, bytes, 0);
		if (info.isDirectory()) {
			await checkRoom(await bytesIn(path, signal));
			await copyPath(path, join(work, 'model'), {
				recursive: true,
				dereference: true,
				filter: (source) => checkCopied(path, source, signal),
			});
		} else if (isArchive(path))
			await unpack(path, join(work, 'model'), signal, undefined, checkRoom);
		else
			throw new AppError(
				'invalid_request',
				`${path} is neither a folder nor a .tar, .tar.gz or .zip archive.`,
				{ param: 'path' },
			);
		const model = await modelRoot(join(work, 'model'));
		// A folder that was downloaded once has a card with the name it had then.
		if (name !== undefined) await renameCard(model, folderName);
		await checkFree(await cardId(model, folderName));
		if (await stat(target).catch(() => undefined)) throw existsAlready(target);
		await movePath(model, target);
		return target;
	} catch (error) {
		const known = systemError(error, { path: target, verb: 'written' });
		throw known?.code === 'disk_full' ? known : error;
	} finally {
		await removePath(work, { recursive: true, force: true });
	}
}

/** Bytes of all files of a folder, as a copy that follows links writes them. */
async function bytesIn(
	folder: string,
	signal: AbortSignal,
	seen = new Set<string>(),
	depth = 0,
): Promise<number> {
	let bytes = 0;
	for (const { name } of await listFolder(folder)) {
		if (signal.aborted) throw new AppError('cancelled');
		const path = join(folder, name);
		// What cannot be read, the copy says.
		const found = await stat(path).catch(() => undefined);
		if (found?.isDirectory() && depth < maxDepth) {
			// Links may lead in circles.
			const folderId = `${found.dev} ${found.ino}`;
			if (seen.has(folderId)) continue;
			seen.add(folderId);
			bytes += await bytesIn(path, signal, seen, depth + 1);
		} else if (found?.isFile()) bytes += found.size;
	}
	return bytes;
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
