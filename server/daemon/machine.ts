/** The machine this process runs on, and where the product's own files lie. */

import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defined } from '../protocol/defined.ts';
import { homeFolder } from '../store/homeFolder.ts';
import { programLost, watchProgram } from './ownProgram.ts';
import type { Machine } from './paths.ts';
import { smallArenas } from './smallHeap.ts';

export function thisMachine(env: NodeJS.ProcessEnv = process.env): Machine {
	const uid = process.getuid?.();
	return {
		platform: process.platform,
		env,
		home: homeFolder(),
		tmp: tmpdir(),
		...defined({ uid }),
	};
}

/** File to give to Node for another process of the product: the bundle, or main.ts in a checkout. */
export function serverEntry(): string {
	const here = fileURLToPath(import.meta.url);
	return here.endsWith('.ts') ? join(dirname(dirname(here)), 'main.ts') : here;
}

/** File to give to Node for the process of a model: beside the program itself. */
export function runnerEntry(): string {
	const entry = serverEntry();
	return join(dirname(entry), entry.endsWith('.ts') ? 'runner.ts' : 'runner.cjs');
}

/** Folder of the models that come with the product: beside `dist` and beside `server`. */
export function builtInModelsDir(): string | undefined {
	const folder = join(dirname(dirname(serverEntry())), 'starter', 'models');
	return existsSync(folder) ? folder : undefined;
}

/** Whether this process's program is still what it was at the start. */
export const programState = watchProgram(serverEntry(), process.execPath, [runnerEntry()]);

/**
 * Arguments and environment for `process.execPath` that run a sub-command of the product.
 * @param file another file of the product than {@link serverEntry}
 * @throws AppError `daemon_unavailable` where the program has gone; for a process that works for this one, also where
 * another version has come in its place
 */
export function selfCommand(
	args: readonly string[],
	env: NodeJS.ProcessEnv = process.env,
	file = serverEntry(),
): { readonly file: string; readonly args: string[]; readonly env: NodeJS.ProcessEnv } {
	const state = programState();
	if (state === 'gone' || (state === 'replaced' && args[0] !== 'serve'))
		throw programLost(serverEntry(), state);
	const flags = file.endsWith('.ts') ? ['--disable-warning=ExperimentalWarning'] : [];
	return {
		file: process.execPath,
		args: [...flags, file, ...args],
		env: {
			...(args[0] === 'serve' ? smallArenas : {}),
			...env,
			// Inside VS Code the executable is the editor; this makes it behave as Node.
			...(process.versions['electron'] ? { ELECTRON_RUN_AS_NODE: '1' } : {}),
		},
	};
}
