/** Special tokens that carry meaning for the parsers of an answer and so must arrive there as text. */

import { reasoningTags } from './reasoning.ts';
import { toolFormats } from './toolFormat.ts';

/** Every marker of every tool format and reasoning style. */
export const allMarkers: ReadonlySet<string> = new Set([
	...Object.values(toolFormats).flatMap((format) => format.markers),
	...reasoningTags.flatMap((tags) => [tags.open, tags.close]).filter((tag) => tag !== '<|end|>'),
]);
