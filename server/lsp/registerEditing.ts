/** The editing features of the language server: code actions, hovers, commands and requests. */

import {
	type CancellationToken,
	type InitializeParams,
	TextEdit,
} from 'vscode-languageserver/node';
import { isRecord } from '../protocol/errorBody.ts';
import { type EditorGrammars, grammarsNotification } from '../protocol/index.ts';
import {
	actionTarget,
	editingActions,
	nameActionKind,
	translateActionKind,
} from './codeActions.ts';
import { displayLanguageName } from './displayLanguageName.ts';
import type { Editing, EditingDeps } from './editing.ts';
import { editingCommands, runEditingCommand } from './editingCommands.ts';
import { editingRequests } from './editingRequests.ts';
import type { EditorSettings } from './editorSettings.ts';
import { findSymbolName } from './findSymbolName.ts';
import { Glossaries } from './glossaries.ts';
import { translationHover } from './hover.ts';
import { ProseFinder } from './prose/proseFinder.ts';
import { translateRange } from './prose/translateRange.ts';
import { toResponseError } from './responseError.ts';
import { messageText } from './texts.ts';
import { Translations } from './translations.ts';
import { withWorkDone } from './workDone.ts';

/** How long a list of actions waits for the language of a text. */
const listWaitMs = 300;

/** What `initialize` answers for the features below. */
export const editingCapabilities = {
	codeActionProvider: {
		codeActionKinds: [translateActionKind, nameActionKind],
		resolveProvider: true,
	},
	hoverProvider: true,
	executeCommandProvider: { commands: [...editingCommands] },
};

/** Registers the features; returns the handlers of the custom requests. */
export function registerEditing(deps: EditingDeps) {
	const { connection, documents, link, client, settings } = deps;
	const finder = new ProseFinder();
	const glossaries: Glossaries = new Glossaries({
		connection,
		documents,
		onChange: () => translations.forget(),
	});
	const translations = new Translations(link, (uri) => glossaries.of(uri));
	const editing: Editing = {
		...deps,
		finder,
		translations,
		glossaries,
		withProgress: (title, signal, work) => withWorkDone(connection, client(), title, signal, work),
	};
	documents.onDidClose(({ document }) => {
		finder.forget(document.uri);
		settings.forget(document.uri);
	});
	const translatorOf = ({ engine, system, tone }: EditorSettings) => `${engine} ${system} ${tone}`;
	let translator = translatorOf(settings.window);
	settings.onChange((now) => {
		if (translatorOf(now) !== translator) translations.forget();
		translator = translatorOf(now);
	});
	const useGrammars = (value: unknown) => {
		const { grammars, languages } = parseGrammars(value);
		finder.grammars.files = grammars;
		finder.languages = languages;
	};
	connection.onNotification(grammarsNotification, useGrammars);

	connection.onCodeAction((params, token) =>
		handleRequest(token, async (signal) => {
			const document = documents.get(params.textDocument.uri);
			if (!document) return [];
			const { languages } = await settings.of(document.uri);
			const { range, context } = params;
			const locale = client()?.locale;
			const languageOf = (text: string) => languageSoon(translations, text, signal);
			return editingActions(
				document,
				range,
				context,
				languages,
				locale,
				finder,
				languageOf,
				signal,
			);
		}),
	);
	connection.onCodeActionResolve((action, token) =>
		handleRequest(token, async (signal) => {
			const { data, document } = actionTarget(action, (uri) => documents.get(uri));
			const { to, uri, range } = data;
			const locale = client()?.locale;
			if (data.does === 'name') {
				const { languages } = await settings.of(uri);
				const ask = { position: range.start, to, languages, displayLanguage: locale };
				const found = await findSymbolName(document, ask, finder, translations, signal);
				const command = clientCommand(client(), 'renameCommand');
				const { name, suggestion } = found;
				const place = { uri, position: found.range.start, name, newName: suggestion };
				if (command)
					return { ...action, command: { title: action.title, command, arguments: [place] } };
				const edits = found.occurrences.map((at) => TextEdit.replace(at, suggestion));
				return { ...action, edit: { changes: { [uri]: edits } } };
			}
			const title = messageText('translatingInto', displayLanguageName(to, locale));
			const newText = await editing.withProgress(title, signal, (inner, onProgress) =>
				translateRange(
					document,
					document.offsetAt(range.start),
					document.offsetAt(range.end),
					finder,
					translations.translator({ to, uri, onProgress }, inner),
					to,
					inner,
				),
			);
			return { ...action, edit: { changes: { [uri]: [TextEdit.replace(range, newText)] } } };
		}),
	);
	connection.onExecuteCommand((params, token) =>
		handleRequest(token, (signal) =>
			runEditingCommand(editing, params.command, params.arguments ?? [], signal),
		),
	);
	connection.onHover((params, token) =>
		handleRequest(token, async (signal) => {
			const document = documents.get(params.textDocument.uri);
			if (!document) return null;
			const { hover, targetLanguage, maxHoverLength } = await settings.of(document.uri);
			if (!hover) return null;
			const displayLanguage = client()?.locale;
			const to = targetLanguage || displayLanguage || 'en';
			const modelsCommand = clientCommand(client(), 'modelsCommand');
			const options = { to, maxLength: maxHoverLength, displayLanguage, modelsCommand };
			return translationHover(
				document,
				params.position,
				options,
				finder,
				translations,
				signal,
			).catch((error: unknown) => {
				// A hover that failed must not stand in the way of the others.
				connection.console.warn(`hover: ${error instanceof Error ? error.message : String(error)}`);
				return null;
			});
		}),
	);
	return {
		/** Goes with `initialized`. */
		listen: async (params: InitializeParams) => {
			useGrammars(params.initializationOptions);
			await Promise.all([settings.listen(params), glossaries.listen(params)]);
		},
		requests: editingRequests(editing),
	};
}

