/**
 * How much memory the daemon's new objects take. V8 lets their part of the heap grow with the load and gives it back
 * hardly ever: a flood of texts made it 134 MB and what was promoted with it 126 MB, where 2 MB and 70 MB do as
 * well in the same time, since next to nothing of a request lives longer than the request.
 */

import { setFlagsFromString } from 'node:v8';

/** For the whole process, and before it does anything else: what has grown stays. */
export function keepYoungHeapSmall(): void {
	setFlagsFromString('--semi-space-growth-factor=1');
}
