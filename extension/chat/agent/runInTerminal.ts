/** A command line that a model wants to run, in a terminal of its own that a person can see. */

import { setTimeout as sleep } from 'node:timers/promises';
import * as vscode from 'vscode';
import { AppError } from '../../../server/protocol/index.ts';
import { realPath } from '../../../server/store/realPath.ts';
import { runsCommand } from '../toTerminal.ts';
import { commandFault } from './workspacePath.ts';

/** Milliseconds until the shell of a new terminal tells about its commands. */
const shellWithinMs = 30_000;
/** Milliseconds after the end of a command within which its shell tells where it is now. */
const placeWithinMs = 500;
/** Milliseconds a command may run. */
const endsWithinMs = 120_000;
/** Characters of what was printed that the model gets: the end says most. */
const maxOutput = 12_000;

let own: vscode.Terminal | undefined;
/** When the last command in it ended, by the clock of `performance`. */
let endedAt = 0;
/** Commands of all chats, one after the other. */
let last: Promise<unknown> = Promise.resolve();

/** Runs a line and gives what it printed. @throws AppError when it does not end, or the shell tells nothing */
export function runInTerminal(command: string, signal: AbortSignal): Promise<string> {
	const run = last.then(() => runNext(command.trim(), signal));
	last = run.catch(() => undefined);
	return run;
}

async function runNext(line: string, signal: AbortSignal): Promise<string> {
	if (signal.aborted) throw new AppError('cancelled');
	const fault = commandFault(line);
	if (fault !== undefined) throw new AppError('invalid_request', fault);
	const scheme = vscode.workspace.workspaceFolders?.[0]?.uri.scheme ?? '';
	if (!['file', 'vscode-remote'].includes(scheme))
		throw new AppError('not_supported', 'There is no terminal where the files of this window are.');
	// A person may have started something in it, which a command would end.
	const isFree = own !== undefined && own.exitStatus === undefined && !runsCommand(own);
	const terminal = isFree && own && (await isInFolder(own)) ? own : openTerminal();
	terminal.show(true);
	const shell = await shellOf(terminal, signal);
	const execution = shell.executeCommand(line);
	let output = '';
	const read = (async () => {
		for await (const piece of execution.read()) output = (output + piece).slice(-2 * maxOutput);
	})();
	const code = await ended(terminal, signal).catch((error: unknown) => {
		if (terminal.exitStatus === undefined) terminal.sendText('\u0003', false);
		throw error;
	});
	endedAt = performance.now();
	await read;
	const printed = plain(output).slice(-maxOutput);
	return `Exit code: ${code ?? 'unknown'}\n${printed === '' ? 'It printed nothing.' : printed}`;
}

function openTerminal(): vscode.Terminal {
	const cwd = vscode.workspace.workspaceFolders?.[0]?.uri;
	own = vscode.window.createTerminal({ name: 'Nearglot', ...(cwd ? { cwd } : {}) });
	return own;
}

/** An earlier command, or a person, may have gone elsewhere: what was allowed was allowed for the folder. */
async function isInFolder(terminal: vscode.Terminal): Promise<boolean> {
	await sleep(Math.max(0, endedAt + placeWithinMs - performance.now()));
	const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
	const { cwd } = terminal.shellIntegration ?? {};
	if (!folder || !cwd) return false;
	const [there, here] = await Promise.all([cwd, folder].map(({ fsPath }) => placeBehind(fsPath)));
	return there === here;
}

/** A shell may name a folder by what a link to it leads to. */
const placeBehind = (path: string): Promise<string> => realPath(path).catch(() => path);

/** Waits until the terminal's shell can be told what to run. */
function shellOf(
	terminal: vscode.Terminal,
	signal: AbortSignal,
): Promise<vscode.TerminalShellIntegration> {
	if (terminal.shellIntegration) return Promise.resolve(terminal.shellIntegration);
	return waited(
		shellWithinMs,
		signal,
		(resolve) =>
			vscode.window.onDidChangeTerminalShellIntegration((event) => {
				if (event.terminal === terminal) resolve(event.shellIntegration);
			}),
		'The shell of this terminal does not tell when a command has ended, so nothing can be run in it.',
	);
}

/** Only one command at a time runs in this terminal: shells may tell of it in other words than it was given. */
function ended(terminal: vscode.Terminal, signal: AbortSignal): Promise<number | undefined> {
	return waited(
		endsWithinMs,
		signal,
		(resolve) =>
			vscode.Disposable.from(
				vscode.window.onDidEndTerminalShellExecution((event) => {
					if (event.terminal === terminal) resolve(event.exitCode);
				}),
				vscode.window.onDidCloseTerminal((closed) => {
					if (closed === terminal) resolve(undefined);
				}),
			),
		'The command did not end within two minutes and was ended.',
	);
}

/** What an event brings, within a time. */
function waited<T>(
	ms: number,
	signal: AbortSignal,
	listen: (resolve: (value: T) => void) => vscode.Disposable,
	late: string,
): Promise<T> {
	if (signal.aborted) return Promise.reject(new AppError('cancelled'));
	return new Promise((resolve, reject) => {
		const end = (act: () => void) => {
			clearTimeout(timer);
			listening.dispose();
			signal.removeEventListener('abort', stop);
			act();
		};
		const stop = () => end(() => reject(new AppError('cancelled')));
		const timer = setTimeout(() => end(() => reject(new AppError('timeout', late))), ms);
		const listening = listen((value) => end(() => resolve(value)));
		signal.addEventListener('abort', stop, { once: true });
	});
}

/** What was printed, without the marks that colour and move it. */
function plain(output: string): string {
	return output
		.replace(/\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)/g, '')
		.replace(/\u001b\[[\d;?]*[ -/]*[@-~]/g, '')
		.replace(/\u001b[@-_]/g, '')
		.replace(/[^\n]*\r(?!\n)/g, '')
		.replaceAll('\r\n', '\n')
		.trim();
}
