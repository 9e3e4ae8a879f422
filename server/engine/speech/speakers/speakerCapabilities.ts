/** A speaker model as the engine has it: what it can be asked, and its counters. */

import { defined } from '../../../protocol/defined.ts';
import { noCounters } from '../../queue/noCounters.ts';
import { openSpeakerModel } from './speakerModels.ts';

/** @throws AppError as {@link openSpeakerModel} */
export async function speakerCapabilities(parts: Parameters<typeof openSpeakerModel>[0]) {
	const model = await openSpeakerModel(parts);
	const { segmentSpeakers, embedVoice } = model;
	return {
		...defined({ segmentSpeakers, embedVoice }),
		counters: () => ({
			...noCounters,
			running: model.running > 0 ? 1 : 0,
			...{ waiting: Math.max(0, model.running - 1), admittedTotal: 0 },
			...{ refusedTotal: 0, waitedMsTotal: 0 },
		}),
		close: async () => model.close(),
	};
}
