/** `@nearglot` in VS Code's chat: the model that is picked there, or the one on this computer. */

import * as vscode from 'vscode';
import {
	type Attachment,
	type ChatDelta,
	type ChatMessage,
	slashCommands,
} from '../../server/protocol/index.ts';
import { isImage } from '../chat/attachSelection.ts';
import { changesAttachment } from '../chat/gitChanges.ts';
import type { LanguageServerClient } from '../languageServerClient.ts';
import { readError } from '../languageServerClient.ts';
import { readableMessage } from '../notify.ts';
import { chatSampling } from '../settings.ts';
import { pickLanguage } from '../targetLanguage.ts';
import {
	pieceAttachments,
	roomFor,
	searchWorkspace,
	workspaceInstruction,
} from '../workspace/searchWorkspace.ts';

/** Registers the participant with the same slash commands as the chat view. */
export function registerParticipant(
	languageServer: LanguageServerClient,
	extensionUri: vscode.Uri,
): vscode.Disposable {
	const participant = vscode.chat.createChatParticipant(
		'nearglot.chat',
		async (request, context, stream, token) => {
			const conversation = conversationOf(context);
			const turn = { request, context, stream, token, conversation };
			return { ...(await answer(languageServer, turn)), metadata: { conversation } };
		},
	);
	participant.iconPath = vscode.Uri.joinPath(extensionUri, 'media', 'icon.png');
	return participant;
}

interface ParticipantTurn {
	readonly request: vscode.ChatRequest;
	readonly context: vscode.ChatContext;
	readonly stream: vscode.ChatResponseStream;
	readonly token: vscode.CancellationToken;
	readonly conversation: string;
}

/** VS Code does not say which conversation a turn is of; it gives back what earlier answers have noted. */
function conversationOf({ history }: vscode.ChatContext): string {
	const noted = history.map((turn) =>
		turn instanceof vscode.ChatResponseTurn ? turn.result.metadata?.['conversation'] : undefined,
	);
	const known = noted.findLast((id) => typeof id === 'string');
	return known ?? crypto.randomUUID();
}

async function answer(
	languageServer: LanguageServerClient,
	{ request, context, stream, token, conversation }: ParticipantTurn,
): Promise<vscode.ChatResult> {
	if (request.command === 'translate')
		return await translate(languageServer, request.prompt, stream, token);
	let pieces: readonly Attachment[] = [];
	if (request.command === 'workspace') {
		try {
			pieces = await workspacePieces(languageServer, request, stream, token);
		} catch (error) {
			return { errorDetails: { message: readError(error).message } };
		}
	}
	const instruction =
		request.command === 'workspace'
			? workspaceInstruction
			: slashCommands.get(request.command ?? '')?.instruction;
	const { texts, images } = await references(request);
	if (request.command === 'commit' && texts.length === 0)
		try {
			texts.push(pieceText(await changesAttachment()));
		} catch (error) {
			return { errorDetails: { message: readError(error).message } };
		}
	const content = [instruction, ...pieces.map(pieceText), ...texts, request.prompt]
		.filter((part) => part)
		.join('\n\n');
	const question: ChatMessage = {
		role: 'user',
		content,
		...(images.length === 0
			? {}
			: {
					images: images.map((base64) => ({
						base64,
						detail: 'auto' as const,
						fromEnd: content.length,
					})),
				}),
	};
	const messages = [...history(context), question];
	const own = request.model.vendor === 'nearglot' ? { model: request.model.id } : {};
	try {
		const params = {
			...{ ...own, ...chatSampling(), messages, conversation },
			truncation: 'auto' as const,
		};
		await languageServer.request('nearglot/chat', params, token, (value) => {
			const { text, progress, omittedTurns } = value as ChatDelta;
			if (omittedTurns !== undefined)
				stream.progress(vscode.l10n.t('The model does not read the oldest turns'));
			if (progress?.phase === 'loading') stream.progress(vscode.l10n.t('Loading the model'));
			if (text) stream.markdown(text);
		});
	} catch (error) {
		const known = readError(error);
		if (known.code !== 'cancelled') return { errorDetails: { message: readableMessage(known) } };
	}
	return {};
}

/** Pieces of the workspace for a question; VS Code lists them as what was used, with links. */
async function workspacePieces(
	languageServer: LanguageServerClient,
	request: vscode.ChatRequest,
	stream: vscode.ChatResponseStream,
	token: vscode.CancellationToken,
): Promise<Attachment[]> {
	stream.progress(vscode.l10n.t('Searching the workspace'));
	const { pieces } = await searchWorkspace(languageServer, request.prompt, {
		token,
		report: (text) => stream.progress(text),
	});
	const found = pieceAttachments(pieces, roomFor(request.model.maxInputTokens));
	for (const { source } of found) {
		if (!source?.range) continue;
		const { start, end } = source.range;
		const range = new vscode.Range(start.line, start.character, end.line, end.character);
		stream.reference(new vscode.Location(vscode.Uri.parse(source.uri, true), range));
	}
	return found;
}

const pieceText = ({ label, language, text }: Attachment) =>
	`${label}\n\`\`\`${language}\n${text}\n\`\`\``;

async function translate(
	languageServer: LanguageServerClient,
	text: string,
	stream: vscode.ChatResponseStream,
	token: vscode.CancellationToken,
): Promise<vscode.ChatResult> {
	const to = await pickLanguage(languageServer);
	if (to === undefined) return {};
	const { items } = await languageServer.request(
		'nearglot/translate',
		{ texts: [text], to },
		token,
	);
	stream.markdown(new vscode.MarkdownString().appendText(items[0]?.text ?? ''));
	return {};
}

function history(context: vscode.ChatContext): ChatMessage[] {
	return context.history.flatMap((turn): ChatMessage[] => {
		if (turn instanceof vscode.ChatRequestTurn) return [{ role: 'user', content: turn.prompt }];
		const words = turn.response.map((part) =>
			part instanceof vscode.ChatResponseMarkdownPart ? part.value.value : '',
		);
		const content = words.join('');
		return content === '' ? [] : [{ role: 'assistant', content }];
	});
}

/** Files and selections attached to the request as text, and images in base64. */
async function references(
	request: vscode.ChatRequest,
): Promise<{ readonly texts: string[]; readonly images: string[] }> {
	const texts: string[] = [];
	const images: string[] = [];
	for (const { value } of request.references) {
		const [uri, range] =
			value instanceof vscode.Location
				? [value.uri, value.range]
				: value instanceof vscode.Uri
					? [value, undefined]
					: [undefined, undefined];
		if (typeof value === 'string') texts.push(value);
		else if (uri && isImage(uri))
			images.push(Buffer.from(await vscode.workspace.fs.readFile(uri)).toString('base64'));
		else if (uri) {
			const document = await vscode.workspace.openTextDocument(uri);
			const path = vscode.workspace.asRelativePath(uri);
			texts.push(`${path}\n\`\`\`${document.languageId}\n${document.getText(range)}\n\`\`\``);
		}
	}
	return { texts: texts.filter((text) => text !== ''), images };
}
