/** `@workspace` in the chat view: what was found goes along with the question and can be opened. */

import { type ChatSession, findModel, usualChatModel } from '../../server/protocol/index.ts';
import type { LanguageServerClient } from '../languageServerClient.ts';
import {
	openSource,
	pieceAttachments,
	roomFor,
	searchWithProgress,
	workspaceInstruction,
	workspaceQuestion,
} from '../workspace/searchWorkspace.ts';

/** Sends a question about the workspace; false when it is another question. */
export async function sendWorkspaceQuestion(
	languageServer: LanguageServerClient,
	session: ChatSession,
	text: string,
): Promise<boolean> {
	const question = workspaceQuestion(text);
	if (question === undefined) return false;
	const { pieces } = await searchWithProgress(languageServer, question);
	const { models, model } = session.state;
	const room = roomFor((findModel(models, model) ?? usualChatModel(models))?.contextLength);
	for (const attachment of pieceAttachments(pieces, room)) session.attach(attachment);
	await session.send(text, { instruction: workspaceInstruction });
	return true;
}

/** Opens where what went along with the question `id` was taken from. */
export async function openAttachment(
	session: ChatSession,
	id: string,
	index: number,
): Promise<void> {
	const turn = session.conversation.turns.find((one) => one.id === id);
	await openSource(turn?.attachments?.[index]?.source);
}
