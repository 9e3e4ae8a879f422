/** A chat model that answers by rule, and remembers what it was asked. */

import type {
	ChatPromptRequest,
	GenerateChat,
} from '../../server/services/translate/chatTranslator.ts';

/** What the message of a question holds. */
export interface AskedTexts {
	readonly sentences: Readonly<Record<string, string>>;
	readonly before?: readonly string[];
	readonly after?: readonly string[];
	readonly comments?: Readonly<Record<string, string>>;
	readonly placeholders?: Readonly<Record<string, Readonly<Record<string, string>>>>;
	readonly examples?: readonly { readonly source: string; readonly target: string }[];
}

export const askedTexts = ({ messages }: ChatPromptRequest): AskedTexts =>
	JSON.parse(messages[1]?.content ?? '{}') as AskedTexts;

/** Upper case, save placeholders and tags. */
export const shouted = (text: string): string =>
	text.replace(/\{\d+\}|<[^<>]*>|[^{}<>]/g, (part) =>
		part.length > 1 ? part : part.toUpperCase(),
	);

export interface ScriptedChat {
	readonly ask: GenerateChat;
	readonly asked: ChatPromptRequest[];
}

/** @param answer What the model makes of a sentence; `undefined` leaves it out. */
export function scriptedChat(
	answer: (text: string, question: ChatPromptRequest) => string | undefined = shouted,
	written: (answers: Readonly<Record<string, string>>) => string = JSON.stringify,
): ScriptedChat {
	const asked: ChatPromptRequest[] = [];
	return {
		asked,
		ask: async (question) => {
			asked.push(question);
			const made = Object.entries(askedTexts(question).sentences).flatMap(([key, text]) => {
				const one = answer(text, question);
				return one === undefined ? [] : [[key, one] as const];
			});
			return written(Object.fromEntries(made));
		},
	};
}
