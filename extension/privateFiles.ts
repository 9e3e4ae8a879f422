/** Chats, transcripts and recordings are the user's alone, also on a machine that many people use. */

import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { leaveToOwner } from '../server/store/privateFolder.ts';

/** Folders that have been closed since this window began: on Windows a program is run for it. */
const closed = new Set<string>();

/** Makes a folder of the extension's own that nobody else can enter; one from an earlier version becomes so. */
export async function makePrivateFolder(folder: string): Promise<void> {
	await mkdir(folder, { recursive: true, mode: 0o700 });
	if (process.platform === 'win32') {
		// An editor that is carried about keeps its data outside of the user's own folder.
		if (closed.has(folder)) return;
		const { windowsFolders } = await import('../server/store/windowsFolders.ts');
		await leaveToOwner(folder, windowsFolders(homedir(), process.env));
		closed.add(folder);
		return;
	}
	// Some file systems have no such rights.
	await chmod(folder, 0o700).catch(() => {});
}

/** Writes a new file that nobody else can read. */
export async function writePrivately(path: string, data: string | Uint8Array): Promise<void> {
	await writeFile(path, data, { mode: 0o600 });
	await chmod(path, 0o600).catch(() => {});
}