/** Runs a handler with a signal for the editor's token; errors leave as JSON-RPC errors. */
export async function handleRequest<T>(
	token: Pick<CancellationToken, 'onCancellationRequested'>,
	run: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
	const stop = new AbortController();
	token.onCancellationRequested(() => stop.abort());
	try {
		return await run(stop.signal);
	} catch (error) {
		throw toResponseError(error);
	}
}

/** A command of the client, if it has named one: to rename a symbol by its own means, to propose better models. */
function clientCommand(
	client: InitializeParams | undefined,
	option: 'renameCommand' | 'modelsCommand',
): string | undefined {
	const options: unknown = client?.initializationOptions;
	const name = isRecord(options) ? options[option] : undefined;
	return typeof name === 'string' && name !== '' ? name : undefined;
}

function parseGrammars(value: unknown): EditorGrammars {
	const list = (name: 'grammars' | 'languages'): readonly unknown[] => {
		const found = isRecord(value) ? value[name] : undefined;
		return Array.isArray(found) ? found : [];
	};
	const strings = (item: unknown, ...names: string[]) =>
		isRecord(item) && names.every((name) => typeof item[name] === 'string');
	return {
		grammars: list('grammars').filter((item) =>
			strings(item, 'scopeName', 'path'),
		) as EditorGrammars['grammars'],
		languages: list('languages').filter((item) =>
			strings(item, 'languageId', 'path'),
		) as EditorGrammars['languages'],
	};
}

/** The language of a text, unless that takes longer than a list of actions may wait. */
async function languageSoon(
	translations: Translations,
	text: string,
	signal: AbortSignal,
): Promise<string | undefined> {
	const soon = AbortSignal.any([signal, AbortSignal.timeout(listWaitMs)]);
	try {
		return await translations.languageOf([text], soon);
	} catch {
		// Every language is offered when there is nobody to ask.
		signal.throwIfAborted();
		return undefined;
	}
}
