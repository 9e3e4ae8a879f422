/** Messages between a chat page and its host: the extension, or the studio page itself. */

import type { Attachment, Conversation, Turn } from './conversation.ts';
import type { ChatProgress } from './methods.ts';
import type { ModelInfo } from './modelTypes.ts';

/** What the page can do where it runs; decides which buttons are shown. */
export interface PageCapabilities {
	/** Insert, replace, new file and attach need an editor. */
	readonly editor: boolean;
}

/** What is offered after `/`, `@` or `#`. */
export interface Mention {
	/** By this the host knows it again when it is chosen. */
	readonly id: string;
	readonly label: string;
	readonly detail: string;
	/** Takes the place of what was typed; absent: that goes, and the host attaches what was chosen. */
	readonly insert?: string;
}

/** Something that goes along with every question while it is on. */
export interface ContextChip {
	/** The file or selection of the active editor; instructions for models that lie in the workspace. */
	readonly kind: 'editor' | 'instructions';
	readonly label: string;
	readonly on: boolean;
}

export interface PageState {
	readonly conversation: Conversation;
	/** Id of the answer that is being written. */
	readonly answering: string | null;
	readonly progress: ChatProgress | null;
	readonly models: readonly ModelInfo[];
	/** Chosen model id; empty: the first ready one. */
	readonly model: string;
	readonly attachments: readonly Attachment[];
	/** What may go along with every question; absent: nothing. */
	readonly context?: readonly ContextChip[];
	/** Names of the tools the model may call. */
	readonly tools: readonly string[];
	readonly capabilities: PageCapabilities;
}

/** A tool of the agent that waits for a person's consent. */
export interface ApprovalRequest {
	readonly id: string;
	readonly tool: string;
	/** What is to happen. */
	readonly detail: string;
	/** It can be allowed once only. */
	readonly eachTime: boolean;
}

/** `session`: until the window closes; `always`: in this workspace. */
export type ApprovalChoice = 'once' | 'session' | 'always' | 'no';

/** What the agent of a chat may do, asks and has done. */
export interface AgentState {
	/** There is a folder, and it is trusted. */
	readonly isPossible: boolean;
	readonly isOn: boolean;
	readonly approval: ApprovalRequest | null;
	/** How many things it may do without asking. */
	readonly allowed: number;
	/** Files that it has changed and nobody has decided on. */
	readonly files: readonly {
		readonly uri: string;
		readonly label: string;
		readonly isNew: boolean;
	}[];
	/** Questions whose changes can be taken back. */
	readonly questions: readonly string[];
}

/** From the host to the page. */
export type HostMessage =
	| {
			readonly type: 'state';
			readonly state: PageState;
			readonly strings: Readonly<Record<string, string>>;
	  }
	| { readonly type: 'turn'; readonly turn: Turn; readonly answering: string | null }
	/** An answer has ended; its words are those that were shown. */
	| {
			readonly type: 'end';
			readonly turn: Omit<Turn, 'text' | 'reasoning'>;
			readonly answering: string | null;
	  }
	| {
			readonly type: 'delta';
			readonly id: string;
			readonly text: string;
			readonly reasoning: string;
	  }
	| { readonly type: 'progress'; readonly progress: ChatProgress | null }
	| { readonly type: 'tokens'; readonly tokens: number; readonly limit: number | null }
	| { readonly type: 'draft'; readonly text: string }
	| { readonly type: 'agent'; readonly agent: AgentState }
	/** Whether what is said goes into the input; `takenBack`: what came of it goes again. */
	| { readonly type: 'dictating'; readonly state: 'on' | 'off' | 'takenBack' }
	/** A piece of what was said. */
	| { readonly type: 'dictated'; readonly text: string }
	| { readonly type: 'context'; readonly context: readonly ContextChip[] }
	/** Answers `mentions` with the same query. */
	| { readonly type: 'mentions'; readonly query: string; readonly items: readonly Mention[] }
	| { readonly type: 'focus' };

/** From the page to its host. */
export type PageMessage =
	| { readonly type: 'ready' }
	| { readonly type: 'ask'; readonly text: string }
	| { readonly type: 'edit'; readonly id: string; readonly text: string }
	/** Another answer to the same question; by another model when one is named. */
	| { readonly type: 'regenerate'; readonly id: string; readonly model?: string }
	| { readonly type: 'stop' }
	| { readonly type: 'show'; readonly id: string }
	| { readonly type: 'model'; readonly model: string }
	| { readonly type: 'count'; readonly text: string }
	| { readonly type: 'attach' }
	/** Turns the agent on or off. */
	| { readonly type: 'agent' }
	/** Shows what the agent may do without asking, to be taken back. */
	| { readonly type: 'allowances' }
	| { readonly type: 'approve'; readonly id: string; readonly choice: ApprovalChoice }
	/** Of a file that the agent has changed; of all when `uri` is empty. */
	| {
			readonly type: 'changes';
			readonly action: 'keep' | 'undo' | 'show';
			readonly uri: string;
	  }
	/** Takes back what the answers to the question `id` and to all after it have changed. */
	| { readonly type: 'restore'; readonly id: string }
	/** Starts to take down what is said, or finishes it. */
	| { readonly type: 'dictate' }
	/** Opens the file that what goes along with the question `id` was taken from. */
	| { readonly type: 'openAttachment'; readonly id: string; readonly index: number }
	| { readonly type: 'detach'; readonly index: number }
	/** Asks what can stand for `/…`, `@…` or `#…`; the answer is a message of the same name. */
	| { readonly type: 'mentions'; readonly query: string }
	/** Attaches what was offered. */
	| { readonly type: 'mention'; readonly id: string }
	/** Turns a part of the context on or off. */
	| { readonly type: 'context'; readonly kind: string }
	/** Attaches files of the editor that were dropped, one address a line; or the text of a file from elsewhere. */
	| { readonly type: 'dropFiles'; readonly text: string }
	| { readonly type: 'dropText'; readonly name: string; readonly text: string }
	/** Attaches an image (PNG, JPEG, WebP; base64) that was dropped or pasted. */
	| { readonly type: 'dropImage'; readonly name: string; readonly base64: string }
	/** Opens a file of the workspace: a path, then perhaps `:LINE`. */
	| { readonly type: 'openFile'; readonly path: string }
	/** Puts a command into the terminal; whoever reads it there runs it. */
	| { readonly type: 'terminal'; readonly text: string }
	| { readonly type: 'copy' | 'insert' | 'replace'; readonly text: string }
	/** Shows code of the turn `id` as a change of the file it is for. */
	| { readonly type: 'apply'; readonly id: string; readonly text: string }
	/** Asks for the list of models again, and for the choice of tools. */
	| { readonly type: 'models' | 'tools' }
	/** Leads to a choice of models to download. */
	| { readonly type: 'betterModel' }
	| { readonly type: 'newFile'; readonly text: string; readonly language: string }
	| { readonly type: 'link'; readonly href: string };
