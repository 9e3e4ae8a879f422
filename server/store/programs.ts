/**
 * Where programs of others lie that are started here. Each is started by its whole path: Windows looks into the current
 * folder before PATH, and the folder of a stranger, opened in an editor or entered in a terminal, could hold an `ffmpeg.exe`.
 */

import { accessSync, constants, statSync } from 'node:fs';
import { posix, win32 } from 'node:path';

/** What is asked of the system. */
export interface ProgramSystem {
	readonly platform: NodeJS.Platform;
	/** Whether a path is a file that may be run. */
	isProgram(path: string): boolean;
}

const thisSystem: ProgramSystem = {
	platform: process.platform,
	isProgram: (path) => {
		try {
			if (process.platform !== 'win32') accessSync(path, constants.X_OK);
			return statSync(path).isFile();
		} catch {
			return false;
		}
	},
};

/** Programs that come with Windows, below its own folder. */
const ofWindows: ReadonlyMap<string, string> = new Map([
	['icacls', 'System32\\icacls.exe'],
	['powershell', 'System32\\WindowsPowerShell\\v1.0\\powershell.exe'],
	// The driver of the graphics card puts it there.
	['nvidia-smi', 'System32\\nvidia-smi.exe'],
]);

/** Programs that come with macOS. */
const ofMac: ReadonlyMap<string, string> = new Map([
	['system_profiler', '/usr/sbin/system_profiler'],
]);

/**
 * The whole path of a program: where the system keeps its own, else the first in PATH, of which folders that depend
 * on the current one are left out. `undefined` when there is none.
 *
 * @param name without an ending
 */
export function programPath(
	name: string,
	env: NodeJS.ProcessEnv = process.env,
	{ platform, isProgram }: ProgramSystem = thisSystem,
): string | undefined {
	const isWindows = platform === 'win32';
	const own = isWindows ? ofWindows.get(name) : platform === 'darwin' ? ofMac.get(name) : undefined;
	// What is the system's is taken from nowhere else.
	if (own !== undefined)
		return isWindows ? win32.join(env['SystemRoot'] || 'C:\\Windows', own) : own;
	const { delimiter, join } = isWindows ? win32 : posix;
	const whole = isWindows ? /^(?:[a-z]:[\\/]|\\\\)/i : /^\//;
	const folders = (pathOf(env, isWindows) ?? '').split(delimiter);
	for (const folder of folders.map((one) => (isWindows ? one.replaceAll('"', '') : one))) {
		if (!whole.test(folder)) continue;
		// Without a shell Windows runs nothing else.
		for (const ending of isWindows ? ['.exe', '.com'] : ['']) {
			const path = join(folder, name + ending);
			if (isProgram(path)) return path;
		}
	}
	return undefined;
}

/** Windows spells it `Path`, and takes any spelling. */
function pathOf(env: NodeJS.ProcessEnv, isWindows: boolean): string | undefined {
	if (!isWindows) return env['PATH'];
	const name = Object.keys(env).find((one) => one.toUpperCase() === 'PATH');
	return name === undefined ? undefined : env[name];
}
