/** Where things lie on each operating system. Pure: everything asked of the machine is a parameter. */

import { createHash, randomBytes } from 'node:crypto';
import { posix, win32 } from 'node:path';
import { isReservedOnWindows } from '../hub/names.ts';
import { AppError } from '../protocol/index.ts';

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
 * @throws AppError `invalid_request` for a folder that would be another one for each working directory
 */
export function dataDir(machine: Machine): string {
	const { env, home, platform } = machine;
	const path = platform === 'win32' ? win32 : posix;
	const chosen = env['NEARGLOT_HOME'];
	/** On Windows `\\data` counts as absolute, and means the drive of the folder one is in. */
	const isWhole = (text: string) =>
		platform === 'win32' ? /^(?:[a-z]:[\\/]|[\\/]{2}[^\\/])/i.test(text) : path.isAbsolute(text);
	if (chosen) {
		const odd = platform === 'win32' ? chosen.split(/[\\/]/).find(isOddOnWindows) : undefined;
		if (odd !== undefined)
			throw new AppError(
				'invalid_request',
				`NEARGLOT_HOME is '${chosen}', and Windows has no folder named '${odd}'. Choose another name.`,
			);
		if (isWhole(chosen)) return path.resolve(chosen);
		throw new AppError(
			'invalid_request',
			`NEARGLOT_HOME must be a whole path, not '${chosen}': for example ${path.resolve(chosen)}.`,
		);
	}
	if (platform === 'win32') {
		const local = env['LOCALAPPDATA'];
		const usable = local !== undefined && isWhole(local);
		return path.join(usable ? local : path.join(home, 'AppData', 'Local'), 'Nearglot');
	}
	const xdg = env['XDG_DATA_HOME'];
	// The XDG specification says that relative paths are to be ignored.
	if (platform !== 'darwin' && xdg && path.isAbsolute(xdg)) return path.join(xdg, 'nearglot');
	if (!path.isAbsolute(home))
		throw new AppError(
			'invalid_request',
			`There is no home folder: HOME is '${home}'. Set HOME, or NEARGLOT_HOME to the whole path of a folder for Nearglot's data.`,
		);
	if (platform === 'darwin') return path.join(home, 'Library', 'Application Support', 'Nearglot');
	return path.join(home, '.local', 'share', 'nearglot');
}

/** Programs do not agree on what such a name means: a device, or the one without its end. */
const isOddOnWindows = (name: string): boolean =>
	(/[. ]$/.test(name) && name !== '.' && name !== '..') || isReservedOnWindows(name);

/** Bytes of a socket's path: macOS takes 103, Linux 107. */
export const maxSocketBytes = 100;

/**
 * Named pipe (Windows) or Unix socket of the daemon that owns a data directory. Pipes have no folder that others
 * could be kept out of, so each start takes a name that nobody can guess, and take before it. A socket path may be
 * at most 103 bytes on macOS and 107 on Linux: `undefined` for a deep data directory.
 */
export function pipePath(
	machine: Machine,
	directory: string,
	randomName = () => randomBytes(16).toString('hex'),
): string | undefined {
	if (machine.platform === 'win32') return `\\\\.\\pipe\\nearglot-${randomName()}`;
	const beside = posix.join(directory, 'daemon.sock');
	return Buffer.byteLength(beside) <= maxSocketBytes ? beside : undefined;
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
