/** Makes everything around models: settings, catalogue, downloads, devices. Part of the composition root. */

import { join } from 'node:path';
import { bundledCatalogue } from '../hub/catalogue.ts';
import { Downloads } from '../hub/downloads.ts';
import { createHubHttp, type HubHttpOptions, parseHubAddress } from '../hub/http.ts';
import { ModelSettingsFile } from '../hub/modelSettings.ts';
import { restoreModels } from '../hub/placeModel.ts';
import {
	learnRepository,
	type RefreshFile,
	readRefresh,
	refreshModelFacts,
} from '../hub/refresh.ts';
import { studentRegistry } from '../hub/studentRegistry.ts';
import { removeOldUnfinished, type UnfinishedModel } from '../hub/unfinishedModels.ts';
import { totalMemory } from '../net/roughMemory.ts';
import { defined } from '../protocol/defined.ts';
import type { HubChoice } from '../services/downloadTarget.ts';
import type { GpuService } from '../services/gpuService.ts';
import type { Logger } from '../services/logger.ts';
import { memorySpeed } from '../services/machineFacts.ts';
import type { ModelBuilder } from '../services/modelBuilder.ts';
import { createModelFetcher } from '../services/modelFetcher.ts';
import { createModelFolders } from '../services/modelFolders.ts';
import { createModelService, type ModelService } from '../services/modelService.ts';
import { searchModels } from '../services/searchModels.ts';
import { scratchIn } from '../store/scratch.ts';
import { listenerOf } from './downloadEvents.ts';
import type { DaemonEvents } from './events.ts';
import type { RunnerHost } from './modelHost.ts';
import type { Secrets } from './secrets.ts';

export interface ModelBackendOptions {
	/** Folder of downloaded models at this moment. */
	readonly modelsDir: () => string;
	readonly dataDir: string;
	readonly env: NodeJS.ProcessEnv;
	readonly defaultTtlS: number;
	/** Further folders that downloads may go to. */
	readonly modelRoots: readonly string[];
	readonly log: Logger;
	/** Builds models of weights. */
	readonly builder: ModelBuilder;
	/** Called when folders of models are not there any more. */
	readonly onGone: () => Promise<void>;
}

export interface ModelBackend {
	readonly models: ModelService;
	/** Removes what nobody has come back to. */
	removeOldUnfinished(): Promise<readonly UnfinishedModel[]>;
	close(): Promise<void>;
}

/** The file of what people chose about models. */
export function modelSettingsFile(dataDir: string): ModelSettingsFile {
	return new ModelSettingsFile(join(dataDir, 'models.json'));
}

const publicHub = 'https://huggingface.co';
const serversHub = 'HF_ENDPOINT of the running server';

/** The hub of a request, else our own. Our own token goes to our own hub only. */
function chosenHub(
	own: Pick<HubHttpOptions, 'endpoint' | 'endpointName'>,
	{ hub, token }: HubChoice,
	ownToken: () => string | undefined,
): Pick<HubHttpOptions, 'endpoint' | 'endpointName' | 'token'> {
	const plain = (address: string) => {
		const href = URL.parse(address)?.href;
		return href?.endsWith('/') ? href.slice(0, -1) : href;
	};
	if (hub !== undefined && plain(hub) !== plain(own.endpoint))
		return { endpoint: hub, endpointName: "'hub'", token: () => token };
	return { ...own, token: () => token ?? ownToken() };
}

export function createModelBackend(
	options: ModelBackendOptions,
	host: RunnerHost,
	settings: ModelSettingsFile,
	gpus: GpuService,
	secrets: Secrets,
	events: DaemonEvents,
): ModelBackend {
	const { env } = options;
	const refreshPath = join(options.dataDir, 'catalogue.json');
	let refreshed: RefreshFile | undefined;
	void readRefresh(refreshPath).then((file) => {
		refreshed ??= file;
	});
	const own = () => {
		const set = settings.value.hub;
		const endpoint = set ?? (env['HF_ENDPOINT'] || publicHub);
		return { endpoint, endpointName: set === undefined ? serversHub : 'The hub in the settings' };
	};
	const hub = (requested: HubChoice = {}): HubHttpOptions => ({
		...chosenHub(own(), requested, () => secrets.get('hubToken') ?? env['HF_TOKEN']),
		...defined({ proxy: env['NEARGLOT_PROXY'], caFile: env['NEARGLOT_CA_FILE'] }),
	});
	const registry = (): HubHttpOptions => ({
		endpoint: settings.value.students ?? (env['NEARGLOT_STUDENTS'] || studentRegistry),
		endpointName: 'The address of translation models (NEARGLOT_STUDENTS)',
		...defined({ proxy: env['NEARGLOT_PROXY'], caFile: env['NEARGLOT_CA_FILE'] }),
	});
	const asksBoth = (requested: HubChoice) =>
		chosenHub(own(), requested, () => undefined).endpoint === publicHub ||
		settings.value.students !== undefined ||
		Boolean(env['NEARGLOT_STUDENTS']);
	const downloads = new Downloads();
	downloads.onProgress(listenerOf(events));
	const catalogue = bundledCatalogue();
	const building = {
		builder: options.builder,
		memoryBytes: () => totalMemory(),
		memorySpeed,
		now: Date.now,
		elapsed: () => performance.now(),
		log: options.log,
	};
	const models = createModelService({
		host,
		catalogue,
		facts: () => refreshed?.facts ?? {},
		downloads,
		fetcher: createModelFetcher({
			modelsFolder: options.modelsDir,
			roots: () => options.modelRoots,
			building,
			hub,
			registry,
			learn: async (repository, address) => {
				// The model is worth more than what is known of its neighbours.
				refreshed = await learnRepository(
					repository,
					address,
					catalogue,
					refreshPath,
					Date.now,
				).catch(() => refreshed);
			},
		}),
		folders: createModelFolders(
			options.modelsDir,
			settings,
			options.onGone,
			scratchIn(options.dataDir),
			building,
		),
		settings,
		replacesOpenFiles: process.platform !== 'win32',
		devices: gpus.devices,
		defaultTtlS: options.defaultTtlS,
		loaded: async () =>
			new Map(
				(await host.stats()).map(
					({ model, stats: { residentBytes: memoryBytes, notices = [] } }) => [
						model,
						{ memoryBytes, ...(notices.length === 0 ? {} : { notices }) },
					],
				),
			),
		hubAddress: () => own().endpoint,
		hubOf: (requested) => {
			const { endpoint, endpointName } = hub(requested);
			return parseHubAddress(endpoint, endpointName).href;
		},
		search: (wanted, signal) => searchModels({ hub, registry, asksBoth }, wanted, signal),
		refresh: async (signal, requested) => {
			const http = createHubHttp(hub(requested));
			try {
				const done = await refreshModelFacts(http, catalogue, refreshPath, Date.now, signal);
				refreshed = done.file;
				return done.failures;
			} finally {
				http.close();
			}
		},
	});
	return {
		models,
		removeOldUnfinished: async () => {
			await restoreModels(options.modelsDir());
			return removeOldUnfinished(options.modelsDir(), Date.now());
		},
		close: () => downloads.close(),
	};
}
