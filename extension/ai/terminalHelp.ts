/** *Explain Terminal*: its last command with the output, or what is selected in it, goes to the chat. */

import * as vscode from 'vscode';
import { AppError } from '../../server/protocol/index.ts';
import type { ChatPageController } from '../chat/chatPageController.ts';
import { showChatView } from '../chat/chatSideView.ts';

/** Longest text that is sent along, in characters; the end of an output says most. */
const maxLength = 6000;

/** Sent before the question; models follow English best. */
const instruction =
	'Explain what this command did and what its output means. If it failed, say why and give the command that repairs it.';

/** The terminal's own commands that copy; one without a selection warns people, so it is not just tried. */
const copies = {
	selection: 'workbench.action.terminal.copySelection',
	lastCommand: 'workbench.action.terminal.copyLastCommandAndLastCommandOutput',
};

/** Asks the chat what the terminal shows and, when something failed, what to do. */
export async function explainTerminal(
	chat: ChatPageController,
	what: keyof typeof copies,
): Promise<void> {
	if (!vscode.window.activeTerminal) {
		throw new AppError('invalid_request', vscode.l10n.t('Open a terminal first.'));
	}
	// There is no interface to read a terminal; its own copy commands go through the clipboard.
	const before = await vscode.env.clipboard.readText();
	let text = '';
	try {
		await vscode.env.clipboard.writeText('');
		await vscode.commands.executeCommand(copies[what]);
		text = (await vscode.env.clipboard.readText()).trim();
	} finally {
		await vscode.env.clipboard.writeText(before);
	}
	if (text === '') {
		throw new AppError(
			'not_found',
			vscode.l10n.t(
				'The terminal shows no command yet. Run one, or select the text to be explained.',
			),
		);
	}
	const cut = text.length > maxLength;
	chat.attach({
		label: vscode.l10n.t('Terminal'),
		language: 'shellscript',
		text: cut ? `…\n${text.slice(-maxLength)}` : text,
	});
	await showChatView(chat);
	await chat.askAbout(vscode.l10n.t('What does the terminal say?'), instruction);
}
