/**
 * Settings as the editor has them: pulled for each document (so that settings of a folder or a
 * language hold), pushed by editors that cannot be asked, or given at the start.
 */

import {
	type Connection,
	DidChangeConfigurationNotification,
	type InitializeParams,
} from 'vscode-languageserver/node';
import { isRecord } from '../protocol/errorBody.ts';
import {
	defaultEditorSettings,
	type EditorSettings,
	parseEditorSettings,
} from './editorSettings.ts';

const section = 'nearglot';

/** One per language server. */
export class ClientSettings {
	readonly #connection: Connection;
	readonly #listeners: ((settings: EditorSettings) => void)[] = [];
	readonly #documents = new Map<string, Promise<EditorSettings>>();
	#window: EditorSettings = defaultEditorSettings;
	#canPull = false;

	constructor(connection: Connection) {
		this.#connection = connection;
		connection.onDidChangeConfiguration(({ settings }: { settings?: unknown }) => {
			// Editors that can be asked send nothing, or an empty value.
			if (!this.#canPull && isRecord(settings) && section in settings)
				this.#take(parseEditorSettings(settings[section]));
			void this.refresh();
		});
	}

	/** Settings of the window. */
	get window(): EditorSettings {
		return this.#window;
	}

	onChange(listener: (settings: EditorSettings) => void): void {
		this.#listeners.push(listener);
	}

	/** Takes what the client said at the start. */
	start(client: InitializeParams): void {
		this.#canPull = client.capabilities.workspace?.configuration === true;
		this.#window = parseEditorSettings(client.initializationOptions);
	}

	/** Asks for changes to be told; goes with `initialized`. */
	async listen(client: InitializeParams): Promise<void> {
		if (client.capabilities.workspace?.didChangeConfiguration?.dynamicRegistration)
			await this.#connection.client
				.register(DidChangeConfigurationNotification.type, { section })
				.catch(() => undefined);
		await this.refresh();
	}

	/** Reads the settings of the window anew. */
	async refresh(): Promise<void> {
		this.#documents.clear();
		if (!this.#canPull) return;
		const value = await this.#connection.workspace.getConfiguration(section);
		if (isRecord(value)) this.#take(parseEditorSettings(value));
	}

	/** Settings that hold for a document. */
	of(uri: string): Promise<EditorSettings> {
		if (!this.#canPull) return Promise.resolve(this.#window);
		const known = this.#documents.get(uri);
		if (known) return known;
		const asked = this.#connection.workspace
			.getConfiguration({ scopeUri: uri, section })
			.then((value: unknown) => (isRecord(value) ? parseEditorSettings(value) : this.#window))
			.catch(() => this.#window);
		this.#documents.set(uri, asked);
		return asked;
	}

	forget(uri: string): void {
		this.#documents.delete(uri);
	}

	#take(settings: EditorSettings): void {
		this.#window = settings;
		for (const listener of this.#listeners) listener(settings);
	}
}
