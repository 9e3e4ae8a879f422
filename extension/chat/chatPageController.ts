/** Binds a chat to a webview: hands messages both ways and does what needs the editor. */

import * as vscode from 'vscode';
import {
	type Attachment,
	asAppError,
	ChatSession,
	type Conversation,
	choosableChatModels,
	findModel,
	inReadersLanguage,
	type ModelInfo,
	readSlashCommand,
	slashCommands,
	usualChatModel,
} from '../../server/protocol/index.ts';
import { type HostMessage, type PageMessage, parsePageMessage } from '../../webview/protocol.ts';
import type { LanguageServerClient } from '../languageServerClient.ts';
import { localised, showError } from '../notify.ts';
import { chatSampling, setting, storeSetting } from '../settings.ts';
import { ChatAgent, type ChatAgentDeps } from './agent/chatAgent.ts';
import { answerOfServer } from './answerOfServer.ts';
import {
	fileAttachment,
	imageAttachment,
	selectionAttachment,
	textAttachment,
} from './attachSelection.ts';
import { ChatMentions } from './chatMentions.ts';
import type { ChatStore } from './chatStore.ts';
import { chooseAttachment } from './chooseAttachment.ts';
import type { ChosenTools } from './chosenTools.ts';
import { type Dictation, dictateQuestion } from './dictateQuestion.ts';
import { changesAttachment } from './gitChanges.ts';
import { insertCode, openNewFile } from './insertCode.ts';
import { joinKept } from './joinKept.ts';
import { lastTextEditor } from './lastTextEditor.ts';
import { openReference } from './openReference.ts';
import { pageHtml, pageOptions } from './pageHtml.ts';
import { pageStrings } from './pageStrings.ts';
import { sendQuestion } from './promptQuestion.ts';
import type { Proposals } from './proposals.ts';
import { QuestionContext } from './questionContext.ts';
import { putIntoTerminal } from './toTerminal.ts';
import { translateQuestion } from './translateQuestion.ts';
import { openAttachment, sendWorkspaceQuestion } from './workspaceQuestions.ts';

export interface ChatPageControllerDeps {
	readonly languageServer: LanguageServerClient;
	readonly store: ChatStore;
	readonly extensionUri: vscode.Uri;
	/** What was allowed, and where what files held before is kept. */
	readonly agent: Pick<ChatAgentDeps, 'allowances' | 'folder'>;
	readonly proposals: Proposals;
	readonly tools: ChosenTools;
	readonly dictation: Dictation;
	/** Fires when other models can be asked. */
	readonly onModelsChanged: vscode.Event<void>;
	/** Whether this page's chat is the one the workspace shows again after a reload. */
	readonly remembered: boolean;
}

/** A chat and the webview that shows it, which may come and go. */
export class ChatPageController {
	readonly #deps: ChatPageControllerDeps;
	readonly session: ChatSession;
	readonly #mentions = new ChatMentions();
	readonly #context = new QuestionContext();
	readonly #agent: ChatAgent;
	#chips = '';
	#webview: vscode.Webview | undefined;
	#listening: vscode.Disposable | undefined;
	#draft: string | undefined;
	#counting: vscode.CancellationTokenSource | undefined;

