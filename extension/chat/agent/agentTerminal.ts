/** The terminal that commands of the agent run in. There is one: when another is needed, the old one is closed. */

import { setTimeout as sleep } from 'node:timers/promises';
import * as vscode from 'vscode';
import { realPath } from '../../../server/store/realPath.ts';
import { runsCommand } from '../toTerminal.ts';

/** Milliseconds after the end of a command within which its shell tells where it is now. */
const placeWithinMs = 500;

export class AgentTerminal {
	#terminal: vscode.Terminal | undefined;
	/** A person has run something in it: what they have there stays. */
	#isShared = false;
	/** Commands of the agent that run in it, or are being ended. */
	#running = 0;
	/** When the last command in it ended, by the clock of `performance`. */
	#endedAt = 0;
	#listening: vscode.Disposable | undefined;

	/** One that stands at its prompt, in the folder of the workspace. */
	async ready(): Promise<vscode.Terminal> {
		const known = this.#terminal;
		if (known && known.exitStatus === undefined && !runsCommand(known)) {
			if (await this.#isInFolder(known)) return known;
			if (!this.#isShared) known.dispose();
		}
		return this.#open();
	}

	/** Runs a command of the agent's in it. */
	async running<Result>(run: () => Promise<Result>): Promise<Result> {
		this.#running++;
		try {
			return await run();
		} finally {
			this.#running--;
			this.#endedAt = performance.now();
		}
	}

	#open(): vscode.Terminal {
		this.#listening?.dispose();
		const cwd = vscode.workspace.workspaceFolders?.[0]?.uri;
		// After a reload nobody would know what runs in it.
		const options = { name: 'Nearglot', isTransient: true };
		const terminal = vscode.window.createTerminal({ ...options, ...(cwd ? { cwd } : {}) });
		this.#terminal = terminal;
		this.#isShared = false;
		this.#listening = vscode.window.onDidStartTerminalShellExecution((event) => {
			if (event.terminal === terminal && this.#running === 0) this.#isShared = true;
		});
		return terminal;
	}

	/** An earlier command, or a person, may have gone elsewhere: what was allowed was allowed for the folder. */
	async #isInFolder(terminal: vscode.Terminal): Promise<boolean> {
		await sleep(Math.max(0, this.#endedAt + placeWithinMs - performance.now()));
		const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
		const { cwd } = terminal.shellIntegration ?? {};
		if (!folder || !cwd) return false;
		const [there, here] = await Promise.all([cwd, folder].map(({ fsPath }) => placeBehind(fsPath)));
		return there === here;
	}
}

/** A shell may name a folder by what a link to it leads to. */
const placeBehind = (path: string): Promise<string> => realPath(path).catch(() => path);
