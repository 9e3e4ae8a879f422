/** What a terminal shows. There is no interface to read one; its own copy commands go through the clipboard. */

import * as vscode from 'vscode';

/** The terminal's own commands that copy; one without a selection warns people, so it is not just tried. */
const copies = {
	selection: 'workbench.action.terminal.copySelection',
	lastCommand: 'workbench.action.terminal.copyLastCommandAndLastCommandOutput',
};

export type TerminalPart = keyof typeof copies;

/**
 * The text of a part of the active terminal; `undefined` when the clipboard must not be touched. Text that was in the
 * clipboard is there again afterwards; before anything else would be lost, the user is asked.
 */
export async function terminalOutput(part: TerminalPart): Promise<string | undefined> {
	const before = await vscode.env.clipboard.readText();
	if (before === '' && !(await mayReplaceClipboard())) return undefined;
	let text = '';
	try {
		await vscode.env.clipboard.writeText('');
		await vscode.commands.executeCommand(copies[part]);
		text = await vscode.env.clipboard.readText();
	} finally {
		await vscode.env.clipboard.writeText(before);
	}
	return text.trim();
}

/** A clipboard without text may hold a picture or files, which no extension can put back. */
async function mayReplaceClipboard(): Promise<boolean> {
	const replace = vscode.l10n.t('Replace');
	const chosen = await vscode.window.showWarningMessage(
		vscode.l10n.t('A terminal can only be read through the clipboard.'),
		{
			modal: true,
			detail: vscode.l10n.t(
				'There is no text in it now; a picture or files that it may hold would be lost.',
			),
		},
		replace,
	);
	return chosen === replace;
}
