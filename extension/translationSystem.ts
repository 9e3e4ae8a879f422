/** Which system translates: the user picks from what the model server has. */

import * as vscode from 'vscode';
import type { TranslationSystem } from '../server/protocol/routes/translationSystems.ts';
import type { LanguageServerClient } from './languageServerClient.ts';
import { setting, storeSetting } from './settings.ts';

/** Lets the user choose a system and stores the choice. */
export async function chooseTranslationSystem(languageServer: LanguageServerClient): Promise<void> {
	const current = setting('translate.system');
	const { systems } = await languageServer.request('nearglot/translationSystems', {});
	const picked = await vscode.window.showQuickPick(
		systems.map((system) => ({
			label: labelOf(system),
			description: descriptionOf(system),
			name: system.kind === 'general' ? '' : system.name,
			picked: system.name === current || (current === '' && system.kind === 'general'),
		})),
		{ placeHolder: vscode.l10n.t('Translate with'), matchOnDescription: true },
	);
	if (picked) await storeSetting('translate.system', picked.name);
}

function labelOf({ kind, name, model }: TranslationSystem): string {
	if (kind === 'general') return vscode.l10n.t('Automatic');
	return model ?? name;
}

function descriptionOf({ kind, pairs, host }: TranslationSystem): string {
	if (host !== undefined)
		return vscode.l10n.t('chat model at {0}: what you translate goes there', host);
	switch (kind) {
		case 'general':
			return vscode.l10n.t('the best model here for each pair of languages');
		case 'custom':
			return vscode.l10n.t('custom system: {0}', (pairs ?? []).join(', '));
		case 'model':
			return vscode.l10n.t('translation model');
		case 'chat':
			return vscode.l10n.t('chat model, for any pair of languages it knows');
	}
}
