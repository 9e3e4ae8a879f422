/** From a name that was resolved to files on disk: which hub, which files, which folder. */

import { realpath } from 'node:fs/promises';
import { relative, resolve, sep } from 'node:path';
import { type DownloadStart, downloadModel } from '../hub/downloadModel.ts';
import { createHubHttp, type HubHttp, type HubHttpOptions } from '../hub/http.ts';
import { folderName } from '../hub/names.ts';
import { readRepository } from '../hub/repository.ts';
import { selectFiles } from '../hub/select.ts';
import { AppError, type DownloadProgress, type Precision } from '../protocol/index.ts';
import { type DownloadTarget, givenTemplate } from './downloadTarget.ts';
import type { DownloadWishes } from './models.ts';

export interface FetchHooks {
	readonly stop: AbortSignal;
	readonly onProgress: (progress: DownloadProgress) => void;
	readonly onWait: (ownerPid: number | undefined) => void;
	readonly onStart: (start: DownloadStart) => void;
}

export interface ModelFetcher {
	/** Resolves to the folder of the finished model. */
	fetch(target: DownloadTarget, wishes: DownloadWishes, hooks: FetchHooks): Promise<string>;
}

export interface ModelFetcherDeps {
	/** Folder of downloaded models. */
	readonly modelsFolder: () => string;
	/** Further folders that a request may name. */
	readonly roots: () => readonly string[];
	/** Hub address, proxy, authorities and the stored token. */
	readonly hub: () => HubHttpOptions;
}

export function createModelFetcher(deps: ModelFetcherDeps): ModelFetcher {
	return {
		fetch: async (target, wishes, hooks) => {
			const modelsFolder = await allowedFolder(wishes.folder, deps);
			const hub = deps.hub();
			const token = wishes.token;
			const http = createHubHttp(token === undefined ? hub : { ...hub, token: () => token });
			try {
				return await fetchModel(http, modelsFolder, target, wishes, hooks);
			} finally {
				http.close();
			}
		},
	};
}

async function fetchModel(
	http: HubHttp,
	modelsFolder: string,
	target: DownloadTarget,
	wishes: DownloadWishes,
	hooks: FetchHooks,
): Promise<string> {
	const entry = target.kind === 'catalogue' ? target.entry : undefined;
	const source = target.kind === 'catalogue' ? target.entry.variant : target;
	const subfolder = target.kind === 'catalogue' ? target.entry.variant.subfolder : target.path;
	const asked = target.kind === 'catalogue' ? target.entry.variant.commit : target.revision;
	const repository = await readRepository(
		http,
		source.repository,
		wishes.revision ?? asked ?? 'main',
		hooks.stop,
	);
	const precision = wishes.precision ?? entry?.variant.precision;
	const selection = selectFiles(repository.files, {
		device: wishes.device ?? entry?.variant.device ?? 'CPU',
		...(precision === undefined ? {} : { precision }),
		...(subfolder === undefined ? {} : { subfolder }),
	});
	const license = repository.license ?? entry?.model.license;
	const parent = repository.parent ?? entry?.model.parent;
	const identity = identityOf(target, selection.precision);
	const template = givenTemplate(target, wishes.promptTemplate);
	return downloadModel(
		http,
		{
			modelsFolder,
			folderName: identity.folder,
			repository: source.repository,
			commit: repository.commit,
			selection,
			manifest: {
				...identity.manifest,
				...(license === undefined ? {} : { license }),
				...(parent === undefined ? {} : { parent }),
				...(selection.precision === undefined ? {} : { precision: selection.precision }),
				...(wishes.publisher === undefined ? {} : { publisher: wishes.publisher }),
				...(wishes.providerType === undefined ? {} : { providerType: wishes.providerType }),
				...(template === undefined ? {} : { promptTemplate: template }),
			},
			...(wishes.bufferBytes === undefined ? {} : { bufferBytes: wishes.bufferBytes }),
			onProgress: hooks.onProgress,
			onWait: hooks.onWait,
			onStart: hooks.onStart,
		},
		hooks.stop,
	);
}

/** What a model is called, and the folder it lies in: names of requests cannot take another's. */
function identityOf(target: DownloadTarget, precision: Precision | undefined) {
	if (target.kind === 'catalogue') {
		const { id, model, variant } = target.entry;
		return {
			folder: `${variant.name}-${variant.version}`,
			manifest: {
				id,
				name: variant.name,
				version: String(variant.version),
				alias: model.alias,
				displayName: model.displayName,
				publisher: model.publisher,
				task: model.task,
				...(model.languages === undefined ? {} : { languages: model.languages }),
			},
		};
	}
	const { as, path, repository } = target;
	const [publisher = '', plain = repository] = repository.split('/');
	const place = [folderName(repository), ...(path?.split('/') ?? []), precision];
	const { name, version } = as ?? { name: plain, version: '1' };
	return {
		folder: as === undefined ? place.filter(Boolean).join('--') : `${name}@${version}`,
		manifest: {
			id: `${name}:${version}`,
			name,
			version,
			alias: as === undefined ? repository : name,
			displayName: name,
			publisher,
		},
	};
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
		const real = await realpath(head).catch(() => undefined);
		if (real !== undefined) return resolve(real, relative(head, full));
		if (resolve(head, '..') === head) return full;
	}
}
