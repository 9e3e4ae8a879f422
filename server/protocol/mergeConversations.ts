/** One chat that two pages have gone on with: what each has added stays. */

import { type Conversation, firstTitle, type Turn } from './conversation.ts';

/**
 * The chat with the turns of both, in the order in which they were begun. The branch that `own` shows is shown; title
 * and pin are those that are kept, unless only `own` has been named.
 */
export function mergeConversations(own: Conversation, kept: Conversation): Conversation {
	const keptTurns = new Map(kept.turns.map((turn) => [turn.id, turn]));
	const known = new Set(own.turns.map(({ id }) => id));
	const added = kept.turns.filter(({ id }) => !known.has(id));
	const turns = own.turns.map((turn) => further(turn, keptTurns.get(turn.id)));
	const { pinned: _, ...rest } = own;
	return {
		...rest,
		title: hasOwnTitle(kept) ? kept.title : own.title,
		...(kept.pinned === undefined ? {} : { pinned: kept.pinned }),
		updatedAt: own.updatedAt > kept.updatedAt ? own.updatedAt : kept.updatedAt,
		turns: added.length === 0 ? turns : inOrder([...turns, ...added]),
		leaf: own.leaf ?? kept.leaf,
	};
}

/** Turns never change once they have ended: of an answer the version that got further is the newer one. */
function further(own: Turn, kept: Turn | undefined): Turn {
	if (!kept || own.role === 'user' || hasEnded(own)) return own;
	const isFurther = hasEnded(kept) || JSON.stringify(kept).length > JSON.stringify(own).length;
	return isFurther ? kept : own;
}

const hasEnded = ({ finishReason, error }: Turn): boolean =>
	finishReason !== undefined || error !== undefined;

/** Somebody, or a model, has named the chat: it is not called by its first question. */
const hasOwnTitle = ({ title, turns }: Conversation): boolean =>
	title !== '' && title !== firstTitle(turns[0]?.text ?? '');

const inOrder = (turns: readonly Turn[]): Turn[] =>
	[...turns].sort((one, other) => one.createdAt.localeCompare(other.createdAt));
