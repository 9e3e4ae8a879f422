/** The small model that drafts for a large one, which can do without. */

import { asAppError } from '../protocol/index.ts';
import type { Logger } from '../services/logger.ts';
import type { IndexedModel } from './modelIndex.ts';

/** None is chosen, or none is there any more: `undefined`, and the log says so. */
export async function draftModelOf(
	draft: string | undefined,
	find: (name: string) => Promise<IndexedModel>,
	log: Logger,
): Promise<IndexedModel | undefined> {
	if (draft === undefined) return undefined;
	try {
		return await find(draft);
	} catch (error) {
		log.warn('a draft model is not used', { model: draft, reason: asAppError(error).message });
		return undefined;
	}
}
