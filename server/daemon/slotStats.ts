/** What the runners of models in memory tell of themselves, and what the daemon remarks beside it. */

import type { EngineStats } from '../engine/stats.ts';
import type { ModelSlot } from './modelSlot.ts';
import { fallbackNotice } from './providerChoice.ts';

export interface SlotStats {
	readonly model: string;
	readonly stats: EngineStats;
}

export async function statsOf(slots: readonly ModelSlot[]): Promise<SlotStats[]> {
	const rows = slots.map(async (slot) => {
		const { fallback, loaded, model } = slot;
		const stats = await loaded?.engine.stats().catch(() => undefined);
		if (!loaded || !stats) return [];
		const notices = [
			...(stats.notices ?? []),
			...loaded.notices,
			...(fallback ? [fallbackNotice(fallback)] : []),
		];
		return [{ model: model.info.id, stats: { ...stats, notices } }];
	});
	return (await Promise.all(rows)).flat();
}
