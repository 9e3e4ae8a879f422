/** Commands of `workspace/executeCommand`: everything code actions do, and more, for every client. */

import { dirname } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import {
	type CreateFile,
	type TextDocumentEdit,
	TextEdit,
	type WorkspaceEdit,
} from 'vscode-languageserver/node';
import type { TextDocument } from 'vscode-languageserver-textdocument';
import { isRecord } from '../protocol/errorBody.ts';
import { AppError, type TextRange } from '../protocol/index.ts';
import { familyPath } from '../protocol/translatedFileName.ts';
import { readPlainText } from '../store/files.ts';
import { listFolder } from '../store/listFolder.ts';
import { messageFamilies } from '../translate/documents/messageFamilies.ts';
import { messageFormatOf } from '../translate/documents/missingMessages.ts';
import { recordPath } from '../translate/documents/translationRecord.ts';
import { addToGlossary, glossaryPath } from '../translate/workspaceGlossary.ts';
import { displayLanguageName } from './displayLanguageName.ts';
import type { Editing } from './editing.ts';
import { editingRequests } from './editingRequests.ts';
import { openFile } from './openFile.ts';
import { lineText } from './prose/proseFinder.ts';
import { translateRange } from './prose/translateRange.ts';
import { messageText as sentence } from './texts.ts';

/** Every command with its one argument. */
export const editingCommands = [
	/** `{uri, to, range | ranges, below?}` */
	'nearglot.server.translate',
	/** `{uri, to, from?}`: the whole open document, as an edit of it. */
	'nearglot.server.translateDocument',
	/** `{uri, position, to?, from?}` */
	'nearglot.server.nameSymbol',
	/** `{uri, to?}`: messages its translations lack; `to` names languages to add. */
	'nearglot.server.translateMissing',
	/** `{uri, source, target, from, to}` */
	'nearglot.server.addToGlossary',
] as const;

/** Message files that are looked at, and how deep in folders. */
const maxFiles = 5000;
const maxDepth = 8;

type Arguments = Readonly<Record<string, unknown>>;

/** Runs a command; what it changes is applied by the client, so that it can be undone there. */
export async function runEditingCommand(
	editing: Editing,
	command: string,
	given: readonly unknown[],
	signal: AbortSignal,
): Promise<unknown> {
	const [args] = given;
	if (!isRecord(args) || typeof args['uri'] !== 'string')
		throw new AppError('invalid_request', `${command} takes one argument with a uri.`);
	if (command === 'nearglot.server.translate') return translate(editing, args, signal);
	if (command === 'nearglot.server.translateDocument') return whole(editing, args, signal);
	if (command === 'nearglot.server.nameSymbol') return name(editing, args, signal);
	if (command === 'nearglot.server.translateMissing') return missing(editing, args, signal);
	if (command === 'nearglot.server.addToGlossary') return addTerm(editing, args);
	throw new AppError('not_found', `There is no command ${command}.`);
}

async function translate(editing: Editing, args: Arguments, signal: AbortSignal): Promise<null> {
	const { documents, finder, translations, client } = editing;
	const document = openDocument(editing, args);
	const uri = document.uri;
	const to = word(args, 'to');
	const given = Array.isArray(args['ranges']) ? (args['ranges'] as unknown[]) : [args['range']];
	const ranges = given.map((range) => readRange(range));
	const { version } = document;
	const locale = client()?.locale;
	const title = sentence('translatingInto', displayLanguageName(to, locale));
	const texts = await editing.withProgress(title, signal, async (inner, onProgress) => {
		const translator = translations.translator({ to, uri, onProgress }, inner);
		const made: string[] = [];
		for (const { start, end } of ranges) {
			const [from, until] = [document.offsetAt(start), document.offsetAt(end)];
			made.push(await translateRange(document, from, until, finder, translator, to, inner));
		}
		return made;
	});
	if (documents.get(uri)?.version !== version) throw new AppError('conflict', sentence('changed'));
	const edits = ranges.map((range, index) => {
		const made = texts[index] ?? '';
		if (args['below'] !== true) return TextEdit.replace(range, made);
		const own = lineText(document, range.end.line);
		const indent =
			range.start.character > 0
				? (/^\s*/.exec(lineText(document, range.start.line))?.[0] ?? '')
				: '';
		const eol = document.getText().includes('\r\n') ? '\r\n' : '\n';
		const at = { line: range.end.line, character: own.length };
		return TextEdit.insert(at, eol + indent + made);
	});
	await apply(editing, { documentChanges: [{ textDocument: { uri, version }, edits }] });
	return null;
}

