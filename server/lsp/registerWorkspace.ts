/** Registers what an editor asks about whole folders. */

import { type Connection, ProgressType } from 'vscode-languageserver/node';
import { ownDataFolder } from '../daemon/dataFolder.ts';
import { thisMachine } from '../daemon/machine.ts';
import type { RequestName, Requests, WorkspaceProgress } from '../protocol/index.ts';
import type { Client } from '../protocol/routeClient.ts';
import { WorkspaceIndexes } from './workspace/workspaceIndexes.ts';

const workspaceProgress = new ProgressType<WorkspaceProgress>();

export interface WorkspaceRegistration {
	readonly connection: Connection;
	readonly handle: <M extends RequestName>(
		name: M,
		run: (params: Requests[M]['params'], signal: AbortSignal) => Promise<Requests[M]['result']>,
	) => void;
	/** The daemon of this computer: files are never sent to another. */
	readonly link: Client;
	/** Folder of the databases. */
	readonly folder: string;
}

/** Returns how it ends. */
export function registerWorkspace(registration: WorkspaceRegistration): () => Promise<void> {
	const { connection, handle, link: client, folder } = registration;
	const warn = (sentence: string) => connection.console.warn(sentence);
	const indexes = new WorkspaceIndexes({ client, folder, warn });
	handle('nearglot/workspace/search', async (params, signal) => {
		// It may be the first to make it.
		await ownDataFolder(thisMachine()).catch(() => undefined);
		const token = params.partialResultToken;
		const report = (progress: WorkspaceProgress) => {
			if (token !== undefined) void connection.sendProgress(workspaceProgress, token, progress);
		};
		return indexes.search(params, report, signal);
	});
	handle('nearglot/workspace/changed', async ({ uris }) => {
		indexes.changed(uris);
		return {};
	});
	handle('nearglot/workspace/forget', async ({ folders }) => {
		await indexes.forget(folders);
		return {};
	});
	return () => indexes.close();
}
