/**
 * Models that are built here of published weights: from a repository, whose files are read piece by piece and
 * never stored, or from a file or folder of this machine. What is unfinished stays for the next try.
 */

import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { isArchive } from '../hub/archive.ts';
import { downloadFile } from '../hub/downloadFile.ts';
import { checkDisk, type DownloadEvent } from '../hub/downloadModel.ts';
import type { HubHttp } from '../hub/http.ts';
import { readManifest, writeManifest } from '../hub/manifest.ts';
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
import { endUnfinished, keepSame } from '../hub/unfinished.ts';
import { reasonOfKept, type WeightFiles } from '../hub/weightFiles.ts';
import { defined } from '../protocol/defined.ts';
import { AppError } from '../protocol/index.ts';
import { unpackedWeights } from './archivedWeights.ts';
import { type BuildFlags, type BuildPlace, flagsOf, workPlace } from './buildWork.ts';
import { againNotice, builtFromOf, builtState, filesIn } from './builtFiles.ts';
import type { BuildRequest } from './modelBuilder.ts';
import { type BuildDeps, runBuild } from './runBuild.ts';
import { stampsOf } from './weightStamps.ts';

export interface HubBuild extends BuildPlace {
	readonly repository: HubRepository;
	readonly weights: WeightFiles;
	readonly identity: ModelIdentity;
	/** Where its licence can be read. */
	readonly page?: string;
	readonly flags: BuildFlags;
}

/** Of all small files together. */
const maxSidesBytes = 1e9;

type Emit = (event: DownloadEvent) => void;

/** Resolves to the model's folder; `undefined` when only the plan was wanted. */
export async function buildFromHub(
	http: HubHttp,
	deps: BuildDeps,
	build: HubBuild,
	emit: Emit,
	signal: AbortSignal,
): Promise<string | undefined> {
	const { repository, weights, identity } = build;
	const { target, partial: begun } = modelPaths(build.modelsFolder, build.folderName);
	const isPlan = build.flags.plan === true;
	await using place = await workPlace(build, build.flags, emit, signal);
	const { partial } = place;
	if (!isPlan) await restoreModel(target);
	const before = await readManifest(target);
	await checkTaken(target, before, { manifest: identity, repository: repository.repository });
	const source = `${repository.repository}/${weights.weights[0]?.path ?? ''}`;
	const flags = await flagsOf(begun, source, build.flags, before?.builtFrom, emit);
	const builtFrom = builtFromOf(weights, flags);
	const kept = keptOf(before, identity);
	const state = before && (await builtState(target, before, repository.commit, builtFrom));
	if (before !== undefined && state === 'same') {
		if (isPlan) {
			const notice = `${identity.id} is here already, just as it would be built now.`;
			emit({ type: 'notice', notice });
			return undefined;
		}
		const said = { ...before, ...identity, ...kept };
		// What is in memory goes by the older one.
		if (!isDeepStrictEqual(said, before)) await build.release?.();
		const now = { ...said, commit: repository.commit, builtFrom };
		if (!isDeepStrictEqual(now, before)) await writeManifest(target, now);
		return target;
	}
	const isAgain = state === 'byOlderRecipe';
	if (isAgain) {
		emit({ type: 'notice', notice: againNotice(identity.id, weights.sizeBytes) });
		deps.log?.info('building again with a better recipe', {
			model: identity.id,
			bytes: weights.sizeBytes,
			plan: isPlan,
		});
	}
	const { sides } = weights;
	const start = weights.root === '' ? '' : `${weights.root}/`;
	const local = ({ path }: HubFile) =>
		`source/${path.startsWith(start) ? path.slice(start.length) : path}`;
	const content = ({ path, sha256, gitSha1 }: HubFile) =>
		sha256 ?? gitSha1 ?? `${repository.repository}/${repository.commit}/${path}`;
	await keepSame(partial, new Map(sides.map((file) => [local(file), content(file)])));
	await fetchSides(http, { ...build, partial, local }, emit, signal);
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
			source,
			revision: repository.commit,
			hashes: Object.fromEntries(weights.weights.map((file) => [file.path, content(file)])),
		},
		...flags,
		...(isPlan ? { plan: true } : {}),
	};
	const facts = await runBuild(deps, request, { ...build, isAgain }, emit, signal, (found) => ({
		repository: repository.repository,
		totalBytes: weights.sizeBytes,
		reason: flags.keep === true ? reasonOfKept(weights) : weights.reason,
		...defined({ license: identity.license ?? found.license }),
	}));
	if (facts === undefined) return undefined;
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
	await endUnfinished(partial);
	return target;
}

