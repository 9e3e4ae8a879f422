/**
 * Translation models of Firefox: few and small files, fetched whole, unpacked, held against the hashes of their list,
 * and built into a model. Finished files stay for the next try.
 */

import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { checkDisk, type DownloadEvent } from '../hub/downloadModel.ts';
import { downloadStudentFile } from '../hub/downloadStudent.ts';
import type { HubHttp } from '../hub/http.ts';
import { readManifest, writeManifest } from '../hub/manifest.ts';
import {
	checkTaken,
	keptOf,
	type ModelIdentity,
	modelPaths,
	replaceModel,
	restoreModel,
} from '../hub/placeModel.ts';
import type { RetryOptions } from '../hub/retry.ts';
import { type StudentModel, studentLicense } from '../hub/studentRegistry.ts';
import { endUnfinished, keepSame } from '../hub/unfinished.ts';
import { makeFolder } from '../store/makeFolder.ts';
import { type BuildFlags, type BuildPlace, workPlace } from './buildWork.ts';
import { againNotice, builtState, filesIn } from './builtFiles.ts';
import type { BuildRequest } from './modelBuilder.ts';
import { type BuildDeps, runBuild, writtenIn } from './runBuild.ts';

export interface StudentBuild extends BuildPlace {
	readonly student: StudentModel;
	readonly identity: ModelIdentity;
	readonly flags: BuildFlags;
	readonly retries?: Pick<RetryOptions, 'tries' | 'backoffMs'>;
}

type Emit = (event: DownloadEvent) => void;

/** Resolves to the model's folder; `undefined` when only the plan was wanted. */
export async function buildFromRegistry(
	http: HubHttp,
	deps: BuildDeps,
	build: StudentBuild,
	emit: Emit,
	signal: AbortSignal,
): Promise<string | undefined> {
	const { student, identity, flags } = build;
	const { target } = modelPaths(build.modelsFolder, build.folderName);
	await using place = await workPlace(build, flags, emit, signal);
	const { partial } = place;
	if (flags.plan !== true) await restoreModel(target);
	const before = await readManifest(target);
	await checkTaken(target, before, { manifest: identity, repository: student.repository });
	const builtFrom = {
		format: 'marian' as const,
		files: student.files.map(({ url, sizeBytes, sha256 }) => ({ path: url, sizeBytes, sha256 })),
	};
	const state = before && (await builtState(target, before, student.commit, builtFrom));
	if (state === 'same') {
		if (flags.plan !== true) return target;
		const notice = `${identity.id} is here already, just as it would be built now.`;
		emit({ type: 'notice', notice });
		return undefined;
	}
	const isAgain = state === 'byOlderRecipe';
	if (isAgain) {
		emit({ type: 'notice', notice: againNotice(identity.id, student.sizeBytes) });
		deps.log?.info('building again with a better recipe', {
			model: identity.id,
			bytes: student.sizeBytes,
			plan: flags.plan === true,
		});
	}
	emit({
		type: 'start',
		start: {
			model: identity.id,
			repository: student.repository,
			license: studentLicense,
			totalBytes: student.sizeBytes,
		},
	});
	if (flags.plan === true) return undefined;
	const source = join(partial, 'source');
	const content = new Map(student.files.map(({ name, sha256 }) => [`source/${name}`, sha256]));
	await keepSame(partial, content);
	// The files, and the model that is made of them.
	const fetched = await fetchedBytes(student, source);
	const written = await writtenIn({ target: join(partial, 'model') });
	await checkDisk(build, 2 * student.sizeBytes, fetched + written);
	makeFolder(source);
	await fetchAll(http, deps, build, source, emit, signal);
	const request: BuildRequest = {
		model: identity.id,
		source: { kind: 'path', path: source },
		target: join(partial, 'model'),
		root: partial,
		languages: student.languages,
		origin: {
			source: student.files[0]?.url ?? '',
			revision: student.commit,
			hashes: Object.fromEntries(student.files.map(({ name, sha256 }) => [name, sha256])),
		},
	};
	const facts = await runBuild(deps, request, { ...build, isAgain }, emit, signal, () => ({
		repository: student.repository,
		totalBytes: student.sizeBytes,
		reason: `It is built of a student of Firefox Translations${student.architecture === undefined ? '' : ` (${student.architecture})`}.`,
		license: studentLicense,
	}));
	if (facts === undefined) return undefined;
	await writeManifest(request.target, {
		...identity,
		...keptOf(before, identity),
		license: studentLicense,
		repository: student.repository,
		commit: student.commit,
		hub: http.endpoint.href,
		builtFrom,
		files: await filesIn(request.target),
		downloadedAt: new Date(deps.now()).toISOString(),
	});
	await replaceModel(request.target, target, build.release);
	await endUnfinished(partial);
	return target;
}

/** Bytes of the files that an earlier try has fetched. */
async function fetchedBytes({ files }: StudentModel, folder: string): Promise<number> {
	const sizes = files.map(({ name }) =>
		stat(join(folder, name)).then(
			({ size }) => size,
			() => 0,
		),
	);
	return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}

async function fetchAll(
	http: HubHttp,
	{ elapsed }: BuildDeps,
	{ student, identity, retries = {} }: StudentBuild,
	folder: string,
	emit: Emit,
	signal: AbortSignal,
): Promise<void> {
	const started = elapsed();
	let finished = 0;
	let arrived = 0;
	for (const file of student.files) {
		const path = join(folder, file.name);
		// Only what was held against its hash has its name.
		if ((await stat(path).catch(() => undefined))?.size !== file.sizeBytes)
			await downloadStudentFile(
				http,
				file,
				path,
				{ ...retries, what: file.name },
				signal,
				(bytes) => {
					const doneBytes = finished + bytes;
					arrived = Math.max(arrived, doneBytes);
					const seconds = Math.max(0.001, (elapsed() - started) / 1000);
					emit({
						type: 'progress',
						progress: {
							model: identity.id,
							file: file.name,
							fileFraction: bytes / file.sizeBytes,
							doneBytes,
							totalBytes: student.sizeBytes,
							bytesPerSecond: arrived / seconds,
						},
					});
				},
			);
		finished += file.sizeBytes;
	}
}
