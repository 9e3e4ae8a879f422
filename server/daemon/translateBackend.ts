/** The translation parts of the daemon, put together. */

import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { AppError } from '../protocol/index.ts';
import {
	createHostedTranslator,
	type HostedDeps,
	type HostedOptions,
	type HostedTranslator,
} from '../remote/hostedTranslator.ts';
import type { ModelHost } from '../services/host.ts';
import type { Logger } from '../services/log.ts';
import {
	createTranslateService,
	type TranslateEngine,
	type TranslateService,
} from '../services/translate.ts';
import { createTranslateAccess, type TranslateAccess } from '../services/translateAccess.ts';
import { TranslateKeyStore } from '../services/translateKeys.ts';
import { CharacterMeter } from '../services/translateLimits.ts';
import { createCustomSystems } from '../services/translateSystems.ts';
import { detectLanguage } from '../translate/detect.ts';
import { SentenceCache } from '../translate/sentenceCache.ts';
import type { Secrets } from './secrets.ts';
import { openUsageFile } from './usageFile.ts';

/** Bytes of translated sentences that are kept. */
const cacheBytes = 16 * 1024 * 1024;

/** Where the translation parts keep their files in the user's data folder. */
export const translateFiles = (dataDir: string) => ({
	keys: join(dataDir, 'translator-keys.json'),
	usage: join(dataDir, 'translator-usage.json'),
	systems: join(dataDir, 'systems'),
});

/** Engine of requests that name none, from `NEARGLOT_TRANSLATE_ENGINE`. */
function chosenEngine(env: NodeJS.ProcessEnv): TranslateEngine {
	const value = env['NEARGLOT_TRANSLATE_ENGINE'] ?? 'local';
	if (value === 'local' || value === 'team' || value === 'hosted') return value;
	throw new AppError(
		'invalid_request',
		`NEARGLOT_TRANSLATE_ENGINE is '${value}'; it can be local, team or hosted.`,
	);
}

const sleep: HostedDeps['sleep'] = (milliseconds, signal) =>
	setTimeout(milliseconds, undefined, signal ? { signal } : {});

export function createTranslateBackend(
	settings: { readonly dataDir: string; readonly env: NodeJS.ProcessEnv },
	host: ModelHost,
	secrets: Secrets,
	downloads: { list(): readonly { readonly model: string }[] },
	log: Logger,
): {
	readonly translation: TranslateService;
	readonly translatorAccess: TranslateAccess;
	readonly meter: CharacterMeter;
} {
	const files = translateFiles(settings.dataDir);
	const { env } = settings;
	const deps: HostedDeps = { fetch, now: Date.now, random: Math.random, sleep };
	let last: { readonly key: string; readonly translator: HostedTranslator } | undefined;
	const remote = (engine: 'team' | 'hosted'): HostedTranslator => {
		const options: HostedOptions =
			engine === 'team'
				? given({
						endpoint: env['NEARGLOT_TEAM_URL'],
						key: secrets.get('upstreamKey'),
						region: undefined,
					})
				: given({
						endpoint: secrets.get('translatorEndpoint'),
						key: secrets.get('translatorKey'),
						region: secrets.get('translatorRegion'),
					});
		if (engine === 'team' && options.endpoint === undefined)
			throw new AppError(
				'invalid_request',
				'No team server is set. Set its address (NEARGLOT_TEAM_URL), or choose the local engine.',
			);
		// Tokens live in the client, so it is kept while its settings stay the same.
		const key = JSON.stringify([engine, options]);
		if (last?.key !== key) last = { key, translator: createHostedTranslator(options, deps) };
		return last.translator;
	};
	const engine = chosenEngine(env);
	const usage = openUsageFile(files.usage, (error) => {
		log.warn('translator usage cannot be written', { reason: String(error) });
	});
	return {
		translation: createTranslateService({
			host,
			detect: detectLanguage,
			cache: new SentenceCache(cacheBytes),
			custom: createCustomSystems(files.systems),
			remote,
			downloading: () => downloads.list().map(({ model }) => model),
			engine: () => engine,
		}),
		translatorAccess: createTranslateAccess({
			store: new TranslateKeyStore(files.keys),
			now: () => new Date(),
		}),
		meter: new CharacterMeter(Date.now, usage.used, usage.record),
	};
}

/** Leaves out what is not set. */
function given(values: {
	readonly endpoint: string | undefined;
	readonly key: string | undefined;
	readonly region: string | undefined;
}): HostedOptions {
	const { endpoint, key, region } = values;
	return {
		...(endpoint === undefined ? {} : { endpoint }),
		...(key === undefined ? {} : { key }),
		...(region === undefined ? {} : { region }),
	};
}
