/**
 * Models whose download or build was not finished: they stay for the next try, are told of, can be removed, and go
 * by themselves when nobody has come back to them for a month.
 */

import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '../protocol/index.ts';
import { removeOldDrafts } from '../store/files.ts';
import { listFolder } from '../store/listFolder.ts';
import { lockFile } from '../store/lock.ts';
import { inside } from './names.ts';
import { unfinishedFolder } from './placeModel.ts';
import { endUnfinished, hasFiles, unlessEmpty } from './unfinished.ts';

export interface UnfinishedModel {
	/** Of its folder. */
	readonly name: string;
	/** On the disk. */
	readonly sizeBytes: number;
	/** Milliseconds since 1970. */
	readonly changedAt: number;
}

export const maxUnfinishedAgeMs = 30 * 24 * 60 * 60 * 1000;
/** Files that are looked at in one of them. */
const maxFiles = 10_000;
/** Nobody who works on one is waited for. */
const waitMs = 0;

/** Those in the folder of models, the largest first. */
export async function listUnfinished(modelsFolder: string): Promise<UnfinishedModel[]> {
	const folder = unfinishedFolder(modelsFolder);
	const entries = await listFolder(folder).catch(() => []);
	const names = entries.filter(({ kind }) => kind === 'folder').map(({ name }) => name);
	const found = await Promise.all(names.map((name) => lookAt(join(folder, name), name)));
	return found.sort((a, b) => b.sizeBytes - a.sizeBytes);
}

/** By its folder, or as the model would be called; `undefined` where several would. */
function findUnfinished(
	all: readonly UnfinishedModel[],
	name: string,
): UnfinishedModel | undefined {
	const wanted = name.toLowerCase().replace(':', '@');
	const exact = all.find((one) => one.name === name) ?? all.find((one) => one.name === wanted);
	if (exact !== undefined) return exact;
	const versions = all.filter((one) => one.name.replace(/@\d+$/, '') === wanted);
	return versions.length === 1 ? versions[0] : undefined;
}

/**
 * Removes one.
 * @throws AppError `not_found`, or `conflict` while it is downloaded or built
 */
export async function removeUnfinished(
	modelsFolder: string,
	name: string,
): Promise<UnfinishedModel> {
	const all = await listUnfinished(modelsFolder);
	const model = findUnfinished(all, name);
	if (model === undefined) {
		const names = all.map((one) => one.name).join(', ');
		throw new AppError(
			'not_found',
			`No download or build of ${name} was left unfinished. ${names === '' ? 'None was.' : `Those that were: ${names}.`}`,
		);
	}
	const folder = inside(unfinishedFolder(modelsFolder), model.name);
	try {
		await using _lock = await lockFile(`${folder}.lock`, { waitMs });
		await endUnfinished(folder);
	} catch (error) {
		if (error instanceof AppError && error.code === 'store_unavailable')
			throw new AppError(
				'conflict',
				`${name} is being downloaded or built just now. Stop that first.`,
				{ cause: error },
			);
		throw error;
	}
	return model;
}

/** Removes those that nobody has come back to, and what killed processes have left of others; gives the former. */
export async function removeOldUnfinished(
	modelsFolder: string,
	now: number,
): Promise<UnfinishedModel[]> {
	const removed: UnfinishedModel[] = [];
	await removeNotes(unfinishedFolder(modelsFolder), now);
	for (const model of await listUnfinished(modelsFolder)) {
		if (now - model.changedAt < maxUnfinishedAgeMs) continue;
		try {
			removed.push(await removeUnfinished(modelsFolder, model.name));
		} catch (error) {
			// Somebody works on it after all, or has removed it meanwhile.
			if (!(error instanceof AppError)) throw error;
		}
	}
	return removed;
}

/** What is noted of models of which nothing is unfinished: who was killed at the very end, or before the first byte, has left it. */
async function removeNotes(folder: string, now: number): Promise<void> {
	await removeOldDrafts(folder, now);
	const entries = await listFolder(folder).catch(() => []);
	const names = entries.map(({ name }) => name.replace(/\.(?:files\.json|flags\.json|lock)$/, ''));
	for (const name of new Set(names)) {
		const path = join(folder, name);
		// Whoever goes on with it would have to wait.
		if (await hasFiles(path)) continue;
		try {
			await using _lock = await lockFile(`${path}.lock`, { waitMs });
			await using _rest = unlessEmpty(path);
		} catch {
			// Somebody works on it.
		}
	}
}

async function lookAt(folder: string, name: string): Promise<UnfinishedModel> {
	let sizeBytes = 0;
	let { mtimeMs: changedAt } = await lstat(folder);
	let files = 0;
	const queue = [folder];
	for (let next = queue.pop(); next !== undefined && files < maxFiles; next = queue.pop()) {
		for (const name of await readdir(next).catch(() => [])) {
			const path = join(next, name);
			const found = await lstat(path).catch(() => undefined);
			if (found === undefined || ++files > maxFiles) continue;
			if (found.isDirectory()) queue.push(path);
			changedAt = Math.max(changedAt, found.mtimeMs);
			// A file has its full length from the beginning; what is written has blocks.
			if (found.isFile()) sizeBytes += found.blocks === undefined ? found.size : found.blocks * 512;
		}
	}
	return { name, sizeBytes, changedAt };
}
