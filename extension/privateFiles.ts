/** Chats, transcripts and recordings are the user's alone, also on a machine that many people use. */

import { chmod, mkdir, writeFile } from 'node:fs/promises';

/** Makes a folder of the extension's own that nobody else can enter; one from an earlier version becomes so. */
export async function makePrivateFolder(folder: string): Promise<void> {
	await mkdir(folder, { recursive: true, mode: 0o700 });
	// Some file systems have no such rights.
	await chmod(folder, 0o700).catch(() => {});
}

/** Writes a new file that nobody else can read. */
export async function writePrivately(path: string, data: string | Uint8Array): Promise<void> {
	await writeFile(path, data, { mode: 0o600 });
	await chmod(path, 0o600).catch(() => {});
}
