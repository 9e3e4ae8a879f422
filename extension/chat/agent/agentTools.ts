/**
 * What a model may do in the workspace: read, list, search, edit, run. What changes something, and what may hold
 * secrets, needs a person's consent.
 */

import * as vscode from 'vscode';
import { AppError, type ToolDefinition } from '../../../server/protocol/index.ts';
import { mayHoldSecrets } from '../../secretFiles.ts';
import { fileOnDisk, isLinked } from './linkedFiles.ts';
import { runInTerminal } from './runInTerminal.ts';
import { editOf, numberedLines, plainLines } from './textEdit.ts';
import { commandFault, hasPowers, mayFetch, placeInFolder } from './workspacePath.ts';

/** What a person is asked before a tool runs. */
export interface Consent {
	/** What is to happen, as the person reads it. */
	readonly detail: string;
	/** What *in this session* and *always* stand for. */
	readonly scope: string;
	/** It is asked each time, whatever was allowed before. */
	readonly eachTime?: boolean;
}

export interface ToolRun {
	readonly signal: AbortSignal;
	/** Must be called before a file is changed, with what it holds; `undefined`: it is not there yet. */
	readonly remember: (uri: vscode.Uri, before: string | undefined) => Promise<void>;
	/** Must be called after it. */
	readonly changed: (uri: vscode.Uri, after: string) => Promise<void>;
	/** It could not be changed. */
	readonly forget: (uri: vscode.Uri) => Promise<void>;
}

export interface AgentTool {
	readonly definition: ToolDefinition;
	/** Absent, or nothing: it runs without a question. */
	readonly consent?: (input: ToolInput) => Consent | undefined;
	readonly run: (input: ToolInput, run: ToolRun) => Promise<string>;
}

/** Arguments as the model wrote them. */
export type ToolInput = Readonly<Record<string, unknown>>;

/** Files that a list has at most, and matches that a search has. */
const [maxFiles, maxMatches] = [300, 60];
/** Files that a search looks into, and the largest of them in bytes. */
const [maxSearched, maxSearchedBytes] = [3000, 400_000];
/** Longest line of a match, in characters. */
const maxLine = 240;

const text = (description: string) => ({ type: 'string', description });
const number = (description: string) => ({ type: 'integer', minimum: 1, description });

const tool = (
	name: string,
	description: string,
	properties: Record<string, object>,
	required: readonly string[],
): ToolDefinition => ({
	type: 'function',
	function: { name, description, parameters: { type: 'object', properties, required } },
});

const path = text('Path below the folder of the workspace, with /.');

