/**
 * The process of the language server. The library that talks to it would end it two seconds after the last word with all
 * that it has started, and it has started the model server of every window: so it is started and ended here.
 */

import { type ChildProcess, fork } from 'node:child_process';
import { homedir } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';

export interface LanguageServerProcess {
	readonly child: ChildProcess;
	/** Waits for its end, which it was asked for; after the grace time, in milliseconds, it alone is killed. */
	end(graceMs?: number): Promise<void>;
}

/**
 * Starts `server.cjs lsp` on the editor's own Node. Rejects with the system's error when no process can be started.
 * @param module path of server.cjs
 * @param env variables beyond those of the editor
 * @param onText hears what it prints
 */
export async function startLanguageServer(
	module: string,
	env: NodeJS.ProcessEnv,
	onText: (text: string) => void,
): Promise<LanguageServerProcess> {
	const child = fork(module, ['lsp', '--node-ipc'], {
		// Without one of its own it would be the opened folder, whose files a stranger may have written.
		cwd: homedir(),
		// The executable is the editor; these make it behave as Node.
		env: { ...process.env, ELECTRON_RUN_AS_NODE: '1', ELECTRON_NO_ASAR: '1', ...env },
		execArgv: [],
		silent: true,
	});
	for (const stream of [child.stdout, child.stderr]) stream?.setEncoding('utf8').on('data', onText);
	await new Promise<void>((resolve, reject) => {
		child.once('spawn', resolve);
		child.once('error', reject);
	});
	const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
	return {
		child,
		end: async (graceMs = 4000) => {
			if (child.connected) child.disconnect();
			await Promise.race([ended, sleep(graceMs, undefined, { ref: false })]);
			if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
		},
	};
}
