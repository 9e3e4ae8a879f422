/** Writes a commit message for what is staged (else for all changes) into the box of the git view. */

import * as vscode from 'vscode';
import type { ChatDelta, ChatMessage } from '../../server/protocol/index.ts';
import { fitDiff } from '../chat/fitDiff.ts';
import { changesOf, chosenRepository } from '../chat/gitChanges.ts';
import type { LanguageServerClient } from '../languageServerClient.ts';
import { withDelayedProgress } from '../notify.ts';
import { setting } from '../settings.ts';

const instruction =
	'Write a git commit message for this change: one subject line in the imperative, at most 72 characters, then, if needed, an empty line and why. Answer with the message alone.';

/** Room kept for the answer, in tokens. */
const answerTokens = 120;

/** `source` is what the menu of the git view gives: the repository it belongs to. */
export async function writeCommitMessage(
	languageServer: LanguageServerClient,
	source: unknown,
): Promise<void> {
	const repository = await chosenRepository(source);
	const diff = await changesOf(repository);
	await withDelayedProgress(vscode.l10n.t('Writing a commit message'), async (token) => {
		const model = setting('chat.model');
		const own = model === '' ? {} : { model };
		const messages = await fitted(languageServer, diff, own, token);
		// The box of a window whose git runs on another machine cannot be written from here.
		const box = repository.inputBox ?? { value: '' };
		const before = box.value;
		let text = '';
		try {
			await languageServer.request(
				'nearglot/chat',
				{ ...own, messages, temperature: 0, maxTokens: answerTokens },
				token,
				(value) => {
					text += (value as ChatDelta).text ?? '';
					box.value = cleaned(text);
				},
			);
		} catch (error) {
			box.value = before;
			throw error;
		}
		if (!repository.inputBox) await showMessage(box.value);
	});
}

/** A message that is to be taken over by hand. */
async function showMessage(content: string): Promise<void> {
	const document = await vscode.workspace.openTextDocument({ content, language: 'git-commit' });
	await vscode.window.showTextDocument(document);
	void vscode.window.showInformationMessage(
		vscode.l10n.t(
			'The git view of this window belongs to the other machine, and its box cannot be written from here. Copy the message from the editor.',
		),
	);
}

/** The request with as much of the diff as the model can read. */
async function fitted(
	languageServer: LanguageServerClient,
	diff: string,
	own: { model?: string },
	token: vscode.CancellationToken,
): Promise<ChatMessage[]> {
	const messagesOf = (text: string): ChatMessage[] => [
		{ role: 'user', content: `${instruction}\n\n\`\`\`diff\n${text}\n\`\`\`` },
	];
	const { models } = await languageServer.request('nearglot/models', {}, token);
	const ready = models.filter(
		({ task, state }) => task === 'chat-completion' && state !== 'not-downloaded',
	);
	const contexts = ready
		.filter(({ id }) => own.model === undefined || id === own.model)
		.map(({ contextLength }) => contextLength ?? 4096);
	const room = Math.max(64, Math.min(...contexts, 1 << 20) - answerTokens);
	for (let limit = Math.min(diff.length, room * 4); ; limit = Math.floor(limit * 0.7)) {
		const messages = messagesOf(fitDiff(diff, limit).text);
		const { tokens } = await languageServer.request(
			'nearglot/countTokens',
			{ ...own, messages },
			token,
		);
		if (tokens <= room || limit < 100) return messages;
	}
}

/** Without the fence some models put around their answer. */
function cleaned(text: string): string {
	return text
		.replace(/^\s*```\w*\n?/, '')
		.replace(/\n?```\s*$/, '')
		.trimStart();
}
