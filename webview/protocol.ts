/**
 * Messages between a chat page and its host (the extension, or the studio page itself), and the
 * texts the host gives the page in the user's language.
 */

import type { PageMessage } from '../server/protocol/index.ts';

export type {
	ContextChip,
	HostMessage,
	Mention,
	PageCapabilities,
	PageMessage,
	PageState,
} from '../server/protocol/index.ts';

export { reviewStrings } from './reviewStrings.ts';
export { microphoneStrings, transcriptStrings } from './transcriptStrings.ts';

/** English texts of the page; the key is the name, the value what is translated. */
export const chatStrings = {
	answering: 'Answering',
	addToQuestion: 'Send {0} along with each question',
	answerFinished: 'Answer finished',
	apply: 'Compare with the file',
	applyShort: 'Compare',
	ask: 'Ask',
	askHint: 'Ask about your code, a command, anything',
	attach: 'Attach …',
	betterModel: 'For code and everything else: get a model',
	blind: '{0} does not see images. Choose a model that does.',
	brokenOff: 'The answer broke off',
	branch: 'Version {0} of {1}',
	cancel: 'Cancel',
	chatLog: 'Conversation',
	code: 'code',
	compare: 'Answers side by side',
	compareEnd: 'Show one answer',
	compareWith: 'Ask another model',
	connecting: 'Connecting to the model server',
	continueWith: 'Continue with this answer',
	copied: 'Copied',
	copy: 'Copy',
	copyAnswer: 'Copy answer',
	cut: 'The model does not read what is above',
	cutOff: 'The answer reached the length limit.',
	diagram: 'Diagram. “Source” shows it as text.',
	diagramSource: 'Source',
	dictate: 'Dictate the question',
	dictateEnd: 'Finish dictating',
	edit: 'Edit and ask again',
	emptyBody: 'Models run on this computer. Nothing you write leaves it.',
	emptyTeam: 'What you write here goes to your team server.',
	emptyElsewhere: 'What you ask goes to {0}, where this model runs.',
	emptyBuiltIn: 'This small built-in model knows shell commands and Nearglot itself.',
	emptyTitle: 'Ask anything',
	emptyTitleBuiltIn: 'Ask for a command',
	failed: 'No answer',
	hideActions: 'Fewer actions',
	insert: 'Insert at cursor',
	leaveOut: 'Leave {0} out of the questions',
	interrupted: 'The window was closed before this answer was finished.',
	loading: 'Loading the model',
	mentions: 'Commands and context',
	model: 'Model',
	moreActions: 'More actions',
	newFile: 'Open as new file',
	openFile: 'Open {0}',
	newest: 'Newest',
	next: 'Next version',
	noImage: '{0} cannot be read as an image.',
	noModel: 'No model',
	here: 'This computer',
	team: 'Team · {0}',
	elsewhere: 'Engines on other machines',
	previous: 'Previous version',
	prompt: 'Reading the question',
	queued: 'Waiting: place {0} in the queue',
	reasoning: 'Reasoning',
	regenerate: 'Ask again',
	remove: 'Remove {0}',
	replace: 'Replace selection',
	send: 'Send',
	speed: '{0} tokens, {1} per second',
	stop: 'Stop',
	stopped: 'Stopped.',
	readAloud: 'Read aloud',
	terminal: 'Terminal',
	toTerminal: 'Put into the terminal',
	tokens: '{0} tokens',
	tokensOf: '{0} of {1} tokens',
	toolArguments: 'Arguments',
	toolFailed: '{0}: failed',
	toolResult: 'Result',
	toolRunning: '{0} is running',
	tools: 'Tools: {0}',
	toolUsed: '{0} answered',
	tooLong:
		'Too long by {0} tokens for this model ({1} of {2}). Shorten the question or what is attached, or choose another model.',
	tryAgain: 'Try again',
	you: 'You',
	agent: 'Agent',
	agentHint:
		'The model may read and change files of this workspace, and run commands when you allow it',
	agentUnable: 'The chosen model cannot call tools; another one may.',
	allowAlways: 'Always here',
	allowNo: 'Do not allow',
	allowOnce: 'Allow once',
	allowSession: 'In this session',
	allowed: 'Allowed without asking: {0}',
	allowedHint: 'Show what the agent may do without asking, and take it back',
	asksConsent: 'The model wants to use {0}',
	asksEdit: 'The model wants to change a file',
	asksRead: 'The model wants to read a file',
	asksRun: 'The model wants to run a command',
	changedFiles: 'Changed files: {0}',
	keepAll: 'Keep all',
	keepFile: 'Keep {0}',
	restore: 'Take back what was changed from here on',
	showChange: 'Show what has changed in {0}',
	undoAll: 'Undo all',
	undoFile: 'Undo {0}',
} as const;

export type StringKey = keyof typeof chatStrings;
export type Strings = Readonly<Record<StringKey, string>>;

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
	dictate: [],
	agent: [],
	allowances: [],
	approve: ['id', 'choice'],
	changes: ['action', 'uri'],
	restore: ['id'],
	detach: [],
	mentions: ['query'],
	mention: ['id'],
	context: ['kind'],
	dropFiles: ['text'],
	dropText: ['name', 'text'],
	dropImage: ['name', 'base64'],
	openFile: ['path'],
	terminal: ['text'],
	openAttachment: ['id'],
	copy: ['text'],
	insert: ['text'],
	replace: ['text'],
	apply: ['id', 'text'],
	models: [],
	tools: [],
	betterModel: [],
	newFile: ['text', 'language'],
	link: ['href'],
};

const choices = ['once', 'session', 'always', 'no'];
const actions = ['keep', 'undo', 'show'];

/** Checks what came out of a page: it is input like any other. `undefined` when it is not valid. */
export function parsePageMessage(value: unknown): PageMessage | undefined {
	if (typeof value !== 'object' || value === null) return undefined;
	const message = value as Record<string, unknown>;
	const type = message['type'];
	if (typeof type !== 'string' || !Object.hasOwn(fields, type)) return undefined;
	if (!texts(message, ...(fields[type as PageMessage['type']] ?? []))) return undefined;
	if (message['model'] !== undefined && typeof message['model'] !== 'string') return undefined;
	if (type === 'approve' && !choices.includes(String(message['choice']))) return undefined;
	if (type === 'changes' && !actions.includes(String(message['action']))) return undefined;
	if (['detach', 'openAttachment'].includes(type) && !Number.isInteger(message['index']))
		return undefined;
	return message as unknown as PageMessage;
}
