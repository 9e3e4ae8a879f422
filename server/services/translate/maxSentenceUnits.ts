/** How long a sentence may be that models are given whole. */

import type { ChosenSystem } from './chooseSystem.ts';

/** In UTF-16 units, for the models of a route, or a chat model. */
export function maxSentenceUnits(
	source: string,
	hops: ChosenSystem['route']['hops'],
	chat: ChosenSystem['chat'],
): number {
	let context = chat ? Math.min(512, chat.contextLength / 8) : 512;
	for (const { languages } of hops) context = Math.min(context, languages.contextLength);
	// Two units a token on average; unspaced scripts need a token for nearly every one.
	return Math.floor(context * (/^(zh|ja|ko|yue|th|lo|km|my)/.test(source) ? 0.7 : 1.6));
}
