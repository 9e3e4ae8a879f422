/** From a name that was resolved to files on disk: which hub, which files, which folder. */

import { realpath } from 'node:fs/promises';
import { relative, resolve, sep } from 'node:path';
import { type DownloadStart, downloadModel } from '../hub/downloadModel.ts';
import { createHubHttp, type HubHttp, type HubHttpOptions } from '../hub/http.ts';
import { folderName } from '../hub/names.ts';
import { readRepository } from '../hub/repository.ts';
import { selectFiles } from '../hub/select.ts';
import { AppError, type DownloadProgress } from '../protocol/index.ts';
import type { DownloadTarget, DownloadWishes } from './models.ts';

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
	const name = target.kind === 'catalogue' ? target.entry.variant.repository : target.repository;
	const repository = await readRepository(
		http,
		name,
		wishes.revision ?? entry?.variant.commit ?? 'main',
		hooks.stop,
	);
	const precision = wishes.precision ?? entry?.variant.precision;
	const subfolder = entry?.variant.subfolder;
	const selection = selectFiles(repository.files, {
		device: wishes.device ?? entry?.variant.device ?? 'CPU',
		...(precision === undefined ? {} : { precision }),
		...(subfolder === undefined ? {} : { subfolder }),
	});
	const license = repository.license ?? entry?.model.license;
	const plain = name.split('/')[1] ?? name;
	const shared = {
		...(license === undefined ? {} : { license }),
		...(selection.precision === undefined ? {} : { precision: selection.precision }),
	};
	return downloadModel(
		http,
		{
			modelsFolder,
			folderName:
				entry === undefined
					? [folderName(name), selection.precision].filter(Boolean).join('--')
					: `${entry.variant.name}-${entry.variant.version}`,
			repository: name,
			commit: repository.commit,
			selection,
			manifest:
				entry === undefined
					? {
							id: `${plain}:1`,
							name: plain,
							version: '1',
							alias: name,
							displayName: plain,
							publisher: name.split('/')[0] ?? '',
							...shared,
						}
					: {
							id: entry.id,
							name: entry.variant.name,
							version: String(entry.variant.version),
							alias: entry.model.alias,
							displayName: entry.model.displayName,
							publisher: entry.model.publisher,
							task: entry.model.task,
							...(entry.model.languages === undefined ? {} : { languages: entry.model.languages }),
							...shared,
						},
			...(wishes.bufferBytes === undefined ? {} : { bufferBytes: wishes.bufferBytes }),
			onProgress: hooks.onProgress,
			onWait: hooks.onWait,
			onStart: hooks.onStart,
		},
		hooks.stop,
	);
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
		`Models may be put below ${roots.join(', ')} only; add a folder with \`nearglot serve --model-root\`.`,
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
