/** Chooses the runtime: the C API once it has been checked, or `session.run` with the reason why not. */

import { openCapiRuntime } from '../runtime/capiRuntime.ts';
import { openPlainRuntime } from '../runtime/plainRuntime.ts';
import type { Runtime } from '../runtime/runtime.ts';
import { compareRuntimes } from './compareRuntimes.ts';

const opened = new Map<boolean, Promise<Runtime>>();

/**
 * The process's runtime. `plain` forces `session.run`; so does `NEARGLOT_PLAIN_RUNTIME=1`.
 * @throws AppError `not_supported` when neither can be opened
 */
export function openRuntime(
	plain = process.env['NEARGLOT_PLAIN_RUNTIME'] === '1',
): Promise<Runtime> {
	const known = opened.get(plain);
	if (known !== undefined) return known;
	const runtime = plain ? openPlainRuntime() : chooseRuntime(openCapiRuntime, openPlainRuntime);
	opened.set(plain, runtime);
	return runtime;
}

/**
 * The fast runtime when it opens and agrees with the plain one; else the plain one, loudly.
 * Where the plain one does not open there is nothing to compare with, and the fast one is used.
 */
export async function chooseRuntime(
	openFast: () => Promise<Runtime>,
	openPlain: (reason?: string) => Promise<Runtime>,
): Promise<Runtime> {
	let reason: string;
	try {
		const fast = await openFast();
		const plain = await openPlain().catch(() => undefined);
		const differs = plain === undefined ? undefined : await compareRuntimes(fast, plain);
		if (differs === undefined) return fast;
		reason = `the C API does not agree with session.run: ${differs}`;
	} catch (error) {
		// What follows the first line is for programmers: the stack of what required a module.
		const [said] = (error instanceof Error ? error.message : String(error)).split('\n');
		reason = `the C API could not be used: ${said}`;
	}
	process.emitWarning(`Nearglot runs models the slow way: ${reason}`, {
		code: 'NEARGLOT_FALLBACK',
	});
	return openPlain(reason);
}
