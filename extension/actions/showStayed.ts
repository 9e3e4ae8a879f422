/** Says how many texts of a document are translated, and one of those that are as they were. */

import * as vscode from 'vscode';
import type { TranslateDocumentResult } from '../../server/protocol/index.ts';

export function showStayed({
	refused,
	left,
	pieces,
	translated,
}: Pick<TranslateDocumentResult, 'refused' | 'left' | 'pieces' | 'translated'>): void {
	if (translated === pieces) return;
	const said = vscode.l10n.t(
		'{0} of {1} texts translated; of the others, all or some sentences stayed as they were',
		String(translated),
		String(pieces),
	);
	const first = refused[0] ?? left[0]?.text;
	const message = first === undefined ? `${said}.` : `${said}: ${first.slice(0, 80)}`;
	if (refused.length > 0) void vscode.window.showWarningMessage(message);
	else void vscode.window.showInformationMessage(message);
}
