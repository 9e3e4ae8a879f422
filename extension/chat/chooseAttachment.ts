/** What to attach to a question: the selection, a file, a symbol, problems. */

import * as vscode from 'vscode';
import type { Attachment } from '../../server/protocol/index.ts';
import { fileAttachment, problemsAttachment, selectionAttachment } from './attachSelection.ts';
import { pickSymbol } from './attachSymbol.ts';

/** A chat that takes attachments. */
export interface AttachmentTarget {
	attach(attachment: Attachment): void;
	chooseTools(): Promise<void>;
	focus(): void;
}

/** Lets the user choose what to attach, and puts the cursor into the input. */
export async function chooseAttachment(chat: AttachmentTarget): Promise<void> {
	const selection = vscode.l10n.t('Selection or open file');
	const file = vscode.l10n.t('File …');
	const symbol = vscode.l10n.t('Symbol …');
	const problems = vscode.l10n.t('Problems of the open file');
	const tools = vscode.l10n.t('Tools …');
	const pick = await vscode.window.showQuickPick([selection, file, symbol, problems, tools]);
	if (pick === selection) chat.attach(selectionAttachment());
	else if (pick === problems) chat.attach(problemsAttachment());
	else if (pick === symbol) {
		const attachment = await pickSymbol();
		if (attachment) chat.attach(attachment);
	} else if (pick === tools) await chat.chooseTools();
	else if (pick === file) {
		const uris = await vscode.window.showOpenDialog({ canSelectMany: true });
		for (const uri of uris ?? []) chat.attach(await fileAttachment(uri));
	}
	chat.focus();
}
