/** What of the editor can go along with a question. */

import * as vscode from 'vscode';
import { type Attachment, inReadersLanguage } from '../../server/protocol/index.ts';
import { lastTextEditor } from './lastTextEditor.ts';

/** Longest attachment in characters; more would not fit any small model. */
const maxLength = 200_000;
/** Most characters of an image in base64, as the server reads them. */
const maxImageBase64 = 8 << 20;

/** The selection of the last editor, or its whole text when nothing is selected. */
export function selectionAttachment(): Attachment {
	const editor = lastTextEditor();
	if (!editor) throw inReadersLanguage('invalid_request', vscode.l10n.t('Open a text first.'));
	const { document, selection } = editor;
	return rangeAttachment(document, selection.isEmpty ? undefined : selection);
}

/** A file picked from the workspace: its text, or what it shows. */
export async function fileAttachment(uri: vscode.Uri): Promise<Attachment> {
	if (isImage(uri)) {
		const bytes = await vscode.workspace.fs.readFile(uri);
		return imageAttachment(
			vscode.workspace.asRelativePath(uri),
			Buffer.from(bytes).toString('base64'),
		);
	}
	return rangeAttachment(await vscode.workspace.openTextDocument(uri), undefined);
}

/** The problems VS Code shows for the last editor's file. */
export function problemsAttachment(): Attachment {
	const editor = lastTextEditor();
	if (!editor) throw inReadersLanguage('invalid_request', vscode.l10n.t('Open a text first.'));
	const { uri } = editor.document;
	const lines = vscode.languages
		.getDiagnostics(uri)
		.map(
			({ range, message, source }) =>
				`${range.start.line + 1}: ${message}${source ? ` (${source})` : ''}`,
		);
	if (lines.length === 0) {
		throw inReadersLanguage('not_found', vscode.l10n.t('There are no problems in this file.'));
	}
	const label = vscode.l10n.t('Problems in {0}', vscode.workspace.asRelativePath(uri));
	return { label, language: 'text', text: lines.join('\n') };
}

/** A stretch of a document, or all of it. */
export function rangeAttachment(
	document: vscode.TextDocument,
	range: vscode.Range | undefined,
): Attachment {
	const text = document.getText(range);
	refuseLong(text);
	const path = vscode.workspace.asRelativePath(document.uri);
	const lines = range ? linesLabel(range) : '';
	return {
		label: path + lines,
		language: document.languageId,
		text,
		source: {
			uri: document.uri.toString(),
			...(range ? { range: { start: plain(range.start), end: plain(range.end) } } : {}),
		},
	};
}

/** Whether a file is one of the images that models read, by its name. */
export const isImage = ({ path }: vscode.Uri): boolean => /\.(png|jpe?g|webp)$/i.test(path);

/** An image, by its name and its bytes in base64. */
export function imageAttachment(label: string, base64: string): Attachment {
	if (base64.length > maxImageBase64)
		throw inReadersLanguage(
			'payload_too_large',
			vscode.l10n.t('This image is too large to attach ({0} bytes).', String(base64.length * 0.75)),
		);
	return { label, language: '', text: '', image: base64 };
}

/** A file from outside the editor, by its name and its text. */
export function textAttachment(name: string, text: string): Attachment {
	refuseLong(text);
	if (text.includes('\0')) {
		throw inReadersLanguage('unsupported_media_type', vscode.l10n.t('{0} is not a text.', name));
	}
	return { label: name, language: /\.(\w{1,12})$/.exec(name)?.[1] ?? 'text', text };
}

function refuseLong({ length }: string): void {
	if (length <= maxLength) return;
	throw inReadersLanguage(
		'payload_too_large',
		vscode.l10n.t('This text is too long to attach ({0} characters).', String(length)),
	);
}

function plain({ line, character }: vscode.Position): { line: number; character: number } {
	return { line, character };
}

/** Lines that hold something of a selection; one that ends where a line begins has nothing of that line. */
function linesLabel({ start, end }: vscode.Range): string {
	const last = end.character === 0 && end.line > start.line ? end.line - 1 : end.line;
	return last === start.line ? `:${start.line + 1}` : `:${start.line + 1}-${last + 1}`;
}
