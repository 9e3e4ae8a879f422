/**
 * Wires the language server protocol to the modules of this folder. Everything an editor can ask is
 * registered here; nothing is worked out here.
 */

import {
	type CancellationToken,
	type Connection,
	type InitializeParams,
	type InitializeResult,
	ProgressType,
	type Range,
	TextDocumentSyncKind,
	TextDocuments,
} from 'vscode-languageserver/node';
import { TextDocument } from 'vscode-languageserver-textdocument';
import type { ChatDelta, RequestName, Requests, StatusParams } from '../protocol/index.ts';
import { productVersion, statusNotification } from '../protocol/index.ts';
import { DeltaBatch } from './batch.ts';
import { completeChat, countTokens } from './chat.ts';
import { resolveTranslateAction, translateActionKind, translateActions } from './codeActions.ts';
import { type ConnectDaemon, DaemonLink } from './daemonLink.ts';
import { defaultFrontSettings, type FrontSettings, parseFrontSettings } from './frontSettings.ts';
import { listModels, loadModel, unloadModel } from './models.ts';
import { translatePassage } from './passage.ts';
import { toResponseError } from './responseError.ts';
import { listLanguages, translateTexts } from './translate.ts';

const chatProgress = new ProgressType<ChatDelta>();

/** Serves one editor until the connection ends. Models are reached through `connect` only. */
export function serveFront(connection: Connection, connect: ConnectDaemon): void {
	const documents = new TextDocuments(TextDocument);
	const link = new DaemonLink(connect, (status: StatusParams) => {
		void connection.sendNotification(statusNotification, status);
	});
	let client: InitializeParams | undefined;
	let settings: FrontSettings = defaultFrontSettings;

	const readSettings = async () => {
		if (!client?.capabilities.workspace?.configuration) return;
		settings = parseFrontSettings(await connection.workspace.getConfiguration('nearglot'));
	};

	connection.onInitialize((params): InitializeResult => {
		client = params;
		settings = parseFrontSettings(params.initializationOptions);
		return {
			serverInfo: { name: 'nearglot', version: productVersion() },
			capabilities: {
				textDocumentSync: TextDocumentSyncKind.Incremental,
				codeActionProvider: { codeActionKinds: [translateActionKind], resolveProvider: true },
			},
		};
	});
	connection.onInitialized(() => {
		void readSettings();
		void connection.sendNotification(statusNotification, link.status);
	});
	connection.onDidChangeConfiguration((change) => {
		settings = parseFrontSettings(change.settings?.nearglot);
		void readSettings();
	});

	const handle = <M extends RequestName>(
		name: M,
		run: (params: Requests[M]['params'], signal: AbortSignal) => Promise<Requests[M]['result']>,
	) => {
		const handler = async (params: unknown, token: CancellationToken): Promise<unknown> => {
			const stop = new AbortController();
			token.onCancellationRequested(() => stop.abort());
			try {
				return await run(params as Requests[M]['params'], stop.signal);
			} catch (error) {
				throw toResponseError(error);
			}
		};
		connection.onRequest(name, handler);
	};

	handle('nearglot/chat', async (params, signal) => {
		const token = params.partialResultToken;
		const batch = new DeltaBatch((delta: ChatDelta) => {
			if (token !== undefined) void connection.sendProgress(chatProgress, token, delta);
		});
		try {
			return await completeChat(link, params, (delta) => batch.add(delta), signal);
		} finally {
			batch.flush();
		}
	});
	handle('nearglot/countTokens', (params, signal) => countTokens(link, params, signal));
	handle('nearglot/translate', (params, signal) => translateTexts(link, params, signal));
	handle('nearglot/languages', (params, signal) =>
		listLanguages(link, params.displayLanguage ?? client?.locale, signal),
	);
	handle('nearglot/models', (_params, signal) => listModels(link, signal));
	handle('nearglot/models/load', (params, signal) => loadModel(link, params.model, signal));
	handle('nearglot/models/unload', (params, signal) => unloadModel(link, params.model, signal));
	handle('nearglot/endpoint', async () => {
		const { url, key, pid, version } = await link.daemon();
		return { url, key, pid, version };
	});

	const translateRange = async (
		document: TextDocument,
		range: Range,
		to: string,
		signal: AbortSignal,
	) =>
		translatePassage(document.getText(range), async (texts) =>
			(await translateTexts(link, { texts, to }, signal)).items.map((item) => item.text),
		);

	handle('nearglot/translateRanges', async (params, signal) => {
		const document = TextDocument.create(params.uri, params.languageId, 0, params.text);
		const texts: string[] = [];
		for (const range of params.ranges) {
			texts.push(await translateRange(document, range, params.to, signal));
		}
		return { texts };
	});

	connection.onCodeAction((params) => {
		const document = documents.get(params.textDocument.uri);
		const only = params.context.only;
		if (!document || (only && !only.some((kind) => inKind(translateActionKind, kind)))) return [];
		return translateActions(document, params.range, settings.languages, client?.locale);
	});
	connection.onCodeActionResolve(async (action, token) => {
		const stop = new AbortController();
		token.onCancellationRequested(() => stop.abort());
		try {
			return await resolveTranslateAction(
				action,
				(uri) => documents.get(uri),
				(document, range, to) => translateRange(document, range, to, stop.signal),
			);
		} catch (error) {
			throw toResponseError(error);
		}
	});

	connection.onShutdown(() => link.close());
	documents.listen(connection);
	connection.listen();
}

function inKind(kind: string, wanted: string): boolean {
	return kind === wanted || kind.startsWith(`${wanted}.`) || wanted === '';
}
