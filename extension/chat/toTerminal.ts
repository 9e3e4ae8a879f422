/** *Put into the terminal*: the command stands at the prompt; whoever reads it there runs it. */

import * as vscode from 'vscode';
import { terminalText } from './terminalText.ts';

/** Puts a command into the active terminal, or into a new one. */
export async function putIntoTerminal(block: string): Promise<void> {
	const text = terminalText(block);
	if (text === '') return;
	const terminal = vscode.window.activeTerminal ?? vscode.window.createTerminal();
	terminal.show();
	if (!text.includes('\n')) return terminal.sendText(text, false);
	// Several lines would run one by one: the terminal's own paste asks first where its shell cannot hold them.
	const before = await vscode.env.clipboard.readText();
	try {
		await vscode.env.clipboard.writeText(text);
		await vscode.commands.executeCommand('workbench.action.terminal.focus');
		await vscode.commands.executeCommand('workbench.action.terminal.paste');
	} finally {
		await vscode.env.clipboard.writeText(before);
	}
}
