/** Where the daemon's Unix socket lies when the data folder's path is too long for it. */

import { lstat, mkdtemp } from 'node:fs/promises';
import { posix } from 'node:path';
import { readPlainText, writePrivateFile } from '../store/files.ts';
import { type Machine, maxSocketBytes, pipePath, socketName } from './paths.ts';

/** A file in the data folder with the folder of the socket, when that could not be beside it. */
const noteName = 'socket-folder';

/**
 * Named pipe or socket of the daemon of a data folder. A long path is exchanged for one in
 * `XDG_RUNTIME_DIR`, or in a folder of the temp folder that only this user can enter and whose name nobody
 * could have taken before; the data folder keeps a note of it. Call it when the data folder is there.
 */
export async function socketPath(machine: Machine, directory: string): Promise<string> {
	const near = pipePath(machine, directory);
	if (near !== undefined) return near;
	const name = socketName(directory);
	const runtime = machine.env['XDG_RUNTIME_DIR'];
	if (runtime !== undefined && (await isPrivate(machine, runtime))) {
		const path = posix.join(runtime, `nearglot-${name}`);
		if (Buffer.byteLength(path) <= maxSocketBytes) return path;
	}
	const note = posix.join(directory, noteName);
	const noted = (await readPlainText(note))?.trim();
	if (noted && (await isPrivate(machine, noted))) return posix.join(noted, name);
	const folder = await mkdtemp(posix.join(tempFor(machine.tmp, name), 'nearglot-socket-'));
	await writePrivateFile(note, `${folder}\n`);
	return posix.join(folder, name);
}

/** The temp folder, or where it is deep, too, the one every system has: a longer path is cut off or refused. */
function tempFor(tmp: string, name: string): string {
	const made = posix.join(tmp, 'nearglot-socket-XXXXXX', name);
	return Buffer.byteLength(made) <= maxSocketBytes ? tmp : '/tmp';
}

/** Whether a folder, and no link to one, is this user's and nobody else can enter it. */
async function isPrivate({ uid }: Machine, folder: string): Promise<boolean> {
	if (!posix.isAbsolute(folder)) return false;
	const found = await lstat(folder).catch(() => undefined);
	return found?.isDirectory() === true && found.uid === uid && (found.mode & 0o077) === 0;
}
