/** `OPENAI_BASE_URL` and `OPENAI_API_KEY` in new terminals, when the user wants that. */

import * as vscode from 'vscode';
import type { LanguageServerClient } from './languageServerClient.ts';
import { setting } from './settings.ts';

/**
 * Follows the setting and the daemon. The key is not kept on disk. Terminals of a remote window run on another machine:
 * there the address would be that machine's own, and the key is none of its business.
 */
export function offerTerminalEnvironment(
	context: vscode.ExtensionContext,
	languageServer: LanguageServerClient,
): vscode.Disposable {
	const variables = context.environmentVariableCollection;
	variables.persistent = false;
	const isElsewhere =
		vscode.env.remoteName !== undefined &&
		context.extension.extensionKind === vscode.ExtensionKind.UI;
	const update = async () => {
		if (!setting('terminal.environment') || isElsewhere) return variables.clear();
		const { url, key } = await languageServer.request('nearglot/endpoint', {});
		variables.description = vscode.l10n.t('The model server on this computer');
		variables.replace('OPENAI_BASE_URL', `${url}/v1`);
		variables.replace('OPENAI_API_KEY', key);
	};
	const quietly = () => void update().catch(() => variables.clear());
	let daemon: string | undefined;
	const health = languageServer.onHealth(({ status }) => {
		if (status?.daemon?.url === daemon) return;
		daemon = status?.daemon?.url;
		if (daemon !== undefined) quietly();
	});
	const changed = vscode.workspace.onDidChangeConfiguration((event) => {
		if (event.affectsConfiguration('nearglot.terminal.environment')) quietly();
	});
	if (setting('terminal.environment')) quietly();
	return vscode.Disposable.from(health, changed);
}
