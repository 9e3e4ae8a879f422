/** The editing features of the language server: code actions, hovers, commands and reader mode. */

import type {
	Connection,
	InitializeParams,
	Range,
	TextDocuments,
} from 'vscode-languageserver/node';
import { TextDocument } from 'vscode-languageserver-textdocument';
import { isRecord } from '../protocol/errorBody.ts';
import { AppError, type Requests, type TranslatedRange } from '../protocol/index.ts';
import { formatOf, translateDocument } from '../translate/documents/translateDocument.ts';
import { resolveTranslateAction, translateActionKind, translateActions } from './codeActions.ts';
import type { Caller } from './daemonLink.ts';
import type { FrontSettings } from './frontSettings.ts';
import { translationHover } from './hover.ts';
import { sameLanguage } from './languageName.ts';
import { grammars, lineMarkers } from './prose/grammars.ts';
import { proseIn } from './prose/prose.ts';
import { SyntaxTrees } from './prose/syntaxTree.ts';
import { jobFor, translateJobs, translateRange } from './prose/translateRange.ts';
import { toResponseError } from './responseError.ts';
import { detectLanguage, translateTexts } from './translate.ts';
import { withWorkDone } from './workDone.ts';

/** Command of `workspace/executeCommand`: one argument `{uri, range, to}`. */
export const translateCommand = 'nearglot.server.translate';

export interface EditingDeps {
	readonly connection: Connection;
	readonly documents: TextDocuments<TextDocument>;
	/** Answers the routes of the translate interface. */
	readonly link: Caller;
	readonly client: () => InitializeParams | undefined;
	readonly settings: () => FrontSettings;
}

/** What `initialize` answers for the features below. */
export const editingCapabilities = {
	codeActionProvider: { codeActionKinds: [translateActionKind], resolveProvider: true },
	hoverProvider: true,
	executeCommandProvider: { commands: [translateCommand] },
};

