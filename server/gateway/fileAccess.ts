/** The gateway's files on Windows: keys, sessions and the audit log, wherever the settings put them. */

import { existsSync } from 'node:fs';
import { type FolderSystem, leaveFileToOwner } from '../store/privateFolder.ts';
import type { GatewaySettings } from './config/gatewaySettings.ts';

/**
 * Leaves those that are there to this user and the system. To be called when they are open, as SQLite makes two more beside
 * its own; elsewhere they are made with the rights they need.
 * @returns those that others may still read
 */
export async function leaveFilesToOwner(
	{ keys, store, auditFile }: Pick<GatewaySettings, 'keys' | 'store' | 'auditFile'>,
	system: FolderSystem,
	isThere: (file: string) => boolean = existsSync,
): Promise<readonly string[]> {
	const files = [
		keys.file ?? defaultKeysFile,
		...(store.kind === 'sqlite' ? ['', '-wal', '-shm'].map((end) => `${store.path}${end}`) : []),
		auditFile,
	].filter(isThere);
	const closed = await Promise.all(files.map((file) => leaveFileToOwner(file, system)));
	return files.filter((_, index) => !closed[index]);
}

/** Where keys are made when the settings name no file, in the folder it is started in. */
export const defaultKeysFile = 'gateway-keys.json';
