/** A title for a chat, by the model that answers in it: what was asked first rarely says what a chat is about. */

import { type Conversation, firstTitle, messagesOf } from './conversation.ts';
import type { ChatDelta, ChatEnd, ChatParams } from './methods.ts';

const request =
	'Give this conversation a title of two to six words, in the language of my question. Answer with the title alone.';
/** Tokens of a title; what is longer is none. */
const maxTokens = 32;
/** Characters of a title in a list. */
const maxLength = 60;
/** A first question that is as short as this, in characters, is a title already. */
const shortQuestion = 24;

/** Whether a chat has its first answer, and still the title that its first question gave it. */
export function wantsTitle({ turns, title }: Conversation): boolean {
	const [question, answer, ...more] = turns;
	return (
		more.length === 0 &&
		question?.role === 'user' &&
		answer?.role === 'assistant' &&
		answer.finishReason === 'stop' &&
		question.text.length > shortQuestion &&
		title === firstTitle(question.text)
	);
}

/** Asks for a title; `undefined` when what came is none. The prompt begins like the chat's, so that little is read anew. */
export async function requestTitle(
	complete: (
		params: ChatParams,
		onDelta: (delta: ChatDelta) => void,
		signal: AbortSignal,
	) => Promise<ChatEnd>,
	conversation: Conversation,
	params: Pick<ChatParams, 'model' | 'conversation'>,
	signal: AbortSignal,
): Promise<string | undefined> {
	const messages = [
		...messagesOf(conversation, conversation.leaf),
		{ role: 'user' as const, content: request },
	];
	let answer = '';
	const { finishReason } = await complete(
		{ ...params, temperature: 0, maxTokens, messages },
		({ text = '' }) => {
			answer += text;
		},
		signal,
	);
	return finishReason === 'stop' ? titleIn(answer) : undefined;
}

/** The title in an answer, without marks; `undefined` when it is no title. */
export function titleIn(answer: string): string | undefined {
	const [line = '', ...more] = answer.trim().split('\n');
	const title = withoutMarks(line.replace(/^(?:title|titel|titre|título)\s*:\s*/i, ''));
	const isTitle = more.every((other) => other.trim() === '') && /[\p{L}\p{N}]/u.test(title);
	return isTitle && title.length <= maxLength ? title : undefined;
}

const quotes = ' \t*_`"\'“”„«»‚‘’';
/** What stands before and behind a title and is not of it: marks of Markdown, quotes, a full stop. */
const [before, behind] = [new Set(`#${quotes}`), new Set(`.${quotes}`)];

function withoutMarks(text: string): string {
	let [start, end] = [0, text.length];
	while (start < end && before.has(text.charAt(start))) start++;
	while (end > start && behind.has(text.charAt(end - 1))) end--;
	return text.slice(start, end);
}