export const agentTools: readonly AgentTool[] = [
	{
		definition: tool(
			'read_file',
			'Reads lines of a file, each with its number. 400 lines at once at most.',
			{ path, from: number('First line; 1 when left out.'), to: number('Last line.') },
			['path'],
		),
		consent: (input) => {
			const { uri, parts, shown } = placeOf(input['path']);
			if (!mayHoldSecrets(parts)) return undefined;
			const detail = vscode.l10n.t('Read {0}, which may hold secrets', shown);
			return { detail, scope: uri.toString() };
		},
		run: async (input) => {
			const document = await openFile(input['path']);
			return numberedLines(document.getText(), integer(input['from']), integer(input['to']));
		},
	},
	{
		definition: tool(
			'list_files',
			'Lists files of the workspace whose path fits a glob pattern such as src/**/*.ts.',
			{ pattern: text('Glob pattern; **/* for all files.') },
			['pattern'],
		),
		run: async (input, { signal }) => {
			const found = await filesLike(string(input, 'pattern'), maxFiles + 1, signal);
			const names = found.map((uri) => vscode.workspace.asRelativePath(uri)).sort();
			const more = names.length > maxFiles ? ['[there are more]'] : [];
			return [...names.slice(0, maxFiles), ...more].join('\n') || 'No file fits.';
		},
	},
	{
		definition: tool(
			'search_text',
			'Finds a text (no pattern, capitals do not matter) in the files of the workspace. Gives path:line: text.',
			{
				text: text('What is looked for.'),
				files: text('Glob pattern of the files; all when left out.'),
			},
			['text'],
		),
		run: async (input, { signal }) => searchText(string(input, 'text'), input['files'], signal),
	},
	{
		definition: tool(
			'edit_file',
			'Replaces one piece of a file. The old text must be in the file exactly once, with its white space. With an empty old text the file is made new.',
			{ path, old_text: text('What is there now.'), new_text: text('What takes its place.') },
			['path', 'old_text', 'new_text'],
		),
		consent: (input) => {
			const { parts, shown } = placeOf(input['path']);
			const [old, fresh] = [String(input['old_text']), String(input['new_text'])];
			const detail = `${vscode.l10n.t('Change {0}', shown)}\n${marked('-', old)}${marked('+', fresh)}`;
			const eachTime = hasPowers(parts) || mayHoldSecrets(parts) || mayFetch(fresh);
			return { detail, scope: 'edit_file', eachTime };
		},
		run: editFile,
	},
	{
		definition: tool(
			'run_command',
			'Runs one command line in a terminal in the folder of the workspace and gives what it printed. It must end by itself within two minutes and ask nothing.',
			{ command: text('The command line.') },
			['command'],
		),
		// What is allowed for longer is this very line.
		consent: (input) => {
			const line = string(input, 'command');
			const fault = commandFault(line);
			if (fault !== undefined) throw new AppError('invalid_request', fault);
			return { detail: line, scope: line };
		},
		run: async (input, { signal }) => runInTerminal(string(input, 'command'), signal),
	},
];

function string(input: ToolInput, name: string): string {
	const value = input[name];
	if (typeof value === 'string' && value.trim() !== '') return value;
	throw new AppError('invalid_request', `'${name}' is missing.`);
}

const integer = (value: unknown): number | undefined =>
	typeof value === 'number' && Number.isFinite(value) ? value : undefined;

/** Lines of a change as a difference shows them. */
const marked = (sign: string, lines: string): string =>
	lines === '' ? '' : `${lines.replace(/^/gm, `${sign} `)}\n`;

interface Place {
	readonly uri: vscode.Uri;
	readonly parts: readonly string[];
	readonly shown: string;
}

function placeOf(given: unknown): Place {
	const folders = vscode.workspace.workspaceFolders ?? [];
	const place = typeof given === 'string' ? placeInFolder(given, folders) : undefined;
	if (!place)
		throw new AppError(
			'invalid_request',
			`'${String(given)}' is no path below the folder of the workspace.`,
		);
	const uri = vscode.Uri.joinPath(place.folder.uri, place.parts.join('/'));
	return { uri, parts: place.parts, shown: place.shown };
}

async function openFile(given: unknown): Promise<vscode.TextDocument> {
	const { uri } = placeOf(given);
	await refuseLink(uri);
	try {
		return await vscode.workspace.openTextDocument(uri);
	} catch (cause) {
		throw new AppError('not_found', `${String(given)} cannot be read as a text.`, { cause });
	}
}

/** A link may lead out of the folder. */
async function refuseLink(uri: vscode.Uri): Promise<void> {
	if (await isLinked(uri))
		throw new AppError(
			'invalid_request',
			'A part of this path is a link, which may lead elsewhere.',
		);
}

async function filesLike(
	pattern: string,
	limit: number,
	signal: AbortSignal,
): Promise<vscode.Uri[]> {
	const source = new vscode.CancellationTokenSource();
	const cancel = () => source.cancel();
	signal.addEventListener('abort', cancel, { once: true });
	const [first] = vscode.workspace.workspaceFolders ?? [];
	const within = first ? new vscode.RelativePattern(first, pattern) : pattern;
	const many = (vscode.workspace.workspaceFolders?.length ?? 0) > 1;
	const excluded = '**/{node_modules,.git}/**';
	let found: vscode.Uri[];
	try {
		const where = many ? pattern : within;
		found = await vscode.workspace.findFiles(where, excluded, limit, source.token);
	} finally {
		signal.removeEventListener('abort', cancel);
		source.dispose();
	}
	const known = new Map<string, Promise<boolean>>();
	const linked = await Promise.all(found.map((uri) => isLinked(uri, known)));
	return found.filter((_, index) => !linked[index]);
}

