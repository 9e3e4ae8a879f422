/** Finds the shared test data beside the repository; tests that need it skip, with the reason, where it is absent. */

import { existsSync } from 'node:fs';
import { join } from 'node:path';

const shared =
	process.env['NEARGLOT_SHARED'] ?? join(import.meta.dirname, '..', '..', '..', 'shared');

/** A path in the shared data; `skip` is false or the reason to give to a test's options. */
export function sharedFolder(...parts: string[]): {
	readonly path: string;
	readonly skip: string | false;
} {
	const path = join(shared, 'data', ...parts);
	return {
		path,
		skip: existsSync(path) ? false : `the shared data (data/${parts.join('/')}) is not there`,
	};
}
