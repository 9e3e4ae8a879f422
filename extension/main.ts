/** What VS Code loads. Everything heavy is loaded when it is first needed, never here. */

import * as vscode from 'vscode';
import { createExtension } from './createExtension.ts';
import type { Extension } from './extension.ts';

let extension: Extension | undefined;

/** Returns its parts to tests only: they lead to the key of the daemon. */
export function activate(
	context: vscode.ExtensionContext,
): (Extension & { readonly activationMs: number }) | undefined {
	const started = performance.now();
	extension = createExtension(context, () => {
		// The bundler leaves this path alone: client.cjs lies beside the extension's bundle.
		return require('./client.cjs') as typeof import('./languageClient.ts');
	});
	const activationMs = performance.now() - started;
	extension.log.info(`activated in ${activationMs.toFixed(1)} ms`);
	return context.extensionMode === vscode.ExtensionMode.Test
		? { ...extension, activationMs }
		: undefined;
}

export async function deactivate(): Promise<void> {
	// Before the server ends: what is refused then has been answered by nobody.
	extension?.queue.dispose();
	await Promise.all([extension?.recordings.saved(), extension?.saveChats()]);
	await extension?.languageServer.stop();
}
