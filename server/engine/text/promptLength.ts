/** Prompts that are too long whatever the vocabulary, found without tokenising them. */

import { AppError } from '../../protocol/index.ts';

/** Texts of people have some four characters per token; tables and indented code up to some fifteen. */
const maxCharsPerToken = 32;

/** Whether a text has far more characters than a context of so many tokens can hold. */
export function isFarTooLong(text: string, contextLength: number): boolean {
	return text.length > contextLength * maxCharsPerToken;
}

/** @throws AppError `context_length_exceeded` for a text that {@link isFarTooLong} */
export function checkLength(text: string, contextLength: number): void {
	if (!isFarTooLong(text, contextLength)) return;
	throw new AppError(
		'context_length_exceeded',
		`The prompt has ${text.length} characters, more than ${maxCharsPerToken} for each of the ${contextLength} tokens this model reads including the answer. Shorten it.`,
		{ param: 'messages', data: { promptChars: text.length, contextLength } },
	);
}
