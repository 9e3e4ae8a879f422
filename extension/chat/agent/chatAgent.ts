/** The agent of one chat: its tools, what it was allowed, and what it has changed. */

import { join } from 'node:path';
import * as vscode from 'vscode';
import {
	type AgentState,
	AppError,
	type ChatSession,
	inReadersLanguage,
	type ModelInfo,
	type PageMessage,
	type ToolSet,
} from '../../../server/protocol/index.ts';
import { showError } from '../../notify.ts';
import { callInput } from '../messageConvert.ts';
import { type AgentTool, agentTools, type ToolInput } from './agentTools.ts';
import type { Allowances } from './allowances.ts';
import { Approvals } from './approvals.ts';
import { ChangesFile } from './changesFile.ts';
import { chooseAllowances } from './chooseAllowances.ts';
import { refuseWhileAnswering, restoreFiles } from './restoreFiles.ts';
import { filesOf, TurnChanges } from './turnChanges.ts';

export interface ChatAgentDeps {
	/** What is allowed for longer than once. */
	readonly allowances: Allowances;
	/** Where what files held is kept, one file a chat. */
	readonly folder: string;
	readonly session: () => ChatSession;
	/** Takes into the session what other windows have added to its chat. */
	readonly join: () => Promise<void>;
	/** Shows a file beside what it was. */
	readonly show: (uri: string, before: string | null) => Promise<void>;
	readonly onChange: (state: AgentState) => void;
}

type AgentMessage = Extract<
	PageMessage,
	{ type: 'agent' | 'allowances' | 'approve' | 'changes' | 'restore' }
>;

/** Calls of tools after which an answer is ended. */
const maxRounds = 40;

const tools = new Map<string, AgentTool>(
	agentTools.map((tool) => [tool.definition.function.name, tool]),
);

export class ChatAgent {
	readonly #deps: ChatAgentDeps;
	readonly #approvals: Approvals;
	#isOn = false;
	#allowed = 0;
	/** Grows with each change that is shown. */
	#shown = 0;
	/** As they were on the disk last. */
	#changes = new TurnChanges();
	/** The chat the changes are of, and where they are kept. */
	#chat = '';
	#file: ChangesFile;
	#opened: Promise<void> = Promise.resolve();

	constructor(deps: ChatAgentDeps) {
		this.#deps = deps;
		this.#approvals = new Approvals(deps.allowances, () => this.#notify(), showError);
		this.#file = this.#fileOf('');
	}

