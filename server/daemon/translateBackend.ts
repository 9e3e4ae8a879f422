/** The translation parts of the daemon, put together. */

import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { AppError, sentenceOf, type TranslateEngine } from '../protocol/index.ts';
import type { HostedDeps } from '../remote/hostedTranslator.ts';
import type { ChatService } from '../services/chat/chatService.ts';
import type { ModelHost } from '../services/host.ts';
import type { KeyStore } from '../services/limits/keyStore.ts';
import type { Logger } from '../services/logger.ts';
import type { ChatUpstreams } from '../services/translate/chatSystems.ts';
import { generateChatOf } from '../services/translate/generateChat.ts';
import {
	createTranslateAccess,
	type TranslateAccess,
} from '../services/translate/translateAccess.ts';
import { TranslateKeyStore } from '../services/translate/translateKeys.ts';
import { CharacterMeter } from '../services/translate/translateLimits.ts';
import { createTranslateModels } from '../services/translate/translateModels.ts';
import {
	createTranslateService,
	type TranslateService,
} from '../services/translate/translateService.ts';
import { categoryName, createCustomSystems } from '../services/translate/translateSystems.ts';
import { languageToolsInWorker } from '../translate/languageThread.ts';
import { SentenceCache } from '../translate/sentenceCache.ts';
import { WorkBound } from '../work/workBound.ts';
import { foldersInWorker } from './folderThread.ts';
import { createProxiedFetch } from './proxiedFetch.ts';
import { createRemoteTranslators } from './remoteTranslators.ts';
import type { Secrets } from './secrets.ts';
import { openUsageFile, type UsageFile } from './usageFile.ts';

/** Bytes of translated sentences that are kept. */
const cacheBytes = 16 * 1024 * 1024;

/** Where the translation parts keep their files in the user's data folder. */
export const translateFiles = (dataDir: string) => ({
	keys: join(dataDir, 'translator-keys.json'),
	usage: join(dataDir, 'translator-usage.json'),
	systems: join(dataDir, 'systems'),
	/** Data that came later, laid out as in the bundle. */
	assets: join(dataDir, 'assets'),
	readings: join(dataDir, 'assets/data/translate/kuromoji'),
});

/** How much the keys have used. @throws AppError `store_unavailable` from `used` while the file is lost */
export const keyUsage = (path: string, onFault: (error: unknown) => void): UsageFile =>
	openUsageFile(
		path,
		{ holds: 'What the keys of the translate interface have used', guards: true },
		onFault,
	);

/** Engine of requests that name none, from `NEARGLOT_TRANSLATE_ENGINE`. */
function chosenEngine(env: NodeJS.ProcessEnv): TranslateEngine {
	const value = env['NEARGLOT_TRANSLATE_ENGINE'] ?? 'local';
	if (value === 'local' || value === 'team' || value === 'hosted') return value;
	throw new AppError(
		'invalid_request',
		`NEARGLOT_TRANSLATE_ENGINE is '${value}'; it can be local, team or hosted.`,
	);
}

/** System of requests that name none, from `NEARGLOT_TRANSLATE_SYSTEM`. */
function chosenSystem(env: NodeJS.ProcessEnv): string | undefined {
	const value = env['NEARGLOT_TRANSLATE_SYSTEM'] ?? '';
	if (value === '' || categoryName(value) !== undefined) return value || undefined;
	throw new AppError(
		'invalid_request',
		`NEARGLOT_TRANSLATE_SYSTEM is '${value.slice(0, 100)}', and no system can be called so. nearglot systems list names those that are here.`,
	);
}

const sleep: HostedDeps['sleep'] = (milliseconds, signal) =>
	setTimeout(milliseconds, undefined, signal ? { signal } : {});

export function createTranslateBackend(
	settings: { readonly dataDir: string; readonly env: NodeJS.ProcessEnv },
	host: ModelHost,
	secrets: Secrets,
	downloads: { list(): readonly { readonly model: string }[] },
	{
		chat,
		keys,
		upstreams,
	}: {
		readonly chat: ChatService;
		readonly keys: KeyStore;
		readonly upstreams: ChatUpstreams;
	},
	log: Logger,
): {
	readonly translation: TranslateService;
	readonly translatorAccess: TranslateAccess;
	readonly meter: CharacterMeter;
	readonly documentQueue: WorkBound;
	readonly usage: UsageFile;
} {
	const files = translateFiles(settings.dataDir);
	const { env } = settings;
	const remote = createRemoteTranslators(env, secrets, {
		fetch: createProxiedFetch(env),
		now: () => performance.now(),
		random: Math.random,
		sleep,
	});
	const engine = chosenEngine(env);
	const system = chosenSystem(env);
	const usage = keyUsage(files.usage, (error) => {
		log.warn('the usage of keys is not kept', { reason: sentenceOf(error) });
	});
	const language = languageToolsInWorker(files.assets);
	return {
		translation: createTranslateService({
			host,
			language,
			models: createTranslateModels(
				host,
				language.transliterate,
				() => downloads.list().map(({ model }) => model),
				foldersInWorker.languages,
			),
			cache: new SentenceCache(cacheBytes),
			custom: createCustomSystems(files.systems),
			remote,
			engine: () => engine,
			generateChat: generateChatOf(chat),
			upstreams,
			usualSystem: () => system,
		}),
		translatorAccess: createTranslateAccess({
			store: new TranslateKeyStore(files.keys),
			keys,
			now: () => new Date(),
		}),
		documentQueue: new WorkBound({
			describe: (work) => `documents of ${work} characters wait to be translated`,
			maxWork: 9_000_000,
			minWork: 1_000_000,
		}),
		meter: new CharacterMeter(() => performance.now(), usage.used, usage.record),
		usage,
	};
}
