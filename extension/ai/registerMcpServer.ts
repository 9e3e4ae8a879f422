/**
 * The tools of the daemon (translate, transcribe) as an MCP server of VS Code: its agents and those of
 * other extensions find them without a configuration file.
 */

import * as vscode from 'vscode';
import type { LanguageServerClient } from '../languageServerClient.ts';

/** Registers the definition; older versions of VS Code have no such interface. */
export function registerMcpServer(
	languageServer: LanguageServerClient,
	version: string,
): vscode.Disposable {
	if (!('registerMcpServerDefinitionProvider' in vscode.lm)) return vscode.Disposable.from();
	const changed = new vscode.EventEmitter<void>();
	let url: string | undefined;
	const listening = languageServer.onHealth(({ status }) => {
		// The port is another after every start of the daemon.
		if (status?.daemon === undefined || status.daemon.url === url) return;
		url = status.daemon.url;
		changed.fire();
	});
	const provider: vscode.McpServerDefinitionProvider<vscode.McpHttpServerDefinition> = {
		onDidChangeMcpServerDefinitions: changed.event,
		provideMcpServerDefinitions: async () => {
			const { url: base } = await languageServer.request('nearglot/endpoint', {});
			const uri = vscode.Uri.joinPath(vscode.Uri.parse(base), 'mcp');
			return [new vscode.McpHttpServerDefinition('Nearglot', uri, {}, version)];
		},
		resolveMcpServerDefinition: async (server) => {
			// Definitions are kept on disk by VS Code, so the key is added only when one is started.
			const { url: base, key } = await languageServer.request('nearglot/endpoint', {});
			server.uri = vscode.Uri.joinPath(vscode.Uri.parse(base), 'mcp');
			server.headers = { authorization: `Bearer ${key}` };
			return server;
		},
	};
	return vscode.Disposable.from(
		changed,
		listening,
		vscode.lm.registerMcpServerDefinitionProvider('nearglot.mcp', provider),
	);
}