async function whole(editing: Editing, args: Arguments, signal: AbortSignal) {
	const document = openDocument(editing, args);
	const { uri, version, languageId } = document;
	const to = word(args, 'to');
	const text = document.getText();
	const fileName = decodeURIComponent(uri.split('/').at(-1) ?? '');
	const locale = editing.client()?.locale;
	const title = sentence('translatingInto', displayLanguageName(to, locale));
	const from = typeof args['from'] === 'string' ? { from: args['from'] } : {};
	const made = await editing.withProgress(title, signal, (inner) =>
		editingRequests(editing)['nearglot/translateDocument'](
			{ fileName, languageId, text, to, uri, ...from },
			inner,
		),
	);
	const range = { start: { line: 0, character: 0 }, end: document.positionAt(text.length) };
	const edits = [TextEdit.replace(range, made.text)];
	if (made.text !== text)
		await apply(editing, { documentChanges: [{ textDocument: { uri, version }, edits }] });
	return { pieces: made.pieces, refused: made.refused };
}

async function name(editing: Editing, args: Arguments, signal: AbortSignal) {
	const { uri, version, languageId } = openDocument(editing, args);
	const position = readPosition(args['position']);
	const more = Object.fromEntries(
		['to', 'from'].flatMap((key) => (typeof args[key] === 'string' ? [[key, args[key]]] : [])),
	) as { to?: string; from?: string };
	const found = await editingRequests(editing)['nearglot/nameSymbol'](
		{ uri, languageId, position, ...more },
		signal,
	);
	const edits = found.occurrences.map((range) => TextEdit.replace(range, found.suggestion));
	await apply(editing, { documentChanges: [{ textDocument: { uri, version }, edits }] });
	return { name: found.name, newName: found.suggestion, from: found.from };
}

async function missing(editing: Editing, args: Arguments, signal: AbortSignal) {
	const uri = word(args, 'uri');
	if (!uri.startsWith('file:'))
		throw new AppError('not_supported', 'Only files of this machine can be filled in this way.');
	const { root, paths } = await neighbours(editing, uri);
	const own = fileURLToPath(uri).slice(root.length).replaceAll('\\', '/');
	const family = messageFamilies(paths).find(
		({ source, targets }) => source === own || targets.some(({ path }) => path === own),
	);
	if (!family)
		throw new AppError('invalid_request', `${own} is no message file with a language in its path.`);
	const further = (Array.isArray(args['to']) ? (args['to'] as unknown[]) : [])
		.filter((to): to is string => typeof to === 'string')
		.filter((to) => to !== family.from && !family.targets.some((target) => target.to === to))
		.map((to) => ({ to, path: familyPath(family.pattern, to) }));
	const locale = editing.client()?.locale;
	const read = async (path: string) => {
		const open = openFile(editing.documents, root + path);
		// A file that cannot be read is not taken for an empty one.
		return open?.getText() ?? (await readPlainText(root + path)) ?? '';
	};
	const source = await read(family.source);
	const before = await read(recordPath);
	let record = before;
	const changes: (TextDocumentEdit | CreateFile)[] = [];
	const annotation = 'missing';
	const addressOf = (path: string) =>
		openFile(editing.documents, root + path)?.uri ?? pathToFileURL(root + path).href;
	const replaced = (path: string, before: string, newText: string): TextDocumentEdit => {
		const lines = before.split('\n');
		const end = { line: lines.length - 1, character: lines.at(-1)?.length ?? 0 };
		const range = { start: { line: 0, character: 0 }, end };
		const edits = [{ range, newText, annotationId: annotation }];
		return { textDocument: { uri: addressOf(path), version: null }, edits };
	};
	const summary: { path: string; to: string; added: number; refused: readonly string[] }[] = [];
	for (const { path, to } of [...family.targets, ...further]) {
		const target = await read(path);
		const title = sentence('translatingInto', displayLanguageName(to, locale));
		const recorded = record === '' ? {} : { recorded: { text: record, path } };
		const ask = { fileName: path, source, target, to, uri, ...recorded };
		const made = await editing.withProgress(title, signal, (inner) =>
			editingRequests(editing)['nearglot/translateMissing'](
				{ ...ask, ...(family.from ? { from: family.from } : {}) },
				inner,
			),
		);
		record = made.recorded ?? record;
		summary.push({ path, to, added: made.added.length, refused: made.refused });
		if (made.text === target) continue;
		if (!paths.includes(path))
			changes.push({ kind: 'create', uri: addressOf(path), annotationId: annotation });
		changes.push(replaced(path, target, made.text));
	}
	if (record !== before) changes.push(replaced(recordPath, before, record));
	if (changes.length > 0)
		await apply(editing, {
			documentChanges: changes,
			changeAnnotations: {
				[annotation]: {
					label: sentence('newMessages', family.source),
					needsConfirmation: true,
				},
			},
		});
	return { source: family.source, files: summary };
}

