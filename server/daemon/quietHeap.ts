/**
 * Collects garbage when the requests are over. V8 collects while it allocates: a daemon that rests after a flood
 * kept 80 MB of it for as long as nobody asked anything.
 */

import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Counts requests under way. */
export interface RequestWatch {
	begin(): void;
	end(): void;
}

export interface QuietHeapOptions {
	/** Bytes of the heap, those of garbage among them. */
	readonly heapBytes?: () => number;
	readonly collect?: () => void;
}

/** Milliseconds after the end of a request until there is a look at the heap. */
const quietMs = 15_000;
/** Less is not worth a pause of some 200 ms, which comes when nobody asks anything. */
const minGrowthBytes = 48 << 20;

export function collectWhenQuiet({
	heapBytes = () => getHeapStatistics().total_heap_size,
	collect = garbageCollector(),
}: QuietHeapOptions = {}): RequestWatch {
	let running = 0;
	let settledBytes = heapBytes();
	let timer: NodeJS.Timeout | undefined;
	const look = () => {
		timer = undefined;
		if (running > 0) return;
		collect();
		settledBytes = heapBytes();
	};
	return {
		begin: () => {
			running++;
		},
		end: () => {
			running = Math.max(0, running - 1);
			if (running > 0 || timer !== undefined) return;
			if (heapBytes() - settledBytes < minGrowthBytes) return;
			timer = setTimeout(look, quietMs);
			timer.unref();
		},
	};
}

/** V8's own, which programs get by a flag only. */
function garbageCollector(): () => void {
	setFlagsFromString('--expose-gc');
	const collect = runInNewContext('gc') as (options: object) => void;
	setFlagsFromString('--no-expose-gc');
	// The usual one keeps emptied pages for the next flood.
	return () => collect({ type: 'major', flavor: 'last-resort' });
}
