/** A command line that a model wants to run, in a terminal of its own that a person can see. */

import * as vscode from 'vscode';
import { AppError } from '../../../server/protocol/index.ts';
import { AgentTerminal } from './agentTerminal.ts';
import { commandFault } from './workspacePath.ts';

/** Milliseconds until the shell of a new terminal tells about its commands. */
const shellWithinMs = 30_000;
/** Milliseconds a command may run. */
const endsWithinMs = 120_000;
/** Milliseconds in which a command ends that was told to; then its terminal is closed. */
const stopsWithinMs = 5_000;
/** Characters of what was printed that the model gets: the end says most. */
const maxOutput = 12_000;

const own = new AgentTerminal();
/** Commands of all chats, one after the other. */
let last: Promise<unknown> = Promise.resolve();
/** The end of a command that was told to end. */
let stopping: Promise<unknown> = Promise.resolve();

/** Runs a line and gives what it printed. @throws AppError when it does not end, or the shell tells nothing */
export function runInTerminal(command: string, signal: AbortSignal): Promise<string> {
	const run = last.then(() => runNext(command.trim(), signal));
	last = run.catch(() => stopping);
	return run;
}

async function runNext(line: string, signal: AbortSignal): Promise<string> {
	if (signal.aborted) throw new AppError('cancelled');
	const fault = commandFault(line);
	if (fault !== undefined) throw new AppError('invalid_request', fault);
	const scheme = vscode.workspace.workspaceFolders?.[0]?.uri.scheme ?? '';
	if (!['file', 'vscode-remote'].includes(scheme))
		throw new AppError('not_supported', 'There is no terminal where the files of this window are.');
	const terminal = await own.ready();
	terminal.show(true);
	const shell = await shellOf(terminal, signal).catch((error: unknown) => {
		// Nothing can be run in it, now or later.
		terminal.dispose();
		throw error;
	});
	return await own.running(() => executed(terminal, shell, line, signal));
}

async function executed(
	terminal: vscode.Terminal,
	shell: vscode.TerminalShellIntegration,
	line: string,
	signal: AbortSignal,
): Promise<string> {
	const execution = shell.executeCommand(line);
	let output = '';
	const read = (async () => {
		for await (const piece of execution.read()) output = (output + piece).slice(-2 * maxOutput);
	})();
	const code = await ended(terminal, signal, endsWithinMs).catch((error: unknown) => {
		stopping = own.running(() => stop(terminal));
		throw error;
	});
	await read;
	const printed = plain(output).slice(-maxOutput);
	return `Exit code: ${code ?? 'unknown'}\n${printed === '' ? 'It printed nothing.' : printed}`;
}

/** Ends the command that runs in a terminal; one that goes on ends with its terminal. */
async function stop(terminal: vscode.Terminal): Promise<void> {
	if (terminal.exitStatus !== undefined) return;
	const end = ended(terminal, new AbortController().signal, stopsWithinMs);
	terminal.sendText('\u0003', false);
	await end.catch(() => terminal.dispose());
}

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
function ended(
	terminal: vscode.Terminal,
	signal: AbortSignal,
	withinMs: number,
): Promise<number | undefined> {
	return waited(
		withinMs,
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
