/** Binds a chat to a webview: hands messages both ways and does what needs the editor. */

import * as vscode from 'vscode';
import {
	AppError,
	type Attachment,
	asAppError,
	type ChatDelta,
	type ChatEnd,
	type ChatParams,
	ChatSession,
	findModel,
	readSlashCommand,
	readyChatModels,
	slashCommands,
	teamTrouble,
} from '../../server/protocol/index.ts';
import {
	chatStrings,
	type HostMessage,
	type PageMessage,
	parsePageMessage,
	type StringKey,
	type Strings,
} from '../../webview/protocol.ts';
import type { LanguageServerClient } from '../languageServerClient.ts';
import { showError } from '../notify.ts';
import { setting, storeSetting } from '../settings.ts';
import { targetLanguage } from '../targetLanguage.ts';
import {
	openSource,
	pieceAttachments,
	roomFor,
	searchWithProgress,
	workspaceInstruction,
	workspaceQuestion,
} from '../workspace/searchWorkspace.ts';
import { selectionAttachment } from './attachSelection.ts';
import type { ChatStore } from './chatStore.ts';
import { chooseAttachment } from './chooseAttachment.ts';
import type { ChosenTools } from './chosenTools.ts';
import { changesAttachment } from './gitChanges.ts';
import { insertCode } from './insertCode.ts';
import { lastTextEditor } from './lastTextEditor.ts';
import { pageHtml, pageOptions } from './pageHtml.ts';
import type { Proposals } from './proposals.ts';

export interface ChatPageControllerDeps {
	readonly languageServer: LanguageServerClient;
	readonly store: ChatStore;
	readonly extensionUri: vscode.Uri;
	readonly proposals: Proposals;
	readonly tools: ChosenTools;
	/** Fires when other models can be asked. */
	readonly onModelsChanged: vscode.Event<void>;
	/** Whether this page's chat is the one the workspace shows again after a reload. */
	readonly remembered: boolean;
}

/** A chat and the webview that shows it, which may come and go. */
export class ChatPageController {
	readonly #deps: ChatPageControllerDeps;
	readonly session: ChatSession;
	#webview: vscode.Webview | undefined;
	#listening: vscode.Disposable | undefined;
	#draft: string | undefined;
	#counting: vscode.CancellationTokenSource | undefined;

	constructor(deps: ChatPageControllerDeps) {
		this.#deps = deps;
		this.session = new ChatSession(
			{
				complete: (params, onDelta, signal) =>
					complete(deps.languageServer, params, onDelta, signal),
				tools: (model) => deps.tools.toolSet(model),
				save: async (conversation) => {
					await deps.store.save(conversation);
					if (deps.remembered) await deps.store.remember(conversation.id);
				},
				post: (message) => this.#post(message),
				id: () => crypto.randomUUID(),
				now: () => new Date(),
			},
			{ model: setting('chat.model'), system: setting('chat.systemPrompt') },
		);
		this.session.onState = () => this.#postState();
	}

