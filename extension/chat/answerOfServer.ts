/** An answer of the language server to a chat, and what is offered when a team server does not give one. */

import * as vscode from 'vscode';
import {
	asAppError,
	type ChatDelta,
	type ChatEnd,
	type ChatParams,
	teamTrouble,
} from '../../server/protocol/index.ts';
import type { LanguageServerClient } from '../languageServerClient.ts';
import { showError } from '../notify.ts';

/** Streams an answer; ends when `signal` does. */
export async function answerOfServer(
	languageServer: LanguageServerClient,
	params: ChatParams,
	onDelta: (delta: ChatDelta) => void,
	signal: AbortSignal,
): Promise<ChatEnd> {
	const source = new vscode.CancellationTokenSource();
	const cancel = () => source.cancel();
	signal.addEventListener('abort', cancel, { once: true });
	try {
		return await languageServer.request('nearglot/chat', params, source.token, (value) =>
			onDelta(value as ChatDelta),
		);
	} catch (error) {
		// The page says what happened; what can be done about it is offered here.
		if (teamTrouble(asAppError(error))) void showError(error);
		throw error;
	} finally {
		signal.removeEventListener('abort', cancel);
		source.dispose();
	}
}
