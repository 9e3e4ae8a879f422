/**
 * Fetches a whole model into `<models>/<folder>`: space checked first, one process at a time, files
 * verified, and the folder renamed into place when all of it is there.
 */

import { stat, statfs } from 'node:fs/promises';
import { isDeepStrictEqual } from 'node:util';
import { defined } from '../protocol/defined.ts';
import { AppError, type DownloadProgress } from '../protocol/index.ts';
import { lockFile } from '../store/lock.ts';
import { makeFolder } from '../store/makeFolder.ts';
import { diskError, downloadFile } from './downloadFile.ts';
import type { HubHttp } from './http.ts';
import { jobEvents } from './jobEvents.ts';
import { type Manifest, readManifest, writeManifest } from './manifest.ts';
import { inside } from './names.ts';
import { arrivedBytes, removeParts } from './partFile.ts';
import {
	checkTaken,
	keptOf,
	type ModelIdentity,
	modelPaths,
	replaceModel,
	restoreModel,
} from './placeModel.ts';
import type { HubFile } from './repository.ts';
import type { Selection } from './selectModelFiles.ts';
import { endUnfinished, keepSame, unlessEmpty } from './unfinished.ts';

export interface DownloadModelOptions {
	/** Folder of all models. */
	readonly modelsFolder: string;
	/** Name of this model's folder in it. */
	readonly folderName: string;
	/** Called before the finished model takes the place of an older one. */
	readonly release?: () => Promise<void>;
	readonly repository: string;
	readonly commit: string;
	readonly selection: Selection;
	readonly manifest: ModelIdentity;
	readonly bufferBytes?: number;
	readonly connections?: number;
	readonly stallTimeoutMs?: number;
	readonly backoffMs?: number;
	readonly now?: () => number;
	/** Milliseconds of a clock that is never set. */
	readonly elapsed?: () => number;
}

/** What happens while a model is downloaded. */
export type DownloadEvent =
	/**
	 * Before the first byte: what will be fetched and under which licence; of a model that is built here of fetched
	 * files once more, with what it becomes.
	 */
	| { readonly type: 'start'; readonly start: DownloadStart }
	/** Another process is fetching this model; its work is waited for and used. */
	| { readonly type: 'waiting'; readonly ownerPid: number | undefined }
	/** In a sentence, when the hub is waited for. */
	| { readonly type: 'notice'; readonly notice: string }
	| { readonly type: 'progress'; readonly progress: DownloadProgress };

/** Whether a later event says all that an earlier one does. */
export function isOutdated(event: DownloadEvent, later: DownloadEvent): boolean {
	return (
		event.type === 'progress' &&
		later.type === 'progress' &&
		event.progress.file === later.progress.file &&
		event.progress.phase === later.progress.phase
	);
}

export interface DownloadStart {
	readonly model: string;
	readonly repository: string;
	readonly license?: string;
	readonly totalBytes: number;
	/** What will be made of the files, where the model is built here. */
	readonly build?: {
		/** Which files, and what that means for the answers: a sentence. */
		readonly reason: string;
		/** Family of the model. */
		readonly architecture: string;
		readonly parameters: number;
		/** How most of the weights are stored: `q4_k`, `bf16`. */
		readonly storedAs: string;
		/** Of the model's folder. */
		readonly sizeBytes: number;
		/** About how much memory it takes while loaded. */
		readonly memoryBytes: number;
		/** How many tokens an answer grows by: an estimate, by what one thread reads of this machine's memory; of language models. */
		readonly tokensPerSecond?: number;
	};
	/** Files for which the hub states no hash, so that damage on the way cannot be noticed; absent: none. */
	readonly unverified?: number;
}

const isHashed = ({ sha256, gitSha1 }: HubFile): boolean =>
	sha256 !== undefined || gitSha1 !== undefined;

/** Bytes that stay free on the disk. */
const spareBytes = 64 * 1024 * 1024;

/** Returns the model's folder. Interrupted downloads resume; a finished one is only checked. */
export function downloadModelFiles(
	http: HubHttp,
	options: DownloadModelOptions,
	signal: AbortSignal,
): AsyncGenerator<DownloadEvent, string> {
	return jobEvents((emit, stop) => fetchAll(http, options, emit, stop), signal, isOutdated);
}

