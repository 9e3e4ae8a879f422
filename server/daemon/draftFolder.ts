/** The small model that drafts for a large one, which can do without. */

import { resolve } from 'node:path';
import { asAppError } from '../protocol/index.ts';
import type { Logger } from '../services/logger.ts';
import type { IndexedModel } from './modelIndex.ts';

/** Its folder; none is chosen, or none is there any more: `undefined`, and the log says so. */
export async function draftFolderOf(
	draft: string | undefined,
	find: (name: string) => Promise<IndexedModel>,
	log: Logger,
): Promise<string | undefined> {
	if (draft === undefined) return undefined;
	try {
		return resolve((await find(draft)).folder);
	} catch (error) {
		log.warn('a draft model is not used', { model: draft, reason: asAppError(error).message });
		return undefined;
	}
}
