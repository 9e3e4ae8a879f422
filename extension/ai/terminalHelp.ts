/** *Explain Terminal*: its last command with the output, or what is selected in it, goes to the chat. */

import * as vscode from 'vscode';
import { inReadersLanguage } from '../../server/protocol/index.ts';
import type { ChatPageController } from '../chat/chatPageController.ts';
import { showChatView } from '../chat/chatSideView.ts';
import { type TerminalPart, terminalOutput } from './terminalOutput.ts';

/** Longest text that is sent along, in characters; the end of an output says most. */
const maxLength = 6000;

/** Sent before the question; models follow English best. */
const instruction =
	'Explain what this command did and what its output means. If it failed, say why and give the command that repairs it.';

/** Asks the chat what the terminal shows and, when something failed, what to do. */
export async function explainTerminal(chat: ChatPageController, what: TerminalPart): Promise<void> {
	if (!vscode.window.activeTerminal) {
		throw inReadersLanguage('invalid_request', vscode.l10n.t('Open a terminal first.'));
	}
	const text = await terminalOutput(what);
	if (text === undefined) return;
	if (text === '') {
		throw inReadersLanguage(
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
