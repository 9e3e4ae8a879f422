/**
 * Which turns of a conversation a model is given: the newest ones. A turn is a message of the user with
 * all that follows it up to the next one; system messages belong to no turn and always stay.
 */

import type { ChatRole } from '../../protocol/index.ts';

interface Turned {
	readonly role: ChatRole;
}

/** Messages to send, and how many of the oldest turns are not among them. */
export interface ReadTurns<M> {
	readonly messages: readonly M[];
	readonly omittedTurns: number;
}

export interface TurnLimits<M> {
	/** Maximum turns before the last one; absent: no limit of their number. */
	readonly maxHistoryTurns?: number;
	/** Whether messages are short enough; more turns are left out until they are. */
	readonly fits?: (messages: readonly M[]) => boolean;
}

/**
 * Leaves out as few of the oldest turns as the limits allow. The last turn is never left out, so what
 * comes back may still be too long.
 */
export function newestTurns<M extends Turned>(
	messages: readonly M[],
	{ maxHistoryTurns = Number.POSITIVE_INFINITY, fits = () => true }: TurnLimits<M>,
): ReadTurns<M> {
	const earlier = Math.max(0, turnStarts(messages).length - 1);
	const without = (count: number) => withoutTurns(messages, count);
	// Rendering and counting a long conversation takes a while: halve, do not step.
	let fewest = Math.max(0, earlier - maxHistoryTurns);
	if (fewest < earlier && !fits(without(fewest))) {
		let enough = earlier;
		while (enough - fewest > 1) {
			const middle = (fewest + enough) >> 1;
			if (fits(without(middle))) enough = middle;
			else fewest = middle;
		}
		fewest = enough;
	}
	return { messages: without(fewest), omittedTurns: fewest };
}

/** Messages without so many of the oldest turns. */
export function withoutTurns<M extends Turned>(
	messages: readonly M[],
	omittedTurns: number,
): readonly M[] {
	if (omittedTurns === 0) return messages;
	const first = turnStarts(messages)[omittedTurns] ?? 0;
	return messages.filter((message, index) => isInstruction(message) || index >= first);
}

const isInstruction = ({ role }: Turned) => role === 'system' || role === 'developer';

/** Places of the first message of each turn; what comes before the first question is a turn of its own. */
function turnStarts(messages: readonly Turned[]): number[] {
	const first = messages.findIndex((message) => !isInstruction(message));
	return messages.flatMap(({ role }, index) => (role === 'user' || index === first ? [index] : []));
}
