/** From a name that was resolved to files on disk: which hub, which files, which folder. */

import { basename, dirname, relative, resolve, sep } from 'node:path';
import { chooseSource } from '../hub/chooseSource.ts';
import { type DownloadEvent, downloadModelFiles, isOutdated } from '../hub/downloadModel.ts';
import { createHubHttp, type HubHttp, type HubHttpOptions } from '../hub/http.ts';
import { jobEvents } from '../hub/jobEvents.ts';
import type { ModelIdentity } from '../hub/placeModel.ts';
import { type HubRepository, readRepository } from '../hub/repository.ts';
import {
	chooseStudent,
	directionText,
	isStudentName,
	readStudents,
} from '../hub/studentRegistry.ts';
import { defined } from '../protocol/defined.ts';
import { AppError } from '../protocol/index.ts';
import { realPath } from '../store/realPath.ts';
import { type BuildFlags, excluding } from './buildWork.ts';
import { buildFromHub } from './builtModels.ts';
import {
	type DownloadOptions,
	type DownloadTarget,
	type FetchTarget,
	givenTemplate,
	type HubChoice,
} from './downloadTarget.ts';
import { checkLicence } from './licenceCheck.ts';
import { buildFromRegistry } from './registryModels.ts';
import type { BuildDeps } from './runBuild.ts';

export interface ModelPlace {
	readonly modelsFolder: string;
	/** Name of the model's own folder in it. */
	readonly folderName: string;
	readonly release?: () => Promise<void>;
}

export interface ModelFetcher {
	/**
	 * Where a target goes: to the folder of the model that is here, else to a new one.
	 * @throws AppError `forbidden` when that is not one of the folders for models, `conflict` when the model lies in another than the wished one
	 */
	place(target: DownloadTarget, requested: string | undefined): Promise<ModelPlace>;
	/**
	 * Returns the folder of the finished model.
	 * @param release called before it takes the place of an older one: whoever has its files open closes them
	 */
	fetch(
		target: FetchTarget,
		options: DownloadOptions,
		signal: AbortSignal,
		release?: () => Promise<void>,
	): AsyncGenerator<DownloadEvent, string>;
}

export interface ModelFetcherDeps {
	/** Folder of downloaded models. */
	readonly modelsFolder: () => string;
	/** Further folders that a request may name. */
	readonly roots: () => readonly string[];
	/** Hub address, proxy, authorities and the token, of a request or of our own. */
	readonly hub: (requested: HubChoice) => HubHttpOptions;
	/** Address of the list of Firefox's translation models; no token goes there. */
	readonly registry: () => HubHttpOptions;
	/** Told what the hub says of a repository of the catalogue. */
	readonly learn: (repository: HubRepository, hub: string) => Promise<void>;
	/** What models are built with. */
	readonly building: BuildDeps;
}

export function createModelFetcher(deps: ModelFetcherDeps): ModelFetcher {
	const place: ModelFetcher['place'] = async (target, requested) => {
		const folder = await allowedFolder(requested, deps);
		const present = target.here?.folder;
		if (present === undefined) return { modelsFolder: folder, folderName: newFolder(target) };
		const modelsFolder = dirname(present);
		if (requested !== undefined && (await resolveExisting(modelsFolder)) !== folder)
			throw new AppError(
				'conflict',
				`${target.id} is in ${modelsFolder} already, so it is not downloaded to ${requested}. Leave 'customDirPath' out, or remove the model first.`,
				{ param: 'customDirPath' },
			);
		return { modelsFolder, folderName: basename(present) };
	};
	return {
		place,
		fetch: (target, options, signal, release) =>
			jobEvents<DownloadEvent, string>(
				async (emit, stop) => {
					const where = { ...(await place(target, options.folder)), ...defined({ release }) };
					const onWait = (notice: string) => emit({ type: 'notice', notice });
					const isStudent = isStudentName(target.source.repository);
					const http = createHubHttp({
						...(isStudent ? deps.registry() : deps.hub(options)),
						onWait,
					});
					try {
						if (isStudent)
							return await fetchStudent(http, deps, where, target, options, emit, stop);
						const job = fetchModel(http, deps, where, target, options, stop);
						for (;;) {
							const { done, value } = await job.next();
							if (done) return value;
							emit(value);
						}
					} finally {
						http.close();
					}
				},
				signal,
				isOutdated,
			),
	};
}

/** A translation model of Firefox's list. */
async function fetchStudent(
	http: HubHttp,
	{ building }: ModelFetcherDeps,
	place: ModelPlace,
	target: FetchTarget,
	options: DownloadOptions,
	emit: (event: DownloadEvent) => void,
	signal: AbortSignal,
): Promise<string> {
	const { repository, path = '', precision, revision } = target.source;
	refuseFlags(options, 'it is a translation model of Firefox, whose numbers stay as they are');
	if (precision !== undefined || revision !== undefined)
		throw new AppError(
			'invalid_request',
			`${precision === undefined ? 'A revision' : 'A precision'} cannot be asked for: ${repository} is a translation model of Firefox, of which there is one.`,
			{ param: precision === undefined ? 'revision' : 'precision' },
		);
	const student = chooseStudent(await readStudents(http, signal), repository, path);
	const { source: _, ...names } = target;
	const build = {
		...place,
		student,
		identity: {
			id: names.id,
			name: names.name,
			version: names.version,
			alias: names.alias,
			displayName: `${directionText(student.languages)} (Firefox)`,
			publisher: options.publisher ?? 'Mozilla',
			task: 'translation' as const,
			languages: [...student.languages],
			path,
		},
		flags: options,
	};
	return (await buildFromRegistry(http, building, build, emit, signal)) ?? '';
}

