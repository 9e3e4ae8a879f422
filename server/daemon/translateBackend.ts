/** The translation parts of the daemon, put together. */

import { join } from 'node:path';
import type { ModelHost } from '../services/host.ts';
import { createTranslateService, type TranslateService } from '../services/translate.ts';
import { createTranslateAccess, type TranslateAccess } from '../services/translateAccess.ts';
import { TranslateKeyStore } from '../services/translateKeys.ts';
import { CharacterMeter } from '../services/translateLimits.ts';
import { createCustomSystems } from '../services/translateSystems.ts';
import { detectLanguage } from '../translate/detect.ts';
import { SentenceCache } from '../translate/sentenceCache.ts';

/** Bytes of translated sentences that are kept. */
const cacheBytes = 16 * 1024 * 1024;

/** Where the translation parts keep their files in the user's data folder. */
export const translateFiles = (dataDir: string) => ({
	keys: join(dataDir, 'translator-keys.json'),
	systems: join(dataDir, 'systems'),
});

export function createTranslateBackend(
	settings: { readonly dataDir: string },
	host: ModelHost,
): {
	readonly translation: TranslateService;
	readonly translatorAccess: TranslateAccess;
	readonly meter: CharacterMeter;
} {
	const files = translateFiles(settings.dataDir);
	return {
		translation: createTranslateService({
			host,
			detect: detectLanguage,
			cache: new SentenceCache(cacheBytes),
			custom: createCustomSystems(files.systems),
		}),
		translatorAccess: createTranslateAccess({
			store: new TranslateKeyStore(files.keys),
			now: () => new Date(),
		}),
		meter: new CharacterMeter(Date.now),
	};
}
