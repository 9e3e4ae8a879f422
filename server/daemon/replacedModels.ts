/** Models in memory whose files were replaced meanwhile: they answer whom they answer, and nobody else. */

import type { Logger } from '../services/logger.ts';
import type { IndexedModel } from './modelIndex.ts';
import type { ModelSlot } from './modelSlot.ts';

/**
 * Has those end with their last requests whose files, or their draft's, are others now.
 * @param models as they are on the disk; one that is not there, or cannot be used, replaces nothing
 * @param leaving gets each until it has ended
 */
export function retireReplaced(
	slots: readonly ModelSlot[],
	models: readonly IndexedModel[],
	leaving: Set<ModelSlot>,
	log: Logger,
): void {
	const isOther = ({ info, content }: IndexedModel) =>
		models.some(
			(now) => now.info.id === info.id && now.content !== content && now.problem === undefined,
		);
	for (const slot of slots) {
		const { model, draft, isRetired, leases } = slot;
		if (isRetired || !(isOther(model) || (draft !== undefined && isOther(draft)))) continue;
		log.info('model replaced', { model: model.info.id, requests: leases });
		leaving.add(slot);
		// Who waits for it waits for the new one.
		if (!slot.loaded) slot.abandon();
		slot.retire();
	}
}
