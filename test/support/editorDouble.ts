/** An editor on one side of a front: answers what a language server may ask, and notes what it is told. */

import { PassThrough } from 'node:stream';
import {
	createMessageConnection,
	type MessageConnection,
	StreamMessageReader,
	StreamMessageWriter,
} from 'vscode-jsonrpc/node';
import { createConnection, type WorkspaceEdit } from 'vscode-languageserver/node';
import { serveLanguageServer } from '../../server/lsp/languageServer.ts';
import { sender } from '../../server/protocol/routeClient.ts';
import { type FakeDaemon, startFakeDaemon } from './fakeDaemon.ts';

export interface EditorOptions {
	readonly locale?: string;
	readonly options?: object;
	readonly capabilities?: object;
	/** URIs of the workspace folders. */
	readonly folders?: readonly string[];
	/** Answers `workspace/configuration` for a document. */
	readonly configuration?: (scopeUri: string | undefined) => unknown;
}

export interface Editor {
	readonly client: MessageConnection;
	readonly daemon: FakeDaemon;
	/** Edits the server wanted applied. */
	readonly edits: WorkspaceEdit[];
	/** Diagnostics by document. */
	readonly diagnostics: Map<string, { message: string; range: object; severity: number }[]>;
	/** Methods the server has registered for. */
	readonly registered: string[];
	open(uri: string, languageId: string, text: string): Promise<void>;
	close(): Promise<void>;
}

/**
 * A front, and this side of its connection, which does not listen yet.
 *
 * @param find Called when the language server looks for the daemon.
 */
export function connectFront(find: () => Pick<FakeDaemon, 'url' | 'key'>): MessageConnection {
	const [up, down] = [new PassThrough(), new PassThrough()];
	const connection = createConnection(new StreamMessageReader(up), new StreamMessageWriter(down));
	serveLanguageServer(connection, async () => {
		const { url, key } = find();
		return {
			url,
			key,
			pid: 7,
			version: '1',
			request: sender({ fetch: (path, init) => fetch(new URL(path, url), init), key }),
		};
	});
	return createMessageConnection(new StreamMessageReader(down), new StreamMessageWriter(up));
}

export async function startEditor(given: EditorOptions = {}): Promise<Editor> {
	const daemon = await startFakeDaemon();
	const client = connectFront(() => daemon);
	const edits: WorkspaceEdit[] = [];
	const diagnostics: Editor['diagnostics'] = new Map();
	const registered: string[] = [];
	client.onRequest('workspace/applyEdit', ({ edit }: { edit: WorkspaceEdit }) => {
		edits.push(edit);
		return { applied: true };
	});
	client.onRequest(
		'workspace/configuration',
		({ items }: { items: { scopeUri?: string; section?: string }[] }) =>
			items.map(({ scopeUri }) => given.configuration?.(scopeUri) ?? null),
	);
	client.onRequest(
		'client/registerCapability',
		({ registrations }: { registrations: { method: string }[] }) => {
			registered.push(...registrations.map(({ method }) => method));
			return null;
		},
	);
	client.onNotification('textDocument/publishDiagnostics', (params) => {
		diagnostics.set(params.uri, params.diagnostics);
	});
	client.listen();
	await client.sendRequest('initialize', {
		processId: null,
		rootUri: null,
		locale: given.locale ?? 'en',
		capabilities: given.capabilities ?? {},
		initializationOptions: given.options ?? {},
		workspaceFolders: (given.folders ?? []).map((uri) => ({ uri, name: uri })),
	});
	await client.sendNotification('initialized', {});
	return {
		client,
		daemon,
		edits,
		diagnostics,
		registered,
		open: (uri, languageId, text) =>
			client.sendNotification('textDocument/didOpen', {
				textDocument: { uri, languageId, version: 1, text },
			}),
		close: async () => {
			client.dispose();
			await daemon.close();
		},
	};
}
