/** Messages between a chat page and its host: the extension, or the studio page itself. */

import type { Attachment, Conversation, Turn } from './conversation.ts';
import type { ChatProgress } from './methods.ts';
import type { ModelInfo } from './modelTypes.ts';

/** What the page can do where it runs; decides which buttons are shown. */
export interface PageCapabilities {
	/** Insert, replace, new file and attach need an editor. */
	readonly editor: boolean;
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
	/** Names of the tools the model may call. */
	readonly tools: readonly string[];
	readonly capabilities: PageCapabilities;
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
	| { readonly type: 'focus' };

/** From the page to its host. */
export type PageMessage =
	| { readonly type: 'ready' }
	| { readonly type: 'ask'; readonly text: string }
	| { readonly type: 'edit'; readonly id: string; readonly text: string }
	| { readonly type: 'regenerate'; readonly id: string }
	| { readonly type: 'stop' }
	| { readonly type: 'show'; readonly id: string }
	| { readonly type: 'model'; readonly model: string }
	| { readonly type: 'count'; readonly text: string }
	| { readonly type: 'attach' }
	/** Opens the file that what goes along with the question `id` was taken from. */
	| { readonly type: 'openAttachment'; readonly id: string; readonly index: number }
	| { readonly type: 'detach'; readonly index: number }
	| { readonly type: 'copy' | 'insert' | 'replace'; readonly text: string }
	/** Shows code of the turn `id` as a change of the file it is for. */
	| { readonly type: 'apply'; readonly id: string; readonly text: string }
	/** Asks for the list of models again, and for the choice of tools. */
	| { readonly type: 'models' | 'tools' }
	| { readonly type: 'newFile'; readonly text: string; readonly language: string }
	| { readonly type: 'link'; readonly href: string };
