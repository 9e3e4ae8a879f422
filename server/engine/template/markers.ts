/** Special tokens that carry meaning for the parsers of an answer and so must arrive there as text. */

import { reasoningTags } from './reasoning.ts';
import { toolFormats } from './toolFormat.ts';

const markers: ReadonlySet<string> = new Set([
	...Object.values(toolFormats).flatMap((format) => format.markers),
	...reasoningTags.flatMap((tags) => [tags.open, tags.close]),
]);

/**
 * Whether a special token is a marker in a vocabulary.
 * @param has tells whether the vocabulary has a token
 */
export function isMarker(token: string, has: (token: string) => boolean): boolean {
	// `<|end|>` closes reasoning where messages have channels; elsewhere it only ends a turn.
	if (token === '<|end|>') return has('<|channel|>');
	return markers.has(token);
}
