/** The language status of an editor: into which language commands and hovers translate there. */

import * as vscode from 'vscode';
import { setting } from './settings.ts';
import { languageLabel } from './targetLanguage.ts';

/** Makes the item; a click lets the user choose another language. */
export function createTargetLanguageItem(): vscode.Disposable {
	const item = vscode.languages.createLanguageStatusItem('nearglot.targetLanguage', '*');
	item.name = vscode.l10n.t('Nearglot: Target Language');
	item.detail = vscode.l10n.t('Target language of Nearglot');
	item.command = {
		command: 'nearglot.translate.chooseLanguage',
		title: vscode.l10n.t('Change'),
	};
	const draw = () => {
		const document = vscode.window.activeTextEditor?.document;
		const code = setting('translate.targetLanguage', document);
		item.text = `$(globe) ${languageLabel(code || vscode.env.language)}`;
		item.accessibilityInformation = {
			label: vscode.l10n.t(
				'Nearglot translates into {0}',
				languageLabel(code || vscode.env.language),
			),
		};
	};
	draw();
	return vscode.Disposable.from(
		item,
		vscode.window.onDidChangeActiveTextEditor(draw),
		vscode.workspace.onDidChangeConfiguration((change) => {
			if (change.affectsConfiguration('nearglot.translate.targetLanguage')) draw();
		}),
	);
}
