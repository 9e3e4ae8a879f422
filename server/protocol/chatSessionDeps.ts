/** What a chat needs of where it runs. */

import type { HostMessage } from './chatPageMessages.ts';
import type { Conversation } from './conversation.ts';
import type { AppError } from './errors.ts';
import type { ChatDelta, ChatEnd, ChatParams } from './methods.ts';
import type { ModelInfo } from './modelTypes.ts';
import type { ToolSet } from './toolLoop.ts';

export interface ChatSessionDeps {
	/** Streams an answer, all its words as deltas; rejects with AppError. */
	readonly complete: (
		params: ChatParams,
		onDelta: (delta: ChatDelta) => void,
		signal: AbortSignal,
	) => Promise<ChatEnd>;
	/** Tools the chosen model may use; without it, none. */
	readonly tools?: (model: ModelInfo | undefined) => ToolSet;
	readonly save: (conversation: Conversation) => Promise<void>;
	readonly post: (message: HostMessage) => void;
	/** Puts the message of an error into the language of whoever chats. */
	readonly localised?: (error: AppError) => AppError;
	readonly id: () => string;
	readonly now: () => Date;
	/** Runs something later; returns what takes it back. */
	readonly later?: (ms: number, run: () => void) => () => void;
}

export interface QuestionOptions {
	readonly instruction?: string;
	readonly complete?: ChatSessionDeps['complete'];
}