/** The small files that are read whole, told of first with size and licence. */
async function fetchSides(
	http: HubHttp,
	{
		repository: { repository, commit },
		weights: { sides, sizeBytes },
		identity: { id, license },
		...place
	}: HubBuild & { readonly partial: string; readonly local: (file: HubFile) => string },
	emit: Emit,
	signal: AbortSignal,
): Promise<void> {
	const totalBytes = sides.reduce((sum, file) => sum + file.sizeBytes, 0);
	if (totalBytes > maxSidesBytes)
		throw new AppError(
			'unsupported_model',
			`${repository} has ${Math.ceil(totalBytes / 1e6)} MB of files beside its weights; at most ${maxSidesBytes / 1e6} MB are read.`,
		);
	const wanted: { file: HubFile; target: string }[] = [];
	for (const file of sides) {
		const target = inside(place.partial, place.local(file));
		const found = await stat(target).catch(() => undefined);
		if (found?.size !== file.sizeBytes) wanted.push({ file, target });
	}
	if (wanted.length === 0) return;
	emit({
		type: 'start',
		start: { model: id, repository, totalBytes: sizeBytes, ...defined({ license }) },
	});
	let doneBytes = wanted.reduce((rest, { file }) => rest - file.sizeBytes, totalBytes);
	await checkDisk(place, totalBytes, doneBytes);
	for (const { file, target } of wanted) {
		const notify = (bytes: number) =>
			emit({
				type: 'progress',
				progress: {
					model: id,
					file: file.path,
					fileFraction: file.sizeBytes === 0 ? 1 : bytes / file.sizeBytes,
					doneBytes: doneBytes + bytes,
					totalBytes,
					bytesPerSecond: 0,
				},
			});
		await downloadFile(http, { repository, commit, file, target, onProgress: notify }, signal);
		doneBytes += file.sizeBytes;
	}
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
	const { target, partial: begun } = modelPaths(build.modelsFolder, build.folderName);
	const isPlan = build.flags.plan === true;
	await using place = await workPlace(build, build.flags, emit, signal);
	const { partial } = place;
	if (!isPlan) await restoreModel(target);
	if (await stat(target).catch(() => undefined))
		throw new AppError('conflict', `${target} exists already; remove it or give another name.`);
	const flags = await flagsOf(begun, build.path, build.flags, undefined, emit);
	const found = await stat(build.path);
	const path = isArchive(build.path)
		? await unpackedWeights(build.path, found, partial, signal, {
				notify: (notice) => emit({ type: 'notice', notice }),
				checkRoom: (bytes) => checkDisk(build, bytes, 0),
			})
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
		...flags,
		...(isPlan ? { plan: true } : {}),
	};
	const facts = await runBuild(deps, request, build, emit, signal, ({ license }) => ({
		repository: build.path,
		totalBytes: size,
		reason: 'It is built of the weights there.',
		...defined({ license }),
	}));
	if (facts === undefined) return undefined;
	if (!isDeepStrictEqual(await stampsOf(path), stamps))
		throw new AppError(
			'conflict',
			`The files of ${build.path} have changed while they were read. Try again when nothing writes to them any more.`,
		);
	await replaceModel(request.target, target, build.release);
	await endUnfinished(partial);
	return target;
}
