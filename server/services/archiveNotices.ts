/** Nobody waits for an archive without a word: what is done with it, and how much of it was read. */

import { basename } from 'node:path';
import type { ArchiveListener } from '../hub/tarReader.ts';
import type { NotifyWaiting } from '../hub/waitNotices.ts';

/** Milliseconds before the first words, and between those that follow. */
const firstMs = 5000;
const nextMs = 20_000;

/**
 * Notifies while an archive is read for longer than people wait without a word.
 * @param doing what happens to it: `is unpacked`
 * @param elapsed milliseconds of a clock that is never set
 */
export function archiveNotices(
	path: string,
	doing: string,
	notify: NotifyWaiting | undefined,
	elapsed: () => number = () => performance.now(),
): ArchiveListener {
	if (notify === undefined) return () => {};
	let due = elapsed() + firstMs;
	return (readBytes, sizeBytes) => {
		const now = elapsed();
		if (now < due) return;
		due = now + nextMs;
		const share = sizeBytes > 0 ? Math.min(100, Math.floor((100 * readBytes) / sizeBytes)) : 100;
		notify(`${basename(path)} ${doing}: ${share}% of ${(sizeBytes / 1e6).toFixed(0)} MB.`);
	};
}
