/**
 * How much memory the daemon's objects take. V8 lets the part of new ones grow with the load and gives it back hardly
 * ever: a flood of texts made it 134 MB and what was promoted with it 126 MB, where 2 MB and 70 MB do as well in the
 * same time. What waits for its turn is promoted and soon garbage, too: V8 lets the heap grow to a multiple of what is
 * alive before it looks, so 50 MB became 290.
 */

import { setFlagsFromString } from 'node:v8';

/**
 * Variables for the start of a daemon: the C library of Linux gives every thread memory of its own and keeps what was
 * freed there. After a flood of texts that was some 70 MB; others ignore them.
 */
export const smallArenas: Readonly<Record<string, string>> = {
	MALLOC_ARENA_MAX: '2',
	MALLOC_TRIM_THRESHOLD_: '1048576',
};

/** For the whole process, and before it does anything else: what has grown stays. */
export function keepHeapSmall(): void {
	setFlagsFromString('--semi-space-growth-factor=1');
	setFlagsFromString('--heap-growing-percent=40');
}
