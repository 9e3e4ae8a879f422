/**
 * Models that are built here of published weights: from a repository, whose files are read piece by piece and
 * never stored, or from a file or folder of this machine. What is unfinished stays for the next try.
 */

import { readdir, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { isArchive } from '../hub/archive.ts';
import { downloadFile } from '../hub/downloadFile.ts';
import { checkDisk, type DownloadEvent } from '../hub/downloadModel.ts';
import type { HubHttp } from '../hub/http.ts';
import { type BuiltFrom, type Manifest, readManifest, writeManifest } from '../hub/manifest.ts';
import { inside } from '../hub/names.ts';
import {
	checkTaken,
	keptOf,
	type ModelIdentity,
	modelPaths,
	replaceModel,
	restoreModel,
} from '../hub/placeModel.ts';
import { rangedFile } from '../hub/rangedFile.ts';
import type { HubFile, HubRepository } from '../hub/repository.ts';
import { keepSame, listingOf, unlessEmpty } from '../hub/unfinished.ts';
import { textOnly, type WeightFiles } from '../hub/weightFiles.ts';
import { defined } from '../protocol/defined.ts';
import { AppError, type DownloadProgress } from '../protocol/index.ts';
import { pushAll } from '../protocol/lists.ts';
import { listFolder } from '../store/listFolder.ts';
import { lockFile } from '../store/lock.ts';
import { makeFolder } from '../store/makeFolder.ts';
import { removePath } from '../store/movePath.ts';
import { archiveHoldsWeights, unpackedWeights } from './archivedWeights.ts';
import { builtFromOf, filesIn, isBuilt } from './builtFiles.ts';
import type { BuildFacts, BuildRequest, FolderProgress, ModelBuilder } from './modelBuilder.ts';
import { stampsOf } from './weightStamps.ts';

export interface BuildPlace {
	readonly modelsFolder: string;
	/** Name of the model's own folder in it. */
	readonly folderName: string;
	/** Called before the finished model takes the place of an older one: whoever has its files open closes them. */
	readonly release?: () => Promise<void>;
}

/** How it is built, and whether at all. */
export interface BuildFlags {
	/** More bits where they tell. */
	readonly quality?: boolean;
	/** Keeps the numbers of the source. */
	readonly keep?: boolean;
	/** Tells the plan, and ends. */
	readonly plan?: boolean;
}

/** More bits, and the numbers of the source as they are, cannot both be had. */
export const excluding = (): AppError =>
	new AppError(
		'invalid_request',
		"'quality' and 'keep' exclude each other: either numbers get more bits, or they stay as they are.",
		{ param: 'quality' },
	);

export interface BuildDeps {
	readonly builder: ModelBuilder;
	/** Bytes of memory that this machine has. */
	readonly memoryBytes: () => number;
	/** Bytes a second that its memory gives. */
	readonly memorySpeed: () => Promise<number>;
	readonly now: () => number;
	/** Milliseconds of a clock that is never set. */
	readonly elapsed: () => number;
}

export interface HubBuild extends BuildPlace {
	readonly repository: HubRepository;
	readonly weights: WeightFiles;
	readonly identity: ModelIdentity;
	readonly flags: BuildFlags;
}

type Emit = (event: DownloadEvent) => void;

/** Resolves to the model's folder; `undefined` when only the plan was wanted. */
export async function buildFromHub(
	http: HubHttp,
	deps: BuildDeps,
	build: HubBuild,
	emit: Emit,
	signal: AbortSignal,
): Promise<string | undefined> {
	const { repository, weights, identity, flags } = build;
	const { target, partial } = modelPaths(build.modelsFolder, build.folderName);
	makeFolder(build.modelsFolder);
	await using _lock = await lockFile(`${partial}.lock`, {
		signal,
		onWait: (owner, waitedMs) => {
			if (waitedMs === 0) emit({ type: 'waiting', ownerPid: owner?.pid });
		},
	});
	await using _rest = unlessEmpty(partial);
	await restoreModel(target);
	const before = await readManifest(target);
	await checkTaken(target, before, { manifest: identity, repository: repository.repository });
	const builtFrom = builtFromOf(weights, flags);
	const kept = keptOf(before, identity);
	if (before !== undefined && (await isBuilt(target, before, repository.commit, builtFrom))) {
		const said = { ...before, ...identity, ...kept };
		// What is in memory goes by the older one.
		if (!isDeepStrictEqual(said, before)) await build.release?.();
		const now = { ...said, commit: repository.commit, builtFrom };
		if (!isDeepStrictEqual(now, before)) await writeManifest(target, now);
		return target;
	}
	const { sides } = weights;
	const start = weights.root === '' ? '' : `${weights.root}/`;
	const local = ({ path }: HubFile) =>
		`source/${path.startsWith(start) ? path.slice(start.length) : path}`;
	const content = ({ path, sha256, gitSha1 }: HubFile) =>
		sha256 ?? gitSha1 ?? `${repository.repository}/${repository.commit}/${path}`;
	await keepSame(partial, new Map(sides.map((file) => [local(file), content(file)])));
	for (const file of sides) {
		const path = inside(partial, local(file));
		if ((await stat(path).catch(() => undefined))?.size === file.sizeBytes) continue;
		await downloadFile(
			http,
			{ repository: repository.repository, commit: repository.commit, file, target: path },
			signal,
		);
	}
	const request: BuildRequest = {
		model: identity.id,
		source: {
			kind: 'files',
			format: weights.format,
			files: weights.weights.map((file) =>
				rangedFile(http, {
					repository: repository.repository,
					commit: repository.commit,
					file,
				}),
			),
		},
		...(sides.length === 0 ? {} : { sides: join(partial, 'source') }),
		target: join(partial, 'model'),
		root: partial,
		origin: {
			source: `${repository.repository}/${weights.weights[0]?.path ?? ''}`,
			revision: repository.commit,
			hashes: Object.fromEntries(weights.weights.map((file) => [file.path, content(file)])),
		},
		...defined({ quality: flags.quality, keep: flags.keep }),
	};
	const facts = await runBuild(deps, request, build, emit, signal, (found) => ({
		repository: repository.repository,
		totalBytes: weights.sizeBytes,
		reason: weights.reason,
		...defined({ license: identity.license ?? found.license }),
	}));
	if (facts === undefined) {
		await removePlanned(partial);
		return undefined;
	}
	await writeManifest(request.target, {
		...identity,
		...kept,
		...defined({ license: identity.license ?? facts.license }),
		repository: repository.repository,
		commit: repository.commit,
		hub: http.endpoint.href,
		builtFrom,
		files: await filesIn(request.target),
		downloadedAt: new Date(deps.now()).toISOString(),
	});
	await replaceModel(request.target, target, build.release);
	await removePath(partial, { recursive: true, force: true });
	await removePath(listingOf(partial), { force: true });
	return target;
}

export interface PathBuild extends BuildPlace {
	/** A `.gguf` file, a folder, or an archive of one. */
	readonly path: string;
	readonly flags: BuildFlags;
}

/** As {@link buildFromHub}, of what lies on this machine. The folder must not be there yet. */
export async function buildFromPath(
	deps: BuildDeps,
	build: PathBuild,
	emit: Emit,
	signal: AbortSignal,
): Promise<string | undefined> {
	const { target, partial } = modelPaths(build.modelsFolder, build.folderName);
	if (build.flags.quality === true && build.flags.keep === true) throw excluding();
	makeFolder(build.modelsFolder);
	await using _lock = await lockFile(`${partial}.lock`, { signal });
	await using _rest = unlessEmpty(partial);
	await restoreModel(target);
	if (await stat(target).catch(() => undefined))
		throw new AppError('conflict', `${target} exists already; remove it or give another name.`);
	const found = await stat(build.path);
	const path = isArchive(build.path)
		? await unpackedWeights(build.path, found, partial, signal)
		: build.path;
	const stamps = await stampsOf(path);
	const size = stamps.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
	const request: BuildRequest = {
		model: build.folderName,
		source: { kind: 'path', path },
		target: join(partial, 'model'),
		root: partial,
		origin: {
			source: build.path,
			hashes: Object.fromEntries(stamps.map(({ name, stamp }) => [name, stamp])),
		},
		...defined({ quality: build.flags.quality, keep: build.flags.keep }),
	};
	const facts = await runBuild(deps, request, build, emit, signal, ({ license }) => ({
		repository: build.path,
		totalBytes: size,
		reason: 'It is built of the weights there.',
		...defined({ license }),
	}));
	if (facts === undefined) {
		await removePlanned(partial);
		return undefined;
	}
	if (!isDeepStrictEqual(await stampsOf(path), stamps))
		throw new AppError(
			'conflict',
			`The files of ${build.path} have changed while they were read. Try again when nothing writes to them any more.`,
		);
	await replaceModel(request.target, target, build.release);
	await removePath(partial, { recursive: true, force: true });
	return target;
}

/** Where only the plan was wanted, nothing stays but what an earlier try has built. */
async function removePlanned(partial: string): Promise<void> {
	const isBegun = await stat(join(partial, '.building')).catch(() => undefined);
	if (isBegun !== undefined) return;
	await removePath(partial, { recursive: true, force: true });
	await removePath(listingOf(partial), { force: true });
}

/** Whether a path holds weights to build of rather than a model that can run. */
export async function holdsWeights(path: string): Promise<boolean> {
	if (!(await stat(path)).isDirectory())
		return /\.gguf$/i.test(path) || (await archiveHoldsWeights(path));
	const names = await readdir(path);
	const inner = await readdir(join(path, 'onnx')).catch(() => []);
	if ([...names, ...inner].some((name) => name.endsWith('.onnx'))) return false;
	const has = (ending: RegExp) => names.some((name) => ending.test(name));
	if (has(/\.(gguf|safetensors)$/i)) return true;
	// A translator of Marian; other models with such vocabularies have their settings beside them.
	return !names.includes('config.json') && has(/\.(bin|npz)(\.gz)?$/) && has(/\.spm(\.gz)?$/);
}

/** Builds, tells the plan and how far it is; `undefined` when only the plan was wanted. */
export async function runBuild(
	{ builder, memoryBytes, memorySpeed, elapsed }: BuildDeps,
	request: BuildRequest,
	{ modelsFolder, folderName, flags }: BuildPlace & { readonly flags: BuildFlags },
	emit: Emit,
	signal: AbortSignal,
	startOf: (facts: BuildFacts) => {
		readonly repository: string;
		readonly totalBytes: number;
		readonly reason: string;
		readonly license?: string;
	},
): Promise<BuildFacts | undefined> {
	const progressOf = progressFrom(request, elapsed);
	const work = builder.build(
		request,
		{
			onPlan: async (found) => {
				const { reason, ...start } = startOf(found);
				const part =
					found.isTextPart === true
						? ` ${textOnly('what it has for images or sound is left out')}`
						: '';
				const { architecture, parameters, sizeBytes, storedAs, tokenBytes } = found;
				const has = memoryBytes();
				if (found.memoryBytes > has)
					emit({
						type: 'notice',
						notice: `It takes about ${gigabytes(found.memoryBytes)} GB of memory while loaded, and this machine has ${gigabytes(has)} GB: it will hardly run here.`,
					});
				emit({
					type: 'start',
					start: {
						model: request.model,
						...start,
						build: {
							reason: `${reason}${part}`,
							architecture,
							parameters,
							storedAs,
							sizeBytes,
							memoryBytes: found.memoryBytes,
							...(tokenBytes === undefined
								? {}
								: { tokensPerSecond: (await memorySpeed()) / tokenBytes }),
						},
					},
				});
				if (flags.plan === true) return false;
				await checkDisk({ modelsFolder, folderName }, sizeBytes, await writtenIn(request));
				return true;
			},
			onProgress: (progress) => emit({ type: 'progress', progress: progressOf(progress) }),
			onWait: (model) =>
				emit({
					type: 'notice',
					notice: `${model} is being built just now; this begins when that has ended.`,
				}),
		},
		signal,
	);
	const facts = await work.catch(async (error: unknown) => {
		// What cannot be built is not gone on with.
		if (error instanceof AppError && error.code === 'unsupported_model')
			await removePath(request.root, { recursive: true, force: true }).catch(() => {});
		throw error;
	});
	if (flags.plan === true || facts === undefined) return undefined;
	const { loss, sizeBytes } = facts;
	if (loss !== undefined)
		emit({
			type: 'progress',
			progress: {
				...progressOf({ phase: 'check', doneBytes: sizeBytes, totalBytes: sizeBytes }),
				loss,
			},
		});
	return facts;
}

const gigabytes = (bytes: number) => (bytes / 1e9).toFixed(1);

/** Bytes that an earlier try has written. */
async function writtenIn({ target }: BuildRequest): Promise<number> {
	let bytes = 0;
	// What is being built, and what is finished and has not got its name.
	for (const folder of [join(dirname(target), '.building'), target]) {
		const names = await readdir(folder, { recursive: true }).catch(() => []);
		for (const name of names) {
			const file = await stat(join(folder, name)).catch(() => undefined);
			// A file has its full length from the beginning; what is written has blocks.
			if (file?.isFile()) bytes += (file.blocks ?? 0) * 512;
		}
	}
	return bytes;
}

function progressFrom({ model, origin }: BuildRequest, elapsed: () => number) {
	const samples: { at: number; bytes: number }[] = [];
	const file = basename(origin.source);
	return ({ phase, doneBytes, totalBytes }: FolderProgress): DownloadProgress => {
		const at = elapsed();
		if ((samples.at(-1)?.bytes ?? 0) > doneBytes) samples.length = 0;
		samples.push({ at, bytes: doneBytes });
		while (samples.length > 2 && at - (samples[0]?.at ?? at) > 5000) samples.shift();
		const first = samples[0] ?? { at, bytes: doneBytes };
		return {
			model,
			file,
			phase,
			fileFraction: totalBytes === 0 ? 1 : doneBytes / totalBytes,
			doneBytes,
			totalBytes,
			bytesPerSecond: at > first.at ? ((doneBytes - first.bytes) * 1000) / (at - first.at) : 0,
		};
	};
}