async function searchText(wanted: string, files: unknown, signal: AbortSignal): Promise<string> {
	const pattern = typeof files === 'string' && files !== '' ? files : '**/*';
	const small = wanted.toLowerCase();
	const matches: string[] = [];
	const found = await filesLike(pattern, maxSearched, signal);
	const rest =
		found.length === maxSearched ? [`[only ${maxSearched} files were searched: name fewer]`] : [];
	for (const uri of found) {
		if (signal.aborted) throw new AppError('cancelled');
		const name = vscode.workspace.asRelativePath(uri);
		if (mayHoldSecrets(name.split('/'))) continue;
		const content = await smallText(uri);
		if (!content?.toLowerCase().includes(small)) continue;
		for (const [index, line] of content.split(/\r?\n/).entries()) {
			if (!line.toLowerCase().includes(small)) continue;
			matches.push(`${name}:${index + 1}: ${line.trim().slice(0, maxLine)}`);
			if (matches.length === maxMatches) return [...matches, '[there may be more]'].join('\n');
		}
	}
	return [...(matches.length === 0 ? ['Nothing was found.'] : matches), ...rest].join('\n');
}

/** The text of a file; `undefined` of one that is large or no text. */
async function smallText(uri: vscode.Uri): Promise<string | undefined> {
	try {
		const { size } = await vscode.workspace.fs.stat(uri);
		if (size > maxSearchedBytes) return undefined;
		const bytes = await vscode.workspace.fs.readFile(uri);
		return bytes.subarray(0, 4000).includes(0) ? undefined : new TextDecoder().decode(bytes);
	} catch {
		return undefined;
	}
}

async function editFile(
	input: ToolInput,
	{ signal, remember, changed, forget }: ToolRun,
): Promise<string> {
	const { uri, shown } = placeOf(input['path']);
	const [old, fresh] = [input['old_text'], input['new_text']];
	if (typeof old !== 'string' || typeof fresh !== 'string')
		throw new AppError('invalid_request', `'old_text' and 'new_text' must be texts.`);
	await refuseLink(uri);
	const edit = new vscode.WorkspaceEdit();
	const onDisk = await fileOnDisk(uri);
	let before: string | undefined;
	if (onDisk === undefined) {
		if (old !== '') throw new AppError('not_found', `There is no file ${shown}.`);
		if (vscode.workspace.textDocuments.some((one) => one.uri.toString() === uri.toString()))
			throw new AppError('conflict', `${shown} is open and not saved; it cannot be made new.`);
		edit.createFile(uri, { contents: new TextEncoder().encode(fresh) });
	} else {
		const document = await openFile(input['path']);
		before = document.getText();
		// An editor may hold what a file was before a program changed it.
		const { text: stored = before } = onDisk;
		if (!document.isDirty && plainLines(stored) !== plainLines(before))
			throw new AppError('conflict', `${shown} has just been changed. Read it again.`);
		if (old === '' && before !== '')
			throw new AppError('conflict', `${shown} is there already; name the old text.`);
		const made = old === '' ? { start: 0, end: 0, text: fresh } : editOf(before, old, fresh);
		const [start, end] = [document.positionAt(made.start), document.positionAt(made.end)];
		edit.replace(uri, new vscode.Range(start, end), made.text);
	}
	if (signal.aborted) throw new AppError('cancelled');
	await remember(uri, before);
	if (!(await vscode.workspace.applyEdit(edit))) {
		await forget(uri);
		throw new AppError('conflict', `${shown} could not be changed.`);
	}
	const document = await vscode.workspace.openTextDocument(uri);
	await document.save();
	await changed(uri, document.getText());
	if (document.isDirty)
		throw new AppError('conflict', `${shown} is changed in the editor, and could not be saved.`);
	return `${shown} is changed.`;
}