/** Message files of the workspace folder of a file; of the folder above its own where there is none. */
async function neighbours(
	editing: Editing,
	uri: string,
): Promise<{ root: string; paths: string[] }> {
	const own = dirname(dirname(fileURLToPath(uri)));
	const folder = folderOf(editing, uri);
	const root = `${(folder ? fileURLToPath(folder) : own).replace(/[\\/]$/, '')}/`;
	const paths: string[] = [];
	const visit = async (inside: string, depth: number): Promise<void> => {
		for (const entry of await listFolder(root + inside).catch(() => [])) {
			if (paths.length >= maxFiles || /^(?:\.|node_modules$|dist$|vendor$)/.test(entry.name))
				continue;
			if (entry.kind === 'folder' && depth < maxDepth)
				await visit(`${inside}${entry.name}/`, depth + 1);
			else if (entry.kind === 'file' && messageFormatOf(entry.name))
				paths.push(inside + entry.name);
		}
	};
	await visit('', 0);
	return { root, paths };
}

/** The innermost workspace folder of a document, with a slash at its end. */
function folderOf({ client }: Editing, uri: string): string | undefined {
	const folders = client()?.workspaceFolders?.map((folder) => folder.uri) ?? [];
	const { rootUri } = client() ?? {};
	if (folders.length === 0 && rootUri) folders.push(rootUri);
	return folders
		.map((one) => (one.endsWith('/') ? one : `${one}/`))
		.filter((one) => uri.startsWith(one))
		.sort((a, b) => b.length - a.length)[0];
}

async function addTerm(editing: Editing, args: Arguments): Promise<null> {
	const uri = word(args, 'uri');
	const entry = {
		source: word(args, 'source'),
		target: word(args, 'target'),
		from: word(args, 'from'),
		to: word(args, 'to'),
	};
	const folder = folderOf(editing, uri);
	if (folder === undefined)
		throw new AppError('invalid_request', 'The file is in no folder of the workspace.');
	const file = folder + glossaryPath;
	const open = editing.documents.get(file);
	const onDisk = file.startsWith('file:') ? await readPlainText(fileURLToPath(file)) : undefined;
	const before = open?.getText() ?? onDisk ?? '';
	const text = addToGlossary(before, entry);
	const lines = before.split('\n');
	const end = { line: lines.length - 1, character: lines.at(-1)?.length ?? 0 };
	const edits = [TextEdit.replace({ start: { line: 0, character: 0 }, end }, text)];
	const isNew = open === undefined && onDisk === undefined;
	await apply(editing, {
		documentChanges: [
			...(isNew ? [{ kind: 'create' as const, uri: file, options: { ignoreIfExists: true } }] : []),
			{ textDocument: { uri: file, version: open?.version ?? null }, edits },
		],
	});
	return null;
}

async function apply({ connection, client }: Editing, edit: WorkspaceEdit): Promise<void> {
	const can = client()?.capabilities.workspace?.workspaceEdit?.changeAnnotationSupport;
	const plain = can ? edit : withoutAnnotations(edit);
	const { applied } = await connection.workspace.applyEdit(plain);
	if (!applied) throw new AppError('conflict', sentence('refused'));
}

function withoutAnnotations({ documentChanges = [] }: WorkspaceEdit): WorkspaceEdit {
	return JSON.parse(
		JSON.stringify({ documentChanges }, (key, value: unknown) =>
			key === 'annotationId' ? undefined : value,
		),
	) as WorkspaceEdit;
}

function openDocument({ documents }: Editing, args: Arguments): TextDocument {
	const uri = word(args, 'uri');
	const document = documents.get(uri);
	if (!document) throw new AppError('not_found', `${uri} is not open.`);
	return document;
}

function word(args: Arguments, name: string): string {
	const value = args[name];
	if (typeof value !== 'string' || value === '')
		throw new AppError('invalid_request', `The argument ${name} is missing.`);
	return value;
}

function readPosition(value: unknown): TextRange['start'] {
	if (
		isRecord(value) &&
		typeof value['line'] === 'number' &&
		typeof value['character'] === 'number'
	)
		return { line: value['line'], character: value['character'] };
	throw new AppError('invalid_request', 'A position is {line, character}.');
}

function readRange(value: unknown): TextRange {
	if (!isRecord(value)) throw new AppError('invalid_request', 'A range is {start, end}.');
	return { start: readPosition(value['start']), end: readPosition(value['end']) };
}