	constructor(deps: ChatPageControllerDeps) {
		this.#deps = deps;
		this.session = new ChatSession(
			{
				complete: (params, onDelta, signal) =>
					answerOfServer(
						deps.languageServer,
						this.#context.withInstructions({ ...chatSampling(), ...params }, this.#model()),
						onDelta,
						signal,
					),
				tools: (model) => this.#agent.toolSet(model, deps.tools.toolSet(model)),
				save: async (conversation) => {
					joinKept(this, deps.store, conversation.id, await deps.store.save(conversation));
					if (deps.remembered) await deps.store.remember(conversation.id);
				},
				localised,
				post: (message) => this.#post(message),
				id: () => crypto.randomUUID(),
				now: () => new Date(),
			},
			{ model: setting('chat.model'), system: setting('chat.systemPrompt') },
		);
		this.#agent = new ChatAgent({
			...deps.agent,
			session: () => this.session,
			join: async () => {
				const { id } = this.session.conversation;
				joinKept(this, deps.store, id, await deps.store.kept(id));
			},
			show: async (address, before) => {
				const uri = vscode.Uri.parse(address, true);
				if (before === null) await vscode.window.showTextDocument(uri);
				else await deps.proposals.showBefore(uri, before);
			},
			onChange: (agent) => this.#post({ type: 'agent', agent }),
		});
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
			this.#context.follow(() => this.#postContext()),
			this.#agent.follow(),
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

	/** A list has given the chat another title, or pinned it. */
	relabel(id: string, label: Pick<Conversation, 'title' | 'pinned'>): void {
		this.session.relabel(id, label);
		this.#postState();
	}

	async openChat(id: string): Promise<void> {
		const conversation = await this.#deps.store.load(id);
		if (!conversation)
			throw inReadersLanguage('not_found', vscode.l10n.t('This chat is no longer there.'));
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
		await this.#deps.tools.choose(this.#model());
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
				return session.regenerate(message.id, message.model);
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
			case 'agent':
			case 'allowances':
			case 'approve':
			case 'changes':
			case 'restore':
				return this.#agent.handle(message);
			case 'dictate':
				return dictateQuestion(this.#deps.dictation, (told) => this.#post(told));
			case 'detach':
				session.detach(message.index);
				return this.#postState();
			case 'openAttachment':
				return openAttachment(session, message.id, message.index);
			case 'mentions': {
				const items = await this.#mentions.offer(message.query);
				return this.#post({ type: 'mentions', query: message.query, items });
			}
			case 'mention': {
				const attachment = await this.#mentions.attachment(message.id);
				if (attachment) this.attach(attachment);
				return;
			}
			case 'context':
				this.#context.toggle(message.kind, this.#model());
				return this.#postState();
			case 'dropFiles':
				for (const line of message.text.split(/\r?\n/).filter((one) => one !== ''))
					this.attach(await fileAttachment(vscode.Uri.parse(line, true)));
				return;
			case 'dropText':
				return this.attach(textAttachment(message.name, message.text));
			case 'dropImage':
				return this.attach(imageAttachment(message.name, message.base64));
			case 'openFile':
				return openReference(message.path);
			case 'terminal':
				return putIntoTerminal(message.text);
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
			case 'betterModel':
				await vscode.commands.executeCommand('nearglot.models.suggest', 'chat-completion');
				return;
			case 'newFile':
				return openNewFile(message.text, message.language);
			case 'link': {
				const uri = vscode.Uri.parse(message.href);
				if (uri.scheme === 'https' || uri.scheme === 'http') await vscode.env.openExternal(uri);
			}
		}
	}

	/** Sends a question; one that cannot be sent goes back into the input. */
	async #ask(text: string): Promise<void> {
		const { leaf } = this.session.conversation;
		try {
			await this.#send(text);
		} catch (error) {
			if (this.session.conversation.leaf === leaf) this.#post({ type: 'draft', text });
			throw error;
		}
	}

	/** A question, or a slash command with what it needs from the editor. */
	async #send(text: string): Promise<void> {
		if (await sendWorkspaceQuestion(this.#deps.languageServer, this.session, text)) return;
		await this.#context.refresh();
		for (const own of this.#context.attachments(this.session.state.attachments))
			this.session.attach(own);
		const command = readSlashCommand(text);
		if (!command) return sendQuestion(this.session, text);
		if (command.name === 'translate')
			return translateQuestion(this.#deps.languageServer, this.session, text, command.rest);
		const { instruction, attaches } = slashCommands.get(command.name) ?? {};
		if (attaches && this.session.state.attachments.length === 0) {
			if (command.name === 'commit') this.session.attach(await changesAttachment());
			else if (lastTextEditor()) this.session.attach(selectionAttachment());
		}
		await this.session.send(text, instruction === undefined ? {} : { instruction });
	}

	async #ready(): Promise<void> {
		await this.#context.refresh();
		this.#post({ type: 'agent', agent: this.#agent.state });
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
		this.session.models = choosableChatModels(models);
		this.#postState();
	}

	/** The model that is asked. */
	#model(): ModelInfo | undefined {
		const { models, model } = this.session.state;
		return findModel(models, model) ?? usualChatModel(models);
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
		const model = this.#model();
		const limit = model?.contextLength ?? null;
		const own = this.#context.attachments(this.session.state.attachments);
		try {
			const { tokens } = await this.#deps.languageServer.request(
				'nearglot/countTokens',
				this.#context.withInstructions(this.session.preview(text, own), model),
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

	/** The chips alone: a chat may be long, and the cursor moves often. */
	#postContext(): void {
		const context = this.#context.chips(this.#model());
		const chips = JSON.stringify(context);
		if (chips === this.#chips) return;
		this.#chips = chips;
		this.#post({ type: 'context', context });
	}

	#postState(): void {
		void this.#agent.open().catch(showError);
		const context = this.#context.chips(this.#model());
		this.#chips = JSON.stringify(context);
		this.#post({
			type: 'state',
			state: {
				...this.session.state,
				context,
				capabilities: { editor: true },
			},
			strings: pageStrings(),
		});
	}

	#post(message: HostMessage): void {
		void this.#webview?.postMessage(message);
	}
}
