/** A chat as people keep it: a tree of turns, so that editing a question keeps the old answer. */

import type { ChatMessage, FinishReason, Timings, Usage } from './chatTypes.ts';
import type { ErrorWire } from './errorWire.ts';
import type { TextRange } from './textRange.ts';
import { stepMessages, type ToolStep } from './toolLoop.ts';

/** Something of the editor sent along with a question. */
export interface Attachment {
	/** Path and lines as people read them, such as `src/a.ts:3-9`. */
	readonly label: string;
	/** Language identifier of the editor; the fence's info string. */
	readonly language: string;
	readonly text: string;
	/** Instead of a text: an image (PNG, JPEG, WebP), in base64. */
	readonly image?: string;
	/** Where it was taken from, so that changed code finds its way back. */
	readonly source?: {
		readonly uri: string;
		/** Absent: the whole file. */
		readonly range?: TextRange;
	};
}

export interface Turn {
	readonly id: string;
	/** The turn this one follows; `null` for the first. */
	readonly parent: string | null;
	readonly role: 'user' | 'assistant';
	readonly text: string;
	/** What a slash command puts before the question; sent, not shown. */
	readonly instruction?: string;
	readonly reasoning?: string;
	/** Tools the model called before `text`. */
	readonly steps?: readonly ToolStep[];
	readonly attachments?: readonly Attachment[];
	/** Model that answered. */
	readonly model?: string;
	readonly finishReason?: FinishReason | 'stopped';
	readonly error?: ErrorWire;
	readonly usage?: Usage;
	readonly timings?: Timings;
	/** Questions of the branch, from the first, that the model of this answer did not read. */
	readonly omittedTurns?: number;
	/** ISO 8601. */
	readonly createdAt: string;
}

export interface Conversation {
	readonly id: string;
	readonly title: string;
	/** Instructions put before the first turn; empty: none. */
	readonly system: string;
	/** ISO 8601. */
	readonly createdAt: string;
	/** ISO 8601. */
	readonly updatedAt: string;
	readonly turns: readonly Turn[];
	/** Kept at the top of lists. */
	readonly pinned?: boolean;
	/** Last turn of the branch that is shown; `null` while empty. */
	readonly leaf: string | null;
}

/** Turns of the shown branch, first to last. */
export function branch(conversation: Conversation, leaf = conversation.leaf): Turn[] {
	const byId = new Map(conversation.turns.map((turn) => [turn.id, turn]));
	const path: Turn[] = [];
	for (let id = leaf; id !== null; ) {
		const turn = byId.get(id);
		if (!turn || path.includes(turn)) break;
		path.unshift(turn);
		id = turn.parent;
	}
	return path;
}

/** Turns with the same parent as a turn, itself included, oldest first. */
export function siblings(conversation: Conversation, turn: Turn): Turn[] {
	return conversation.turns.filter(
		(other) => other.parent === turn.parent && other.role === turn.role,
	);
}

/** The newest turn below a turn (itself when nothing follows): where its branch ends. */
export function newestLeaf(conversation: Conversation, id: string): string {
	let leaf = id;
	for (;;) {
		const next = conversation.turns.filter((turn) => turn.parent === leaf).at(-1);
		if (!next) return leaf;
		leaf = next.id;
	}
}

/** Adds a turn and shows its branch. */
export function addTurn(conversation: Conversation, turn: Turn): Conversation {
	return {
		...conversation,
		turns: [...conversation.turns, turn],
		leaf: turn.id,
		updatedAt: turn.createdAt,
		title: conversation.title || firstTitle(turn.text),
	};
}

/** Replaces the turn with the same id. */
export function updateTurn(conversation: Conversation, turn: Turn): Conversation {
	return {
		...conversation,
		turns: conversation.turns.map((other) => (other.id === turn.id ? turn : other)),
	};
}

/** The messages that are sent for a branch: system, then turns; failed answers are left out. */
export function messagesOf(conversation: Conversation, leaf: string | null): ChatMessage[] {
	const messages: ChatMessage[] = [];
	if (conversation.system.trim() !== '') {
		messages.push({ role: 'system', content: conversation.system });
	}
	for (const turn of branch(conversation, leaf)) {
		if (turn.role === 'user') messages.push(question(turn));
		else {
			messages.push(...(turn.steps ?? []).flatMap(stepMessages));
			if (turn.text !== '') messages.push({ role: 'assistant', content: turn.text });
		}
	}
	return messages;
}

/** The oldest question the newest answer's model has read; `undefined` when it has read all. */
export function firstRead(turns: readonly Turn[]): Turn | undefined {
	// An answer that has not begun says nothing yet.
	const answer = turns.findLast(
		({ role, text, omittedTurns }) =>
			role === 'assistant' && (text !== '' || omittedTurns !== undefined),
	);
	const omitted = answer?.omittedTurns ?? 0;
	return omitted === 0 ? undefined : turns.filter(({ role }) => role === 'user')[omitted];
}

/** A question as it is sent: images before its texts. */
function question(turn: Turn): ChatMessage {
	const content = userContent(turn);
	const images = (turn.attachments ?? []).flatMap(({ image }) =>
		image === undefined
			? []
			: [{ base64: image, detail: 'auto' as const, fromEnd: content.length }],
	);
	return { role: 'user', content, ...(images.length > 0 ? { images } : {}) };
}

/** A question with what is attached to it, as the model reads it. */
function userContent(turn: Pick<Turn, 'text' | 'instruction' | 'attachments'>): string {
	const parts = (turn.attachments ?? []).map((attachment) => {
		if (attachment.image !== undefined) return attachment.label;
		const fence = fenceFor(attachment.text);
		return `${attachment.label}\n${fence}${attachment.language}\n${attachment.text}\n${fence}`;
	});
	// The name of a slash command is for the reader; its instruction says the same to the model.
	const words =
		turn.instruction === undefined ? turn.text : turn.text.replace(/^\s*[/@]\w+\s*/, '');
	return [turn.instruction ?? '', ...parts, words].filter((part) => part !== '').join('\n\n');
}

/** The conversation as a Markdown document. */
export function toMarkdown(conversation: Conversation): string {
	const turns = branch(conversation).map((turn) => {
		const who = turn.role === 'user' ? 'You' : (turn.model ?? 'Nearglot');
		return `## ${who}\n\n${turn.role === 'user' ? userContent(turn) : answerContent(turn)}`;
	});
	return `# ${conversation.title}\n\n${turns.join('\n\n')}\n`;
}

function answerContent({ steps = [], text }: Turn): string {
	const parts = steps.flatMap((step) => [
		step.text,
		...step.uses.map(({ name, arguments: input, result = '' }) => {
			const fence = fenceFor(result);
			return `**${name}** \`${input.replaceAll('`', "'")}\`\n\n${fence}\n${result}\n${fence}`;
		}),
	]);
	return [...parts, text].filter((part) => part !== '').join('\n\n');
}

/** A fence that is longer than any in a text. */
export function fenceFor(text: string): string {
	let longest = 2;
	for (const [ticks] of text.matchAll(/`+/g)) longest = Math.max(longest, ticks.length);
	return '`'.repeat(longest + 1);
}

/** The title that a first question gives a chat. */
export function firstTitle(text: string): string {
	const line = text.trim().split('\n')[0] ?? '';
	return line.length > 60 ? `${line.slice(0, 59).trimEnd()}…` : line;
}
