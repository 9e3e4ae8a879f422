/** Where things lie on each operating system. Pure: everything asked of the machine is a parameter. */

import { createHash } from 'node:crypto';
import { posix, win32 } from 'node:path';

export interface Machine {
	readonly platform: NodeJS.Platform;
	readonly env: NodeJS.ProcessEnv;
	readonly home: string;
	readonly tmp: string;
	/** Numeric id of the user; absent on Windows. */
	readonly uid?: number;
}

/**
 * Folder of the user's data. `NEARGLOT_HOME` wins; otherwise `%LOCALAPPDATA%\Nearglot`,
 * `~/Library/Application Support/Nearglot`, or `$XDG_DATA_HOME/nearglot` (`~/.local/share`).
 */
export function dataDir(machine: Machine): string {
	const { env, home, platform } = machine;
	const path = platform === 'win32' ? win32 : posix;
	if (env['NEARGLOT_HOME']) return path.resolve(env['NEARGLOT_HOME']);
	if (platform === 'win32')
		return path.join(env['LOCALAPPDATA'] ?? path.join(home, 'AppData', 'Local'), 'Nearglot');
	if (platform === 'darwin') return path.join(home, 'Library', 'Application Support', 'Nearglot');
	const xdg = env['XDG_DATA_HOME'];
	// The XDG specification says that relative paths are to be ignored.
	const base = xdg && path.isAbsolute(xdg) ? xdg : path.join(home, '.local', 'share');
	return path.join(base, 'nearglot');
}

/**
 * Named pipe (Windows) or Unix socket of the daemon that owns a data directory. A socket path may be
 * at most 103 bytes on macOS and 107 on Linux: `undefined` for a deep data directory.
 */
export function pipePath(machine: Machine, directory: string): string | undefined {
	if (machine.platform === 'win32') return `\\\\.\\pipe\\nearglot-${idOf(directory)}`;
	const beside = posix.join(directory, 'daemon.sock');
	return Buffer.byteLength(beside) <= 100 ? beside : undefined;
}

/** Name of a socket that cannot lie in its data directory. */
export const socketName = (directory: string): string => `${idOf(directory)}.sock`;

const idOf = (directory: string): string =>
	createHash('sha256').update(directory).digest('hex').slice(0, 16);

/** The files of the daemon in its data directory. */
export function daemonFiles(machine: Machine, directory: string) {
	const path = machine.platform === 'win32' ? win32 : posix;
	return {
		endpoint: path.join(directory, 'endpoint.json'),
		lock: path.join(directory, 'daemon.lock'),
		log: path.join(directory, 'daemon.log'),
		models: path.join(directory, 'models'),
	};
}
