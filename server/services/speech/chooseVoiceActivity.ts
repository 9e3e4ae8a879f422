/** Chooses the detector of speech: the model's neighbour in the runner, else loudness alone. */

import { EnergyActivity, type VoiceActivity } from '../../audio/voiceActivity.ts';
import { defined } from '../../protocol/defined.ts';
import { asAppError } from '../../protocol/index.ts';
import type { ModelClient } from '../host.ts';

/** A detector for one recording. Without a detector model, or when it fails, loudness decides. */
export function voiceActivityOf(engine: ModelClient): VoiceActivity {
	const energy = new EnergyActivity();
	const neural = engine.voiceActivity;
	if (neural === undefined) return energy;
	let state: Float32Array | undefined;
	let usable = true;
	return {
		probabilities: async (samples, signal) => {
			// Loudness is measured in any case, so that its noise floor is known when it has to take over.
			const loud = await energy.probabilities(samples);
			if (!usable) return loud;
			try {
				const result = await neural({ samples, ...defined({ state }) }, signal);
				state = result.state;
				return result.probabilities;
			} catch (error) {
				if (asAppError(error).code === 'cancelled') throw error;
				usable = false;
				return loud;
			}
		},
	};
}
