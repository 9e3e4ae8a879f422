/** Commands for the transcript in the active editor. */

import * as vscode from 'vscode';
import { inReadersLanguage } from '../../server/protocol/index.ts';
import type { LanguageServerClient } from '../languageServerClient.ts';
import { targetLanguage } from '../targetLanguage.ts';
import { noTranscript } from './exportTranscript.ts';
import type { RecordingEditor } from './recordingEditor.ts';
import type { RecordingPage } from './recordingPage.ts';

/** Asks for form and file. */
export async function exportActive(recordings: RecordingEditor): Promise<void> {
	await active(recordings).export();
}

/** Translates into the target language of the settings, or one that is asked for. */
export async function translateActive(
	languageServer: LanguageServerClient,
	recordings: RecordingEditor,
): Promise<void> {
	const { session } = active(recordings);
	if (!session.document) throw noTranscript();
	const to = await targetLanguage(languageServer);
	if (to !== undefined) await session.translate(to);
}

/** Puts the cursor into the search field. */
export function findInActive(recordings: RecordingEditor): void {
	active(recordings).find();
}

function active(recordings: RecordingEditor): RecordingPage {
	const { active: recording } = recordings;
	if (recording) return recording;
	throw inReadersLanguage('invalid_request', vscode.l10n.t('Open a recording first.'));
}
