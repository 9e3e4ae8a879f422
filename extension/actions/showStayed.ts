/** Says which texts of a document are as they were. */

import * as vscode from 'vscode';
import type { TranslateDocumentResult } from '../../server/protocol/index.ts';

export function showStayed({
	refused,
	left,
}: Pick<TranslateDocumentResult, 'refused' | 'left'>): void {
	if (refused.length > 0) {
		const count = String(refused.length);
		const first = (refused[0] ?? '').slice(0, 80);
		void vscode.window.showWarningMessage(
			vscode.l10n.t(
				'{0} texts were left as they are, because placeholders would have been lost: {1}',
				count,
				first,
			),
		);
	}
	if (left.length > 0) {
		const count = String(left.length);
		const first = (left[0]?.text ?? '').slice(0, 80);
		void vscode.window.showInformationMessage(
			vscode.l10n.t(
				'{0} texts were left as they are, because no model here translates them: {1}',
				count,
				first,
			),
		);
	}
}
