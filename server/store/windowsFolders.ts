/** The access lists of this machine, when it runs Windows. */

import { execFile } from 'node:child_process';
import { userInfo } from 'node:os';
import { promisify } from 'node:util';
import { accountName, type FolderSystem } from './privateFolder.ts';
import { programPath } from './programs.ts';

const runFile = promisify(execFile);

/** What `privateFolder.ts` asks of it. */
export const windowsFolders = (home: string, env: NodeJS.ProcessEnv): FolderSystem => ({
	home,
	// Elsewhere than on Windows nobody asks, and looking it up reaches a service of the system.
	get user() {
		return accountName(userInfo().username, env);
	},
	run: async (args) => {
		const program = programPath('icacls', env);
		if (program === undefined) throw new Error('There is no icacls here.');
		return runFile(program, [...args], { timeout: 10_000, windowsHide: true });
	},
});
