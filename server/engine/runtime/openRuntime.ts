/** Chooses the runtime: the C API, or `session.run` with the reason why not. */

import { openCapiRuntime } from './capiRuntime.ts';
import { openPlainRuntime } from './plainRuntime.ts';
import type { Runtime } from './runtime.ts';

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
	const runtime = plain ? openPlainRuntime('chosen by the setting') : openBest();
	opened.set(plain, runtime);
	return runtime;
}

async function openBest(): Promise<Runtime> {
	try {
		return await openCapiRuntime();
	} catch (error) {
		const reason = error instanceof Error ? error.message : String(error);
		return openPlainRuntime(`the C API could not be opened: ${reason}`);
	}
}
