/** A data folder that was there before: what only a umask decided is closed, what a person decided stays. */

import { chmod, lstat, readdir } from 'node:fs/promises';
import { resolve, win32 } from 'node:path';
import { sentenceOf } from '../protocol/index.ts';
import { type Logger, silentLogger } from '../services/logger.ts';
import { type FolderSystem, leaveToOwner } from '../store/privateFolder.ts';
import { windowsFolders } from '../store/windowsFolders.ts';
import { dataDir, type Machine } from './paths.ts';

/** What `mkdir` leaves under the usual umasks; anything else somebody has chosen. */
const usualModes = new Set([0o755, 0o775]);
/** What lies in a data folder (docs/data.md). */
const ownFolders = new Set(['models', 'workspaces', 'systems', 'tmp', 'assets', 'batches']);
/** Its files, and what stands beside them while they are written, locked, set aside or journalled. */
const ownFile =
	/^\.?(?:endpoint\.json|daemon\.(?:lock|log|sock)|(?:models|upstreams|translator-keys|translator-usage|load-times|verdicts|gateway-keys)\.json|(?:keys|usage|responses|batch-queue|gateway-sessions)\.db|gateway-secret|socket-folder)(?:$|[.-])/;

/**
 * Makes the data folder private when it is this user's and has the rights a umask gave it. A link, a home
 * folder, a folder with other things in it and one with other rights stay as they are; the log says so.
 * @param accessLists of Windows, which has them in place of modes
 */
export async function closeDataFolder(
	machine: Machine,
	directory: string,
	log: Logger,
	accessLists: FolderSystem = windowsFolders(machine.home, machine.env),
): Promise<void> {
	try {
		if (machine.platform === 'win32')
			return await closeOnWindows(machine, directory, log, accessLists);
		const { mode, uid, ...found } = await lstat(directory).then((stats) => ({
			mode: stats.mode & 0o7777,
			uid: stats.uid,
			isFolder: stats.isDirectory(),
		}));
		if ((mode & 0o077) === 0 || !found.isFolder) return;
		const isOurs =
			uid === machine.uid &&
			usualModes.has(mode) &&
			resolve(directory) !== resolve(machine.home) &&
			(await holdsOwnOnly(directory));
		if (isOurs) await chmod(directory, 0o700);
		else
			log.warn('other users may enter the data folder; close it with chmod 700', {
				folder: directory,
				mode: mode.toString(8),
			});
	} catch (error) {
		log.warn('the rights of the data folder cannot be changed', { reason: sentenceOf(error) });
	}
}

/** Modes mean nothing there: a folder that is not below the home is open to whoever may enter the one above. */
async function closeOnWindows(
	machine: Machine,
	directory: string,
	log: Logger,
	accessLists: FolderSystem,
): Promise<void> {
	const path = win32.resolve(directory);
	const isLink = (await lstat(directory)).isSymbolicLink();
	const isPlace = path === win32.parse(path).root || path === win32.resolve(machine.home);
	if (isLink || isPlace || !(await holdsOwnOnly(directory))) {
		// What lies below the home is private by the rights of the home.
		const below = win32.relative(machine.home, path);
		if (below.startsWith('..') || win32.isAbsolute(below) || below === '')
			log.warn('other users may enter the data folder; choose one of its own by NEARGLOT_HOME', {
				folder: directory,
			});
		return;
	}
	const isClosed = await leaveToOwner(directory, accessLists);
	if (!isClosed)
		log.warn('other users may read the data folder: its drive keeps no access lists', {
			folder: directory,
		});
}

/** The data folder for a command that writes into it without the daemon. */
export async function ownDataFolder(machine: Machine): Promise<string> {
	const directory = dataDir(machine);
	await closeDataFolder(machine, directory, silentLogger);
	return directory;
}

/** An empty folder is ours as well: it was named for us. One file of somebody else makes it theirs. */
async function holdsOwnOnly(directory: string): Promise<boolean> {
	const names = await readdir(directory);
	return names.every((name) => ownFolders.has(name) || ownFile.test(name));
}
