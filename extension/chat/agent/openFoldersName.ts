/** A name for what is open in a window, the same in each window that has it open: its own storage is not always. Knows no editor. */

import { createHash } from 'node:crypto';

interface Address {
	toString(): string;
}

/** What is open, as the editor says it. */
export interface OpenFolders {
	readonly workspaceFile?: Address | undefined;
	readonly workspaceFolders?: readonly { readonly uri: Address }[] | undefined;
}

/**
 * Of the workspace's file and of its folders, the first of which is where commands run: what was allowed for these
 * is not allowed for others. No path can be read from it.
 */
export function openFoldersName({ workspaceFile, workspaceFolders = [] }: OpenFolders): string {
	const [first = '', ...others] = workspaceFolders.map(({ uri }) => uri.toString());
	const open = [workspaceFile?.toString() ?? '', first, ...others.sort()];
	return createHash('sha256').update(open.join('\n')).digest('hex').slice(0, 32);
}