/** Registers the features; returns the handlers of the custom requests. */
export function registerEditing(deps: EditingDeps) {
	const { connection, documents, link, client, settings } = deps;
	const trees = new SyntaxTrees();
	documents.onDidClose(({ document }) => trees.forget(document.uri));

	const many = (to: string, signal: AbortSignal) => async (texts: readonly string[]) =>
		(await translateTexts(link, { texts, to }, signal)).items.map((item) => item.text);
	const newText = (document: TextDocument, range: Range, to: string, signal: AbortSignal) =>
		withWorkDone(connection, client(), 'Nearglot', signal, (inner) =>
			translateRange(
				document,
				document.offsetAt(range.start),
				document.offsetAt(range.end),
				trees,
				many(to, inner),
			),
		);

	connection.onCodeAction((params) => {
		const document = documents.get(params.textDocument.uri);
		const { only } = params.context;
		if (!document || (only && !only.some((kind) => inKind(translateActionKind, kind)))) return [];
		return translateActions(document, params.range, settings().languages, client()?.locale);
	});
	connection.onCodeActionResolve((action, token) =>
		answered(token, (signal) =>
			resolveTranslateAction(
				action,
				(uri) => documents.get(uri),
				(document, range, to) => newText(document, range, to, signal),
			),
		),
	);
	connection.onExecuteCommand((params, token) =>
		answered(token, async (signal) => {
			const { uri, range, to } = commandArguments(params.arguments?.[0]);
			const document = documents.get(uri);
			if (!document) throw new AppError('not_found', `${uri} is not open.`);
			const text = await newText(document, range, to, signal);
			const edit = {
				textDocument: { uri, version: document.version },
				edits: [{ range, newText: text }],
			};
			const { applied } = await connection.workspace.applyEdit({ documentChanges: [edit] });
			if (!applied) throw new AppError('conflict', 'The editor refused the change.');
			return null;
		}),
	);
	connection.onHover((params, token) =>
		answered(token, async (signal) => {
			const document = documents.get(params.textDocument.uri);
			const { hover, targetLanguage, maxHoverLength } = settings();
			if (!hover || !document) return null;
			const displayLanguage = client()?.locale;
			const to = targetLanguage || displayLanguage || 'en';
			return translationHover(
				document,
				params.position,
				{ to, maxLength: maxHoverLength, displayLanguage },
				{
					trees,
					detect: (text, inner) => detectLanguage(link, text, inner),
					translate: async (texts, from, target, inner) =>
						(await translateTexts(link, { texts, from, to: target }, inner)).items,
				},
				signal,
			).catch((error: unknown) => {
				// A hover that failed must not stand in the way of the others.
				connection.console.warn(`hover: ${error instanceof Error ? error.message : String(error)}`);
				return null;
			});
		}),
	);

	const documentOf = ({
		uri,
		languageId,
		text,
	}: {
		uri: string;
		languageId: string;
		text: string;
	}) => {
		const open = documents.get(uri);
		return open?.getText() === text ? open : TextDocument.create(uri, languageId, 0, text);
	};
	return {
		translateRanges: async (
			params: Requests['nearglot/translateRanges']['params'],
			signal: AbortSignal,
		) => {
			const document = documentOf(params);
			const texts: string[] = [];
			for (const range of params.ranges) {
				const [from, to] = [document.offsetAt(range.start), document.offsetAt(range.end)];
				texts.push(await translateRange(document, from, to, trees, many(params.to, signal)));
			}
			return { texts };
		},
		translateDocument: async (
			params: Requests['nearglot/translateDocument']['params'],
			signal: AbortSignal,
		) => {
			const { fileName, languageId, text, to } = params;
			const extract = formatOf(fileName);
			if (extract) return translateDocument(text, extract, many(to, signal), to);
			if (!grammars[languageId] && !lineMarkers[languageId]) {
				throw new AppError(
					'not_supported',
					`${fileName} is of no format that can be translated whole. Select what to translate instead.`,
				);
			}
			const document = TextDocument.create(`file:///${fileName}`, languageId, 0, text);
			const prose = (await proseIn(document, 0, text.length, trees)).filter(
				({ kind }) => kind !== 'string',
			);
			const jobs = prose.map((item) => jobFor(document, item));
			const rendered = await translateJobs(jobs, many(to, signal));
			trees.forget(document.uri);
			let out = '';
			let next = 0;
			jobs.forEach((job, place) => {
				out += text.slice(next, job.start) + (rendered[place] ?? '');
				next = job.end;
			});
			return { text: out + text.slice(next), refused: [] };
		},
		readerRanges: async (
			params: Requests['nearglot/readerRanges']['params'],
			signal: AbortSignal,
		): Promise<{ ranges: TranslatedRange[] }> => {
			const document = documentOf(params);
			const [from, to] = [
				document.offsetAt(params.range.start),
				document.offsetAt(params.range.end),
			];
			const prose = (await proseIn(document, from, to, trees)).filter(
				({ kind }) => kind !== 'string',
			);
			const jobs = prose
				.map((item) => jobFor(document, item))
				.filter((job) => job.texts.length > 0);
			const texts = jobs.flatMap((job) => job.texts);
			if (texts.length === 0) return { ranges: [] };
			const { items } = await translateTexts(link, { texts, to: params.to }, signal);
			const foreign = new Set(
				texts.filter((_, place) => !sameLanguage(items[place]?.detectedLanguage ?? '', params.to)),
			);
			let next = 0;
			const rendered = await translateJobs(
				jobs.map((job) => ({ ...job, render: (answers: readonly string[]) => answers.join(' ') })),
				async (all) => all.map(() => items[next++]?.text ?? ''),
			);
			return {
				ranges: jobs.flatMap((job, place) =>
					job.texts.some((text) => foreign.has(text))
						? [
								{
									range: {
										start: document.positionAt(job.start),
										end: document.positionAt(job.end),
									},
									text: rendered[place] ?? '',
								},
							]
						: [],
				),
			};
		},
	};
}

/** Runs a handler with a signal for the editor's token; errors leave as JSON-RPC errors. */
export async function answered<T>(
	token: { onCancellationRequested(listener: () => void): unknown },
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

function commandArguments(value: unknown): { uri: string; range: Range; to: string } {
	if (isRecord(value) && typeof value['uri'] === 'string' && typeof value['to'] === 'string') {
		if (isRecord(value['range']))
			return value as unknown as { uri: string; range: Range; to: string };
	}
	throw new AppError('invalid_request', `${translateCommand} takes one argument {uri, range, to}.`);
}

function inKind(kind: string, wanted: string): boolean {
	return wanted === '' || kind === wanted || kind.startsWith(`${wanted}.`);
}
