/**
 * Messages between a chat page and its host (the extension, or the studio page itself), and the
 * texts the host gives the page in the user's language.
 */

import type {
	Attachment,
	ChatProgress,
	Conversation,
	ModelInfo,
	Turn,
} from '../server/protocol/index.ts';

/** English texts of the page; the key is the name, the value what is translated. */
export const chatStrings = {
	answering: 'Answering',
	answerFinished: 'Answer finished',
	ask: 'Ask',
	askHint: 'Ask about your code, a command, anything',
	attach: 'Attach selection',
	branch: 'Version {0} of {1}',
	cancel: 'Cancel',
	chatLog: 'Conversation',
	code: 'code',
	connecting: 'Connecting to the model server',
	copied: 'Copied',
	copy: 'Copy',
	copyAnswer: 'Copy answer',
	cutOff: 'The answer reached the length limit.',
	edit: 'Edit and ask again',
	emptyBody: 'Models run on this computer. Nothing you write leaves it.',
	emptyTitle: 'Ask anything',
	failed: 'No answer',
	insert: 'Insert at cursor',
	loading: 'Loading the model',
	model: 'Model',
	newFile: 'Open as new file',
	next: 'Next version',
	noModel: 'No model',
	previous: 'Previous version',
	prompt: 'Reading the question',
	queued: 'Waiting: {0} ahead',
	reasoning: 'Reasoning',
	regenerate: 'Ask again',
	remove: 'Remove {0}',
	replace: 'Replace selection',
	send: 'Send',
	speed: '{0} tokens, {1} per second',
	stop: 'Stop',
	stopped: 'Stopped.',
	tokens: '{0} tokens',
	tooLong: 'Too long by {0} tokens for this model ({1} of {2}).',
	you: 'You',
} as const;

export type StringKey = keyof typeof chatStrings;
export type Strings = Readonly<Record<StringKey, string>>;

/** What the page can do where it runs; decides which buttons are shown. */
export interface PageAbilities {
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
	readonly abilities: PageAbilities;
}

/** From the host to the page. */
export type HostMessage =
	| { readonly type: 'state'; readonly state: PageState; readonly strings: Strings }
	| { readonly type: 'turn'; readonly turn: Turn; readonly answering: string | null }
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
	| { readonly type: 'detach'; readonly index: number }
	| { readonly type: 'copy' | 'insert' | 'replace'; readonly text: string }
	| { readonly type: 'newFile'; readonly text: string; readonly language: string }
	| { readonly type: 'link'; readonly href: string };

const texts = (value: Record<string, unknown>, ...names: string[]) =>
	names.every((name) => typeof value[name] === 'string');

/** Which further fields a message of a type must have, all strings, but for `index`. */
const fields: Record<PageMessage['type'], readonly string[]> = {
	ready: [],
	ask: ['text'],
	edit: ['id', 'text'],
	regenerate: ['id'],
	stop: [],
	show: ['id'],
	model: ['model'],
	count: ['text'],
	attach: [],
	detach: [],
	copy: ['text'],
	insert: ['text'],
	replace: ['text'],
	newFile: ['text', 'language'],
	link: ['href'],
};

/** Checks what came out of a page: it is input like any other. `undefined` when it is not valid. */
export function parsePageMessage(value: unknown): PageMessage | undefined {
	if (typeof value !== 'object' || value === null) return undefined;
	const message = value as Record<string, unknown>;
	const type = message['type'];
	if (typeof type !== 'string' || !Object.hasOwn(fields, type)) return undefined;
	if (!texts(message, ...(fields[type as PageMessage['type']] ?? []))) return undefined;
	if (type === 'detach' && !Number.isInteger(message['index'])) return undefined;
	return message as unknown as PageMessage;
}
