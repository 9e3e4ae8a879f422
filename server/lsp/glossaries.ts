/**
 * Glossaries of the workspace folders: read, followed when they change, and their problems shown as
 * diagnostics of the file.
 */

import { fileURLToPath } from 'node:url';
import {
	type Connection,
	DiagnosticSeverity,
	DidChangeWatchedFilesNotification,
	type InitializeParams,
	type TextDocuments,
} from 'vscode-languageserver/node';
import type { TextDocument } from 'vscode-languageserver-textdocument';
import { readPlainText } from '../store/files.ts';
import {
	glossaryPath,
	parseGlossary,
	type WorkspaceGlossary,
} from '../translate/workspaceGlossary.ts';
import { messageText } from './texts.ts';

export interface GlossariesDeps {
	readonly connection: Connection;
	readonly documents: TextDocuments<TextDocument>;
	/** Called when a glossary is another one than before. */
	readonly onChange: () => void;
}

/** One per language server. */
export class Glossaries {
	readonly #deps: GlossariesDeps;
	/** Folder with a slash at its end → its glossary. */
	readonly #folders = new Map<string, { text: string; glossary: WorkspaceGlossary } | undefined>();

	constructor(deps: GlossariesDeps) {
		this.#deps = deps;
		const { connection, documents } = deps;
		connection.onDidChangeWatchedFiles(({ changes }) => {
			for (const { uri } of changes) {
				const folder = folderOf(uri);
				if (folder !== undefined) void this.#read(folder);
			}
		});
		// What stands in the editor holds at once, saved or not.
		documents.onDidChangeContent(({ document }) => {
			const folder = folderOf(document.uri);
			if (folder !== undefined) this.take(folder, document.getText());
		});
		documents.onDidClose(({ document }) => {
			const folder = folderOf(document.uri);
			if (folder !== undefined) void this.#read(folder);
		});
	}

	/** Reads the glossaries of the client's folders and asks to be told of changes. */
	async listen(client: InitializeParams): Promise<void> {
		const { connection } = this.#deps;
		const { workspace } = client.capabilities;
		const folders = client.workspaceFolders?.map(({ uri }) => uri) ?? [];
		if (folders.length === 0 && client.rootUri) folders.push(client.rootUri);
		await Promise.all(folders.map((uri) => this.#read(withSlash(uri))));
		if (workspace?.workspaceFolders)
			connection.workspace.onDidChangeWorkspaceFolders(({ added, removed }) => {
				for (const { uri } of removed) this.take(withSlash(uri), undefined);
				for (const { uri } of added) void this.#read(withSlash(uri));
			});
		if (workspace?.didChangeWatchedFiles?.dynamicRegistration)
			await connection.client
				.register(DidChangeWatchedFilesNotification.type, {
					watchers: [{ globPattern: `**/${glossaryPath}` }],
				})
				.catch(() => undefined);
	}

	/** The glossary of the innermost folder a document is in. */
	of(uri: string): WorkspaceGlossary | undefined {
		let best: string | undefined;
		for (const [folder, known] of this.#folders)
			if (known && uri.startsWith(folder) && folder.length > (best?.length ?? 0)) best = folder;
		return best === undefined ? undefined : this.#folders.get(best)?.glossary;
	}

	/** Takes the text of a folder's glossary; `undefined`: there is none. */
	take(folder: string, source: string | undefined): void {
		const key = withSlash(folder);
		if (this.#folders.get(key)?.text === source) return;
		const glossary = source === undefined ? undefined : parseGlossary(source);
		this.#folders.set(
			key,
			glossary && source !== undefined ? { text: source, glossary } : undefined,
		);
		this.#notify(key, glossary);
		this.#deps.onChange();
	}

	async #read(folder: string): Promise<void> {
		const uri = folder + glossaryPath;
		const open = this.#deps.documents.get(uri);
		if (open) this.take(folder, open.getText());
		// Other schemes are the client's to read; see `nearglot/glossary/text`.
		else if (uri.startsWith('file:'))
			this.take(folder, await readPlainText(fileURLToPath(uri)).catch(() => undefined));
	}

	#notify(folder: string, glossary: WorkspaceGlossary | undefined): void {
		const diagnostics = (glossary?.problems ?? []).map(({ line, severity, code, values }) => ({
			severity: severity === 'error' ? DiagnosticSeverity.Error : DiagnosticSeverity.Warning,
			range: { start: { line, character: 0 }, end: { line: line + 1, character: 0 } },
			source: 'nearglot',
			code,
			message: messageText(code, ...values),
		}));
		void this.#deps.connection.sendDiagnostics({ uri: folder + glossaryPath, diagnostics });
	}
}

function withSlash(uri: string): string {
	return uri.endsWith('/') ? uri : `${uri}/`;
}

/** The folder whose glossary a document is. */
function folderOf(uri: string): string | undefined {
	return uri.endsWith(`/${glossaryPath}`) ? uri.slice(0, -glossaryPath.length) : undefined;
}