	/** Shows the chat in a webview until that is disposed of. */
	bind(webview: vscode.Webview): void {
		this.#listening?.dispose();
		this.#webview = webview;
		webview.options = pageOptions(this.#deps.extensionUri);
		this.#listening = vscode.Disposable.from(
			webview.onDidReceiveMessage((value: unknown) => {
				const message = parsePageMessage(value);
				if (message) void this.#handle(message).catch(showError);
			}),
			this.#deps.onModelsChanged(() => void this.#showModels().catch(() => undefined)),
			vscode.workspace.onDidChangeConfiguration((event) => {
				if (!event.affectsConfiguration('nearglot.chat.model')) return;
				this.session.model = setting('chat.model');
				this.#postState();
			}),
		);
		webview.html = pageHtml(webview, this.#deps.extensionUri, 'chat');
	}

	unbind(): void {
		this.#listening?.dispose();
		this.#webview = undefined;
	}

	newChat(): void {
		this.clear();
		this.focus();
	}

	/** An empty chat; the focus stays where it is. */
	clear(): void {
		this.session.reset(setting('chat.systemPrompt'));
		this.#postState();
	}

	async openChat(id: string): Promise<void> {
		const conversation = await this.#deps.store.load(id);
		if (!conversation)
			throw new AppError('not_found', vscode.l10n.t('This chat is no longer there.'));
		this.session.open(conversation);
		if (this.#deps.remembered) await this.#deps.store.remember(id);
		this.#postState();
	}

	/** Shows the chat this workspace showed last, when this one is still empty. */
	async restore(): Promise<void> {
		const conversation = await this.#deps.store.current();
		if (!conversation || this.session.conversation.leaf !== null) return;
		this.session.open(conversation);
		this.#postState();
	}

	/** Puts words into the input, or sends them at once. */
	async prompt(text: string, send: boolean): Promise<void> {
		if (send) await this.session.send(text);
		else if (this.#webview) this.#post({ type: 'draft', text });
		else this.#draft = text;
	}

	/** Asks about what is attached, with an instruction that is sent and not shown. */
	askAbout(text: string, instruction: string): Promise<void> {
		return this.session.send(text, { instruction });
	}

	attach(attachment: Attachment): void {
		this.session.attach(attachment);
		this.#postState();
	}

	/** Lets the user choose the tools the model may call. */
	async chooseTools(): Promise<void> {
		const { models, model } = this.session.state;
		await this.#deps.tools.choose(findModel(models, model) ?? models[0]);
		this.#postState();
	}

	focus(): void {
		this.#post({ type: 'focus' });
	}

	async #handle(message: PageMessage): Promise<void> {
		const { session } = this;
		switch (message.type) {
			case 'ready':
				return this.#ready();
			case 'ask':
				return this.#ask(message.text);
			case 'edit':
				return session.edit(message.id, message.text);
			case 'regenerate':
				return session.regenerate(message.id);
			case 'stop':
				return session.stop();
			case 'show':
				session.show(message.id);
				return this.#postState();
			case 'model':
				session.model = message.model;
				this.#postState();
				// One choice for everything: recordings and translations follow it.
				return storeSetting('chat.model', message.model);
			case 'count':
				return this.#count(message.text);
			case 'attach':
				return chooseAttachment(this);
			case 'detach':
				session.detach(message.index);
				return this.#postState();
			case 'openAttachment':
				return openSource(
					session.conversation.turns.find(({ id }) => id === message.id)?.attachments?.[
						message.index
					]?.source,
				);
			case 'copy':
				return vscode.env.clipboard.writeText(message.text);
			case 'insert':
			case 'replace':
				return insertCode(message.text, message.type === 'replace');
			case 'apply':
				return this.#deps.proposals.show(message.text, this.#attachmentsOf(message.id));
			case 'models':
				return this.#showModels();
			case 'tools':
				return this.chooseTools();
			case 'newFile': {
				const { text: content, language } = message;
				const document = await vscode.workspace.openTextDocument({
					content,
					language: await known(language),
				});
				await vscode.window.showTextDocument(document);
				return;
			}
			case 'link': {
				const uri = vscode.Uri.parse(message.href);
				if (uri.scheme === 'https' || uri.scheme === 'http') await vscode.env.openExternal(uri);
			}
		}
	}

	/** A question, or a slash command with what it needs from the editor. */
	async #ask(text: string): Promise<void> {
		const question = workspaceQuestion(text);
		if (question !== undefined) return this.#askWorkspace(text, question);
		const command = readSlashCommand(text);
		if (!command) return this.session.send(text);
		if (command.name === 'translate') return this.#translate(text, command.rest);
		const { instruction, attaches } = slashCommands.get(command.name) ?? {};
		if (attaches && this.session.state.attachments.length === 0) {
			const changes = command.name === 'commit' ? await changesAttachment() : undefined;
			if (changes) this.session.attach(changes);
			else if (lastTextEditor()) this.session.attach(selectionAttachment());
		}
		await this.session.send(text, instruction === undefined ? {} : { instruction });
	}

	/** A question with the pieces of the workspace that probably answer it. */
	async #askWorkspace(text: string, question: string): Promise<void> {
		const { pieces } = await searchWithProgress(this.#deps.languageServer, question);
		const { models, model } = this.session.state;
		const room = roomFor((findModel(models, model) ?? models[0])?.contextLength);
		for (const attachment of pieceAttachments(pieces, room)) this.session.attach(attachment);
		await this.session.send(text, { instruction: workspaceInstruction });
	}

	async #translate(text: string, rest: string): Promise<void> {
		const to = await targetLanguage(this.#deps.languageServer);
		if (to === undefined) return;
		const source = rest.trim() || selectionAttachment().text;
		await this.session.send(text, {
			complete: async (_params, onDelta) => {
				const { items } = await this.#deps.languageServer.request('nearglot/translate', {
					texts: [source],
					to,
				});
				const answer = items[0]?.text ?? '';
				onDelta({ text: answer });
				return { toolCalls: [], finishReason: 'stop', model: 'translate' };
			},
		});
	}

	async #ready(): Promise<void> {
		this.#postState();
		if (this.#draft !== undefined) this.#post({ type: 'draft', text: this.#draft });
		this.#draft = undefined;
		try {
			await this.#showModels();
		} catch (error) {
			await showError(error);
		}
	}

	async #showModels(): Promise<void> {
		const { models } = await this.#deps.languageServer.request('nearglot/models', {});
		this.session.models = readyChatModels(models);
		this.#postState();
	}

	/** What was attached to the question a turn answers. */
	#attachmentsOf(id: string): readonly Attachment[] {
		const { turns } = this.session.conversation;
		const parent = turns.find((turn) => turn.id === id)?.parent;
		return turns.find((turn) => turn.id === parent)?.attachments ?? [];
	}

	async #count(text: string): Promise<void> {
		this.#counting?.cancel();
		const source = new vscode.CancellationTokenSource();
		this.#counting = source;
		const { models, model } = this.session.state;
		const limit = (findModel(models, model) ?? models[0])?.contextLength ?? null;
		try {
			const { tokens } = await this.#deps.languageServer.request(
				'nearglot/countTokens',
				this.session.preview(text),
				source.token,
			);
			this.#post({ type: 'tokens', tokens, limit });
		} catch (error) {
			// Counting is a courtesy while typing; sending tells what is wrong.
			const { code } = asAppError(error);
			if (code !== 'cancelled') this.#post({ type: 'tokens', tokens: 0, limit });
		} finally {
			source.dispose();
		}
	}

	#postState(): void {
		this.#post({
			type: 'state',
			state: { ...this.session.state, capabilities: { editor: true } },
			strings: strings(),
		});
	}

	#post(message: HostMessage): void {
		void this.#webview?.postMessage(message);
	}
}

async function complete(
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

async function known(language: string): Promise<string> {
	const aliases: ReadonlyMap<string, string> = new Map(
		Object.entries<string>({
			bash: 'shellscript',
			sh: 'shellscript',
			js: 'javascript',
			ts: 'typescript',
			py: 'python',
			'c#': 'csharp',
			'c++': 'cpp',
			md: 'markdown',
			yml: 'yaml',
			ps1: 'powershell',
			rb: 'ruby',
			rs: 'rust',
		}),
	);
	const name = aliases.get(language.toLowerCase()) ?? language.toLowerCase();
	return (await vscode.languages.getLanguages()).includes(name) ? name : 'plaintext';
}

function strings(): Strings {
	const entries = Object.entries(chatStrings).map(([key, text]) => [key, vscode.l10n.t(text)]);
	return Object.fromEntries(entries) as Record<StringKey, string>;
}
