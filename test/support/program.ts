/** The product's program as tests start it. */

import { join, resolve } from 'node:path';

const root = join(import.meta.dirname, '../..');
/**
 * File that Node is given. A whole run names the bundle that it has just built, `dist/server.cjs`: it is what people
 * get, and it starts in half the processor time. Single files of tests run the sources, which need no build.
 */
export const programFile = resolve(root, process.env['NEARGLOT_TEST_PROGRAM'] ?? 'server/main.ts');

/** Arguments for `process.execPath` that run a sub-command. */
export function programArgs(...args: readonly string[]): string[] {
	return [
		...(programFile.endsWith('.ts') ? ['--disable-warning=ExperimentalWarning'] : []),
		programFile,
		...args,
	];
}
