/** The texts of the chat page in the language of the editor. */

import * as vscode from 'vscode';
import { chatStrings, type StringKey, type Strings } from '../../webview/protocol.ts';

export function pageStrings(): Strings {
	const entries = Object.entries(chatStrings).map(([key, text]) => [key, vscode.l10n.t(text)]);
	return Object.fromEntries(entries) as Record<StringKey, string>;
}
