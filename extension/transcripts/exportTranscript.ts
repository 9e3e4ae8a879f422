/** Writing a transcript to a file that the user names. */

import * as vscode from 'vscode';
import {
	type AppError,
	type ExportContent,
	type ExportFormat,
	exportContents,
	exportEndings,
	exportFile,
	exportFormats,
	exportName,
	inReadersLanguage,
	type TranscriptDocument,
} from '../../server/protocol/index.ts';

export interface ExportChoice {
	readonly format: ExportFormat;
	readonly content: ExportContent;
	readonly times: boolean;
}

/** Names of the forms, as people know them. */
const exportFormatNames: Readonly<Record<ExportFormat, () => string>> = {
	text: () => vscode.l10n.t('Text'),
	markdown: () => 'Markdown',
	docx: () => 'Word',
	srt: () => 'SRT',
	vtt: () => 'VTT',
	json: () => 'JSON',
};

/** Asks for the form when none is given, then for the file, and writes it. */
export async function exportToFile(
	recording: vscode.Uri,
	document: TranscriptDocument | null,
	given?: ExportChoice,
): Promise<void> {
	if (!document) throw noTranscript();
	const choice = given ?? (await pickExport(document));
	if (!choice) return;
	const title = recording.path.split('/').at(-1) ?? '';
	const name = exportName(title, document, choice);
	const target = await vscode.window.showSaveDialog({
		title: vscode.l10n.t('Export Transcript'),
		defaultUri: vscode.Uri.joinPath(recording, '..', name),
		filters: { [exportFormatNames[choice.format]()]: [exportEndings[choice.format]] },
	});
	if (!target) return;
	await writeTranscript(target, document, { ...choice, title });
	const open = vscode.l10n.t('Open');
	void vscode.window
		.showInformationMessage(
			vscode.l10n.t('Saved {0}', vscode.workspace.asRelativePath(target)),
			open,
		)
		.then((answer) => {
			if (answer === open) void vscode.commands.executeCommand('vscode.open', target);
		});
}

/** Writes the file in the given form. */
export async function writeTranscript(
	target: vscode.Uri,
	document: TranscriptDocument,
	options: ExportChoice & { readonly title: string },
): Promise<void> {
	await vscode.workspace.fs.writeFile(target, exportFile(document, options));
}

/** One of the forms a transcript can have. */
export async function pickFormat(): Promise<ExportFormat | undefined> {
	const items = exportFormats.map((format) => ({
		format,
		label: exportFormatNames[format](),
		description: `.${exportEndings[format]}`,
	}));
	const title = vscode.l10n.t('Form of the transcript');
	return (await vscode.window.showQuickPick(items, { title }))?.format;
}

async function pickExport(document: TranscriptDocument): Promise<ExportChoice | undefined> {
	const format = await pickFormat();
	if (!format) return undefined;
	if (!document.translation) return { format, content: 'original', times: false };
	const labels: Readonly<Record<ExportContent, string>> = {
		original: vscode.l10n.t('Original'),
		translation: vscode.l10n.t('Translation'),
		both: vscode.l10n.t('Both'),
	};
	const items = exportContents.map((content) => ({ content, label: labels[content] }));
	const title = vscode.l10n.t('Which text');
	const chosen = await vscode.window.showQuickPick(items, { title });
	return chosen && { format, content: chosen.content, times: false };
}

/** There is nothing to export or translate yet. */
export function noTranscript(): AppError {
	return inReadersLanguage(
		'invalid_request',
		vscode.l10n.t('There is no transcript yet. Transcribe the recording first.'),
	);
}
