/** The access lists of this machine, when it runs Windows. */

import { execFile } from 'node:child_process';
import { userInfo } from 'node:os';
import { promisify } from 'node:util';
import { accessListProgram, accountName, type FolderSystem } from './privateFolder.ts';

const runFile = promisify(execFile);

/** What `privateFolder.ts` asks of it. */
export const windowsFolders = (home: string, env: NodeJS.ProcessEnv): FolderSystem => ({
	home,
	// Elsewhere than on Windows nobody asks, and looking it up reaches a service of the system.
	get user() {
		return accountName(userInfo().username, env);
	},
	// By its place: a folder that is open could hold one of the same name.
	run: (args) => runFile(accessListProgram(env), [...args], { timeout: 10_000, windowsHide: true }),
});
