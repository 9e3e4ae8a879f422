/** The agent of one chat: its tools, what it was allowed, and what it has changed. */

import { join } from 'node:path';
import * as vscode from 'vscode';
import {
	type AgentState,
	AppError,
	type ChatSession,
	type ModelInfo,
	type PageMessage,
	type ToolSet,
} from '../../../server/protocol/index.ts';
import { readPlainText, writePrivateFile } from '../../../server/store/files.ts';
import { removePath } from '../../../server/store/movePath.ts';
import { makePrivateFolder } from '../../privateFiles.ts';
import { callInput } from '../messageConvert.ts';
import { type AgentTool, agentTools, type ToolInput } from './agentTools.ts';
import { Approvals } from './approvals.ts';
import { refuseWhileAnswering, restoreFiles } from './restoreFiles.ts';
import { type FileBefore, TurnChanges } from './turnChanges.ts';

export interface ChatAgentDeps {
	/** What is allowed *always*, in this workspace. */
	readonly memory: vscode.Memento;
	/** Where what files held is kept, one file a chat. */
	readonly folder: string;
	readonly session: () => ChatSession;
	/** Shows a file beside what it was. */
	readonly show: (uri: string, before: string | null) => Promise<void>;
	readonly onChange: (state: AgentState) => void;
}

type AgentMessage = Extract<PageMessage, { type: 'agent' | 'approve' | 'changes' | 'restore' }>;

/** Calls of tools after which an answer is ended. */
const maxRounds = 40;

const tools = new Map<string, AgentTool>(
	agentTools.map((tool) => [tool.definition.function.name, tool]),
);

export class ChatAgent {
	readonly #deps: ChatAgentDeps;
	readonly #approvals: Approvals;
	#isOn = false;
	#changes = new TurnChanges();
	/** The chat the changes are of. */
	#chat = '';
	#opened: Promise<void> = Promise.resolve();

	constructor(deps: ChatAgentDeps) {
		this.#deps = deps;
		this.#approvals = new Approvals(deps.memory, () => this.#notify());
	}

	/** For the page. */
	get state(): AgentState {
		const { isTrusted, workspaceFolders = [] } = vscode.workspace;
		return {
			isPossible: isTrusted && workspaceFolders.length > 0,
			isOn: this.#isOn,
			approval: this.#approvals.request,
			files: this.#changes.files.map(({ uri, before }) => ({
				uri,
				label: vscode.workspace.asRelativePath(vscode.Uri.parse(uri, true)),
				isNew: before === null,
			})),
			questions: this.#changes.questions,
		};
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

	/** Another chat is shown. Resolves when its changes are known: those that come before would take their place. */
	open(): Promise<void> {
		const { id } = this.#deps.session().conversation;
		if (id !== this.#chat) {
			this.#chat = id;
			this.#changes = new TurnChanges();
			this.#opened = this.#read(id);
		}
		return this.#opened;
	}

	async #read(id: string): Promise<void> {
		const text = await readPlainText(this.#file(id)).catch(() => undefined);
		if (this.#chat !== id) return;
		if (text !== undefined) this.#changes = new TurnChanges(filesIn(text));
		this.#notify();
	}

	async handle(message: AgentMessage): Promise<void> {
		await this.open();
		switch (message.type) {
			case 'agent':
				this.#isOn = !this.#isOn;
				return this.#notify();
			case 'approve':
				return this.#approvals.decide(message.id, message.choice);
			case 'changes':
				return this.#decide(message.action, message.uri);
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
		const [chat, changes, question] = [this.#chat, this.#changes, this.#question()];
		return tool.run(input, {
			signal,
			remember: async (uri, before) => {
				changes.remember(question, uri.toString(), before ?? null);
				// What a file held is on the disk before it is changed.
				await this.#save(chat, changes);
			},
			changed: async (uri, after) => {
				changes.changed(question, uri.toString(), after);
				await this.#save(chat, changes);
			},
			forget: async (uri) => {
				changes.forget(question, uri.toString());
				await this.#save(chat, changes);
			},
		});
	}

	/** The question that is being answered. */
	#question(): string {
		const { conversation, answering } = this.#deps.session().state;
		return conversation.turns.find(({ id }) => id === answering)?.parent ?? '';
	}

	async #decide(action: 'keep' | 'undo' | 'show', uri: string): Promise<void> {
		const files = this.#changes.files.filter((file) => uri === '' || file.uri === uri);
		if (action === 'show') {
			const [file] = files;
			if (file) await this.#deps.show(file.uri, file.before);
			return;
		}
		if (action === 'undo') refuseWhileAnswering(this.#deps.session().state.answering);
		const done = action === 'keep' ? files.map((file) => file.uri) : await restoreFiles(files);
		for (const one of done) this.#changes.keep(one);
		await this.#save(this.#chat, this.#changes);
	}

	/** Takes back what the answers to a question and to all after it have changed. */
	async #restore(question: string): Promise<void> {
		const { conversation, answering } = this.#deps.session().state;
		refuseWhileAnswering(answering);
		const order = conversation.turns.map(({ id }) => id);
		const files = this.#changes.since(question, order);
		this.#changes.restored(question, order, await restoreFiles(files));
		await this.#save(this.#chat, this.#changes);
	}

	async #save(chat: string, changes: TurnChanges): Promise<void> {
		const file = this.#file(chat);
		if (changes.all.length === 0) await removePath(file, { force: true });
		else {
			await makePrivateFolder(this.#deps.folder);
			await writePrivateFile(file, JSON.stringify(changes.all));
		}
		this.#notify();
	}

	#file(id: string): string {
		return join(this.#deps.folder, `${id.replace(/[^\w-]/g, '')}.json`);
	}

	#notify(): void {
		this.#deps.onChange(this.state);
	}
}

/** What a file of changes holds; what is no such file holds none. */
function filesIn(text: string): FileBefore[] {
	try {
		const value: unknown = JSON.parse(text);
		return Array.isArray(value) ? (value as FileBefore[]) : [];
	} catch {
		return [];
	}
}