	/** For the page. */
	get state(): AgentState {
		const { isTrusted, workspaceFolders = [] } = vscode.workspace;
		return {
			isPossible: isTrusted && workspaceFolders.length > 0,
			isOn: this.#isOn,
			approval: this.#approvals.request,
			allowed: this.#allowed,
			files: this.#changes.files.map(({ uri, before }) => ({
				uri,
				label: vscode.workspace.asRelativePath(vscode.Uri.parse(uri, true)),
				isNew: before === null,
			})),
			questions: this.#changes.questions,
		};
	}

	/** While a page shows the chat: what is allowed, and what other windows do to the chat, is told when it changes. */
	follow(): vscode.Disposable {
		const refresh = () => void this.#refresh().catch(showError);
		return vscode.Disposable.from(
			new vscode.Disposable(this.#deps.allowances.onChange(refresh)),
			vscode.window.onDidChangeWindowState(({ focused }) => {
				if (focused) refresh();
			}),
		);
	}

	/** The tools of a chat with those of the agent, where it is on and the model can call them. */
	toolSet(model: ModelInfo | undefined, others: ToolSet): ToolSet {
		if (!this.#isOn || !this.state.isPossible || !model?.supportsToolCalling) return others;
		return {
			tools: [...agentTools.map(({ definition }) => definition), ...others.tools],
			maxRounds,
			run: (name, input, signal) => {
				const tool = tools.get(name);
				return tool
					? this.#run(tool, callInput(input) as ToolInput, signal)
					: others.run(name, input, signal);
			},
		};
	}

	/** Another chat is shown. Resolves when its changes are known. */
	open(): Promise<void> {
		const { id } = this.#deps.session().conversation;
		if (id !== this.#chat) {
			this.#chat = id;
			this.#file = this.#fileOf(id);
			this.#changes = new TurnChanges();
			this.#opened = this.#read();
		}
		return this.#opened;
	}

	/** What is on the disk now. */
	async #read(): Promise<void> {
		const [file, shown] = [this.#file, this.#shown];
		this.#allowed = (await this.#deps.allowances.list()).length;
		const changes = await file.read();
		// What was changed meanwhile is newer than what was read.
		if (shown === this.#shown) this.#show(file, changes);
		else this.#notify();
	}

	/** What other windows have done since. */
	async #refresh(): Promise<void> {
		await this.open();
		await this.#deps.join();
		await this.#read();
	}

	async handle(message: AgentMessage): Promise<void> {
		await this.open();
		switch (message.type) {
			case 'agent':
				this.#isOn = !this.#isOn;
				return this.#notify();
			case 'allowances':
				return chooseAllowances(this.#deps.allowances);
			case 'approve':
				return this.#approvals.decide(message.id, message.choice);
			case 'changes':
				return this.#decide(message.action, message.uri === '' ? undefined : message.uri);
			case 'restore':
				return this.#restore(message.id);
		}
	}

	async #run(tool: AgentTool, input: ToolInput, signal: AbortSignal): Promise<string> {
		const { name } = tool.definition.function;
		if (!this.#isOn) throw new AppError('forbidden', 'The user has switched the agent off.');
		const consent = tool.consent?.(input);
		if (consent && !(await this.#approvals.ask({ tool: name, ...consent }, signal)))
			throw new AppError(
				signal.aborted ? 'cancelled' : 'forbidden',
				'The user did not allow this. Do not try it again; go on without it, or ask.',
			);
		await this.open();
		// Another chat may be shown before the tool has ended.
		const [file, question] = [this.#file, this.#question()];
		const change = async (work: (changes: TurnChanges) => void) =>
			this.#show(file, await file.change(work));
		const run = () =>
			tool.run(input, {
				signal,
				// What a file held is on the disk before it is changed.
				remember: (uri, before) =>
					change((changes) => changes.remember(question, uri.toString(), before ?? null)),
				changed: (uri, after) =>
					change((changes) => changes.changed(question, uri.toString(), after)),
				forget: (uri) => change((changes) => changes.forget(question, uri.toString())),
			});
		// What needs no consent changes nothing.
		return consent ? file.working(run) : run();
	}

	/** The question that is being answered. */
	#question(): string {
		const { conversation, answering } = this.#deps.session().state;
		return conversation.turns.find(({ id }) => id === answering)?.parent ?? '';
	}

	/** @param uri of one file; of all when absent */
	async #decide(action: 'keep' | 'undo' | 'show', uri: string | undefined): Promise<void> {
		// What a person leaves as it is, is what they were shown.
		const shown = this.#changes.of(uri);
		if (action === 'keep') return this.#drop(shown);
		await this.#read();
		const now = this.#changes.of(uri);
		const files = filesOf(now);
		if (action === 'show') {
			const [file] = files;
			if (file) await this.#deps.show(file.uri, file.before);
			return;
		}
		await this.#refuseWhileAnswering();
		const done = await restoreFiles(files);
		await this.#drop(now.filter((one) => done.includes(one.uri)));
	}

	/** Takes back what the answers to a question and to all after it have changed. */
	async #restore(question: string): Promise<void> {
		await this.#refresh();
		await this.#refuseWhileAnswering();
		const { conversation } = this.#deps.session();
		const changes = this.#changes.since(
			question,
			conversation.turns.map(({ id }) => id),
		);
		const done = await restoreFiles(filesOf(changes));
		await this.#drop(changes.filter((one) => done.includes(one.uri)));
	}

	/** While an answer is written, here or in another window, its tools may change the files. */
	async #refuseWhileAnswering(): Promise<void> {
		refuseWhileAnswering(this.#deps.session().state.answering);
		if (await this.#file.isOtherWorking())
			throw inReadersLanguage(
				'conflict',
				vscode.l10n.t(
					'An answer of this chat is still changing files in another window. Wait for it, or stop it there.',
				),
			);
	}

	async #drop(decided: TurnChanges['all']): Promise<void> {
		const file = this.#file;
		this.#show(file, await file.change((changes) => changes.drop(decided)));
	}

	/** Tells what a file of changes holds, where its chat is still the one that is shown. */
	#show(file: ChangesFile, changes: TurnChanges): void {
		this.#shown++;
		if (file === this.#file) this.#changes = changes;
		this.#notify();
	}

	#fileOf(chat: string): ChangesFile {
		return new ChangesFile(join(this.#deps.folder, `${chat.replace(/[^\w-]/g, '')}.json`));
	}

	#notify(): void {
		this.#deps.onChange(this.state);
	}
}
