/** A summary and chapters of a transcript by the model of the chat. */

import * as vscode from 'vscode';
import {
	AppError,
	type ChatDelta,
	choosableChatModels,
	findModel,
	hasOutlineRoom,
	outlineOf,
	outlineRoom,
	type TranscriptDocument,
	type TranscriptOutline,
	usualChatModel,
} from '../../server/protocol/index.ts';
import type { LanguageServerClient } from '../languageServerClient.ts';
import { setting } from '../settings.ts';
import { withToken } from './transcribePath.ts';

/** @throws AppError `cancelled` when no model here can do it, which the user is told; whatever the chat throws */
export async function outlineByChat(
	languageServer: LanguageServerClient,
	document: TranscriptDocument,
	onProgress: (done: number, total: number) => void,
	signal: AbortSignal,
): Promise<TranscriptOutline> {
	const { models } = await languageServer.request('nearglot/models', {});
	const choosable = choosableChatModels(models);
	const chosen = setting('chat.model');
	const model = findModel(choosable, chosen) ?? usualChatModel(choosable);
	const maxCharacters = outlineRoom(model?.contextLength, document.language);
	if (!model || model.origin === 'built-in' || !hasOutlineRoom(maxCharacters)) {
		void offerModel();
		throw new AppError('cancelled');
	}
	const ask = async (content: string, maxTokens: number): Promise<string> => {
		let answer = '';
		const params = {
			...{ model: model.id, messages: [{ role: 'user' as const, content }] },
			...{ temperature: 0, maxTokens },
		};
		await withToken(signal, (token) =>
			languageServer.request('nearglot/chat', params, token, (value) => {
				answer += (value as ChatDelta).text ?? '';
			}),
		);
		return answer;
	};
	const outline = await outlineOf(document, { ask, maxCharacters, onProgress });
	return { ...outline, model: model.displayName };
}

async function offerModel(): Promise<void> {
	const better = vscode.l10n.t('Pick a Better Model');
	const text = vscode.l10n.t(
		'The chosen chat model reads too little for a summary. Another one can.',
	);
	if ((await vscode.window.showInformationMessage(text, better)) === better)
		await vscode.commands.executeCommand('nearglot.models.suggest', 'chat-completion');
}
