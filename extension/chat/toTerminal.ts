/** *Put into the terminal*: the command stands at the prompt; whoever reads it there runs it. */

import * as vscode from 'vscode';
import { pasted, terminalText } from './terminalText.ts';

/** Terminals in which a command of the shell runs: what is sent goes to that program. */
const busy = new WeakSet<vscode.Terminal>();

/** Follows which terminals stand at their prompt. */
export function watchTerminals(): vscode.Disposable {
	return vscode.Disposable.from(
		vscode.window.onDidStartTerminalShellExecution(({ terminal }) => busy.add(terminal)),
		vscode.window.onDidEndTerminalShellExecution(({ terminal }) => busy.delete(terminal)),
	);
}

/** Whether a command of the shell runs in a terminal. */
export const runsCommand = (terminal: vscode.Terminal): boolean => busy.has(terminal);

/** Puts a command into the active terminal, or into a new one. */
export async function putIntoTerminal(block: string): Promise<void> {
	const text = terminalText(block);
	if (text === '') return;
	const terminal = vscode.window.activeTerminal ?? vscode.window.createTerminal();
	terminal.show();
	if (!text.includes('\n')) return terminal.sendText(text, false);
	const isAtPrompt = terminal.shellIntegration !== undefined && !busy.has(terminal);
	const paste = pasted(text, isAtPrompt ? terminal.state.shell : undefined);
	if (paste !== undefined) return terminal.sendText(paste, false);
	// Other shells may run several lines one by one, and only the terminal's own paste knows; it takes the clipboard.
	const copy = vscode.l10n.t('Copy and Paste');
	const open = vscode.l10n.t('Open in Editor');
	const chosen = await vscode.window.showInformationMessage(
		vscode.l10n.t(
			'This shell may run the lines one by one as they come. Read them in an editor first, or copy them and let the terminal paste: that replaces what is in the clipboard.',
		),
		open,
		copy,
	);
	if (chosen === open) {
		const document = await vscode.workspace.openTextDocument({
			content: `${text}\n`,
			language: 'shellscript',
		});
		await vscode.window.showTextDocument(document);
	}
	if (chosen !== copy) return;
	await vscode.env.clipboard.writeText(text);
	terminal.show();
	await vscode.commands.executeCommand('workbench.action.terminal.focus');
	await vscode.commands.executeCommand('workbench.action.terminal.paste');
}
