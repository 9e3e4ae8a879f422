/** Commands for the transcript in the active editor. */

import * as vscode from 'vscode';
import { AppError } from '../../server/protocol/index.ts';
import type { LanguageServerClient } from '../front.ts';
import { targetLanguage } from '../targetLanguage.ts';
import { noTranscript } from './exportTranscript.ts';
import type { Recording } from './recording.ts';
import type { Recordings } from './recordings.ts';

/** Asks for form and file. */
export async function exportActive(recordings: Recordings): Promise<void> {
	await active(recordings).export();
}

/** Translates into the target language of the settings, or one that is asked for. */
export async function translateActive(
	front: LanguageServerClient,
	recordings: Recordings,
): Promise<void> {
	const { session } = active(recordings);
	if (!session.document) throw noTranscript();
	const to = await targetLanguage(front);
	if (to !== undefined) await session.translate(to);
}

/** Puts the cursor into the search field. */
export function findInActive(recordings: Recordings): void {
	active(recordings).find();
}

function active(recordings: Recordings): Recording {
	const { active: recording } = recordings;
	if (recording) return recording;
	throw new AppError('invalid_request', vscode.l10n.t('Open a recording first.'));
}