async function fetchAll(
	http: HubHttp,
	options: DownloadModelOptions,
	emit: (event: DownloadEvent) => void,
	signal: AbortSignal,
): Promise<string> {
	const { target, partial } = modelPaths(options.modelsFolder, options.folderName);
	try {
		makeFolder(options.modelsFolder);
		await using _lock = await lockFile(`${partial}.lock`, {
			signal,
			onWait: (owner, waitedMs) => {
				if (waitedMs === 0) emit({ type: 'waiting', ownerPid: owner?.pid });
			},
		});
		await using _rest = unlessEmpty(partial);
		await restoreModel(target);
		const before = await readManifest(target);
		await checkTaken(target, before, options);
		const kept = keptOf(before, options.manifest);
		if (before !== undefined && (await isComplete(target, before, options))) {
			const now = { ...before, ...options.manifest, ...kept };
			if (isDeepStrictEqual(now, before)) return target;
			// What is in memory goes by the older one.
			await options.release?.();
			await writeManifest(target, now);
			return target;
		}
		const { root, files } = options.selection;
		const local = (file: HubFile) => localPath(root, file);
		await keepSame(partial, new Map(files.map((file) => [local(file), contentOf(file, options)])));
		await checkSpace(partial, options, files, local);
		const { license, id } = options.manifest;
		const unverified = files.filter((file) => !isHashed(file)).length;
		emit({
			type: 'start',
			start: {
				model: id,
				repository: options.repository,
				totalBytes: options.selection.sizeBytes,
				...defined({ license }),
				...(unverified === 0 ? {} : { unverified }),
			},
		});
		const progressAt = progressOf(options, files);
		const report = (file: HubFile, bytes: number) => {
			const progress = progressAt(file, bytes);
			if (progress !== undefined) emit({ type: 'progress', progress });
		};
		for (const file of files) {
			const path = inside(partial, local(file));
			if ((await sizeOf(path)) === file.sizeBytes) {
				// Of a process that was killed just as it had finished the file.
				await removeParts(path);
				report(file, file.sizeBytes);
				continue;
			}
			await downloadFile(
				http,
				{
					repository: options.repository,
					commit: options.commit,
					file,
					target: path,
					...defined({
						bufferBytes: options.bufferBytes,
						connections: options.connections,
						stallTimeoutMs: options.stallTimeoutMs,
						backoffMs: options.backoffMs,
					}),
					onProgress: (done) => report(file, done),
				},
				signal,
			);
			report(file, file.sizeBytes);
		}
		await writeManifest(partial, {
			...options.manifest,
			...kept,
			repository: options.repository,
			commit: options.commit,
			hub: http.endpoint.href,
			files: files.map((file) => ({
				path: local(file),
				sizeBytes: file.sizeBytes,
				...defined({ sha256: file.sha256 }),
				...(isHashed(file) ? {} : { unverified: true }),
			})),
			downloadedAt: new Date((options.now ?? Date.now)()).toISOString(),
		});
		await replaceModel(partial, target, options.release);
		await endUnfinished(partial);
		return target;
	} catch (error) {
		throw diskError(error, target) ?? error;
	}
}

/** What tells the content of a file from any other's. */
function contentOf(
	{ path, sha256, gitSha1 }: HubFile,
	{ commit, repository }: DownloadModelOptions,
) {
	return sha256 ?? gitSha1 ?? `${repository}/${commit}/${path}`;
}

/** Path of a file in the model's folder. */
function localPath(root: string, { path }: HubFile): string {
	return root === '' ? path : path.slice(root.length + 1);
}

async function isComplete(
	target: string,
	manifest: Manifest,
	options: DownloadModelOptions,
): Promise<boolean> {
	if (manifest.commit !== options.commit) return false;
	if (manifest.precision !== options.manifest.precision) return false;
	const { root, files } = options.selection;
	const wanted = new Map(files.map((file) => [localPath(root, file), file.sha256]));
	if (manifest.files.length !== wanted.size) return false;
	if (!manifest.files.every(({ path, sha256 }) => wanted.has(path) && wanted.get(path) === sha256))
		return false;
	const sizes = await Promise.all(manifest.files.map((file) => sizeOf(inside(target, file.path))));
	return manifest.files.every((file, index) => sizes[index] === file.sizeBytes);
}

async function checkSpace(
	partial: string,
	options: DownloadModelOptions,
	files: readonly HubFile[],
	local: (file: HubFile) => string,
): Promise<void> {
	let present = 0;
	for (const file of files) {
		const path = inside(partial, local(file));
		present += (await sizeOf(path)) ?? (await arrivedBytes(path));
	}
	await checkDisk(options, options.selection.sizeBytes, present);
}

/**
 * Whether a model still fits where it goes.
 * @param present bytes of it that are there already
 * @throws AppError `disk_full` with what is needed and what is free
 */
export async function checkDisk(
	{ modelsFolder, folderName }: Pick<DownloadModelOptions, 'modelsFolder' | 'folderName'>,
	sizeBytes: number,
	present: number,
): Promise<void> {
	const needed = sizeBytes - present;
	const space = await statfs(modelsFolder);
	const free = space.bavail * space.bsize;
	if (needed > 0 && free < needed + Math.min(spareBytes, free / 10)) {
		const kept = present === 0 ? '' : ` The ${megabytes(present)} MB that have arrived are kept.`;
		throw new AppError(
			'disk_full',
			`${folderName} needs ${megabytes(needed)} MB and ${modelsFolder} has ${megabytes(free)} MB free. Free some space or choose another model folder.${kept}`,
			{ data: { neededBytes: needed, freeBytes: free } },
		);
	}
}

const megabytes = (bytes: number) => Math.ceil(bytes / 1e6).toLocaleString('en');

function progressOf(options: DownloadModelOptions, files: readonly HubFile[]) {
	const elapsed = options.elapsed ?? (() => performance.now());
	const done = new Map<string, number>();
	const samples: { at: number; bytes: number }[] = [];
	return (file: HubFile, bytes: number): DownloadProgress | undefined => {
		// The last bytes and the end of a file are one piece of news.
		if (done.get(file.path) === bytes) return undefined;
		done.set(file.path, bytes);
		let doneBytes = 0;
		for (const value of done.values()) doneBytes += value;
		const at = elapsed();
		samples.push({ at, bytes: doneBytes });
		while (samples.length > 2 && at - (samples[0]?.at ?? at) > 5000) samples.shift();
		const first = samples[0] ?? { at, bytes: doneBytes };
		return {
			model: options.manifest.id,
			file: file.path,
			fileFraction: file.sizeBytes === 0 ? 1 : bytes / file.sizeBytes,
			doneBytes,
			totalBytes: files.reduce((sum, entry) => sum + entry.sizeBytes, 0),
			bytesPerSecond: at > first.at ? ((doneBytes - first.bytes) * 1000) / (at - first.at) : 0,
		};
	};
}

async function sizeOf(path: string): Promise<number | undefined> {
	return (await stat(path).catch(() => undefined))?.size;
}
