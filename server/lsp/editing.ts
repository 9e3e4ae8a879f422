/** What the editing features share. */

import type { Connection, InitializeParams, TextDocuments } from 'vscode-languageserver/node';
import type { TextDocument } from 'vscode-languageserver-textdocument';
import type { Client } from '../protocol/routeClient.ts';
import type { ClientSettings } from './clientSettings.ts';
import type { Glossaries } from './glossaries.ts';
import type { ProseFinder } from './prose/proseFinder.ts';
import type { Translations } from './translations.ts';
import type { withWorkDone } from './workDone.ts';

export interface EditingDeps {
	readonly connection: Connection;
	readonly documents: TextDocuments<TextDocument>;
	/** Answers the routes of the translate interface. */
	readonly link: Client;
	readonly client: () => InitializeParams | undefined;
	readonly settings: ClientSettings;
}

/** What the features share. */
export interface Editing extends EditingDeps {
	readonly finder: ProseFinder;
	readonly translations: Translations;
	readonly glossaries: Glossaries;
	/** Runs work that may take a while under a progress with a title. */
	readonly withProgress: <T>(
		title: string,
		signal: AbortSignal,
		work: Parameters<typeof withWorkDone<T>>[4],
	) => Promise<T>;
}
