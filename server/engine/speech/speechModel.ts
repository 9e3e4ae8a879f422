/** What every speech architecture offers to the engine. */

import type { SpeechRequest, SpeechResult } from '../api.ts';

export interface SpeechModel {
	/** `onText` gets the text once it is believed; rejects with `cancelled` within one step. */
	transcribe(
		request: SpeechRequest,
		onText: (text: string) => void,
		signal?: AbortSignal,
	): Promise<SpeechResult>;
}
