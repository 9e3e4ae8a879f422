/** Folders of tests. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const made: string[] = [];

/**
 * A folder of a test's own, which is removed when the process ends: after all that may still write to it.
 * @param name part of its name
 * @param place folder in which it is made
 */
export function temporaryFolder(name = 'test', place = tmpdir()): string {
	if (made.length === 0) process.once('exit', removeAll);
	const folder = mkdtempSync(join(place, `nearglot-${name}-`));
	made.push(folder);
	return folder;
}

function removeAll(): void {
	for (const folder of made) {
		try {
			rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
		} catch {
			// A process that was started in it still runs.
		}
	}
}
