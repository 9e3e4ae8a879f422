import type { TargetText } from './translateRequest.ts';

/** A text that no model here reads, beside others that are translated. */
export const copiedText = (text: string, language: string): TargetText => ({
	...{ language, text, sourceLengths: [text.length], targetLengths: [text.length] },
	...{ alternatives: [], models: [], refused: [] },
});
