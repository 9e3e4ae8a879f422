/** Looks for models where they are published: repositories of the hub, and translation models of Firefox's list. */

import { createHubHttp, type HubHttpOptions } from '../hub/http.ts';
import type { RepositoryRetries } from '../hub/repository.ts';
import { type FoundRepository, searchHub } from '../hub/searchHub.ts';
import { findStudents, readStudents } from '../hub/studentRegistry.ts';
import { defined } from '../protocol/defined.ts';
import { AppError } from '../protocol/index.ts';
import type { HubChoice } from './downloadTarget.ts';
import type { WantedModels } from './modelService.ts';

export interface SearchPlaces {
	readonly hub: (requested: HubChoice) => HubHttpOptions;
	readonly registry: () => HubHttpOptions;
	/** The list may be asked beside the hub: not where people have a hub of their own and said nothing of the list. */
	readonly asksBoth: (requested: HubChoice) => boolean;
}

/** How long a list that nobody asked for by itself is waited for. */
const sideLimits = { tries: 1, stallTimeoutMs: 5000, listMs: 10_000 };

/** @throws AppError of the hub; of the list only where nothing else was asked for */
export async function searchModels(
	{ hub, registry, asksBoth }: SearchPlaces,
	wanted: WantedModels,
	signal: AbortSignal,
): Promise<readonly FoundRepository[]> {
	const { q = '', task, from = {} } = wanted;
	const words = q.trim();
	if (task === undefined && words === '')
		throw new AppError('invalid_request', "'q' must be words to look for.", { param: 'q' });
	const students = async (retries: RepositoryRetries, headTimeoutMs?: number) => {
		const http = createHubHttp({ ...registry(), ...defined({ headTimeoutMs }) });
		try {
			const models = await readStudents(http, signal, retries);
			const found = findStudents(models, words);
			return found;
		} finally {
			http.close();
		}
	};
	if (task !== undefined) return students({ tries: 3 });
	const http = createHubHttp(hub(from));
	try {
		const [found, directions] = await Promise.all([
			searchHub(http, words, signal, { tries: 3 }),
			// The hub's answer is worth as much without it.
			asksBoth(from) ? students(sideLimits, sideLimits.stallTimeoutMs).catch(() => []) : [],
		]);
		return [...directions.slice(0, maxBeside), ...found];
	} finally {
		http.close();
	}
}

/** Directions before what the hub has. */
const maxBeside = 20;
