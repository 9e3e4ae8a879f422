/** Finds the shared test data beside the repository; tests that need it skip, with the reason, where it is absent. */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
const shared = process.env.NEARGLOT_SHARED ?? join(root, '..', 'shared');

/** A path in the shared data; `skip` is false or the reason to give to a test's options. */
export function sharedFolder(path: string): { path: string; skip: string | false } {
	const full = join(shared, 'data', path);
	return {
		path: full,
		skip: existsSync(full) ? false : `the shared data (data/${path}) is not there`,
	};
}