async function* fetchModel(
	http: HubHttp,
	{ learn, building }: ModelFetcherDeps,
	place: ModelPlace,
	target: FetchTarget,
	options: DownloadOptions,
	signal: AbortSignal,
): AsyncGenerator<DownloadEvent, string> {
	const { entry, source } = target;
	const { precision, revision = 'main', path = '' } = source;
	const repository = await readRepository(http, source.repository, revision, signal);
	if (entry !== undefined && revision === 'main') await learn(repository, http.endpoint.href);
	const chosen = chooseSource(repository.files, {
		device: entry?.variant.device ?? 'CPU',
		...defined({ precision }),
		...(path === '' ? {} : { subfolder: path }),
	});
	const license = repository.license ?? entry?.model.license;
	const parent = repository.parent ?? entry?.model.parent;
	const page = new URL(parent ?? source.repository, http.endpoint).href;
	const template = givenTemplate(target, options.promptTemplate);
	const identity: ModelIdentity = {
		...identityOf(target),
		path,
		...(revision === 'main' ? {} : { revision }),
		...defined({
			license,
			parent,
			publisher: options.publisher,
			providerType: options.providerType,
			promptTemplate: template,
		}),
	};
	if (chosen.kind === 'weights') {
		const { weights } = chosen;
		const { quality, keep, plan, acceptLicense } = options;
		if (quality === true && keep === true) throw excluding();
		// Where no page names a licence, the file may.
		if (plan !== true && license !== undefined && target.here === undefined)
			checkLicence(options, license, { model: target.id, page });
		const flags = defined({
			...{ quality, keep, plan },
			acceptLicense: target.here === undefined ? acceptLicense : undefined,
		});
		const build = { ...place, repository, weights, identity, flags, page };
		return yield* jobEvents<DownloadEvent, string>(
			async (tell, stop) => (await buildFromHub(http, building, build, tell, stop)) ?? '',
			signal,
			isOutdated,
		);
	}
	const { selection } = chosen;
	refuseFlags(options, 'the repository has ONNX graphs, which are downloaded as they are');
	if (options.plan === true) {
		const start = { repository: source.repository, totalBytes: selection.sizeBytes };
		yield { type: 'start', start: { model: target.id, ...start, ...defined({ license }) } };
		return '';
	}
	if (target.here === undefined) checkLicence(options, license, { model: target.id, page });
	return yield* downloadModelFiles(
		http,
		{
			...place,
			repository: source.repository,
			commit: repository.commit,
			selection,
			manifest: { ...identity, ...defined({ precision: selection.precision }) },
			...defined({ bufferBytes: options.bufferBytes }),
		},
		signal,
	);
}

/** @param why what there is to download */
function refuseFlags({ quality, keep }: BuildFlags, why: string): void {
	if (quality !== true && keep !== true) return;
	const name = quality === true ? 'quality' : 'keep';
	throw new AppError(
		'invalid_request',
		`'${name}' is for weights of which a model is built; ${why}.`,
		{ param: name },
	);
}

/** What a model is called. */
function identityOf({ id, name, version, alias, entry, source, here }: FetchTarget) {
	const names = { id, name, version, alias };
	if (entry === undefined) {
		const [owner = ''] = source.repository.split('/');
		// What an earlier request said of the model stays.
		return { ...names, displayName: name, publisher: here?.publisher || owner };
	}
	const { displayName, publisher, task, languages } = entry.model;
	return {
		...names,
		displayName,
		publisher,
		task,
		...defined({ languages }),
	};
}

/** Folder of a model that is not here yet. Names that differ in case are one on many disks, so they are here, too. */
function newFolder({ name, version, entry }: DownloadTarget): string {
	return `${name}${entry === undefined ? '@' : '-'}${version}`.toLowerCase();
}

/** A folder a request names must be one of the configured roots or lie below one, links resolved. */
async function allowedFolder(wanted: string | undefined, deps: ModelFetcherDeps): Promise<string> {
	const standard = deps.modelsFolder();
	if (wanted === undefined || wanted === '') return standard;
	const roots = [standard, ...deps.roots()];
	const real = await resolveExisting(wanted);
	for (const root of roots) {
		const path = relative(await resolveExisting(root), real);
		if (
			path === '' ||
			(!path.startsWith(`..${sep}`) && path !== '..' && !/^([A-Za-z]:|[\\/])/.test(path))
		)
			return real;
	}
	throw new AppError(
		'forbidden',
		`Models may be put below ${roots.join(', ')} only; allow another folder with \`nearglot serve --model-root DIR\` or the editor's setting nearglot.models.roots.`,
		{ param: 'customDirPath' },
	);
}

/** The real path of the longest part that exists, with the rest appended. */
async function resolveExisting(path: string): Promise<string> {
	const full = resolve(path);
	for (let head = full; ; head = resolve(head, '..')) {
		const real = await realPath(head).catch(() => undefined);
		if (real !== undefined) return resolve(real, relative(head, full));
		if (resolve(head, '..') === head) return full;
	}
}
