/** The tokens of a prompt that goes on with earlier ones, or that no template has written. */

import { AppError, type ModelInfo } from '../../protocol/index.ts';
import type { ModelHost } from '../host.ts';

/** A prompt that is not all made of the messages by the model's template. */
export interface ContinuedPrompt {
	/** Tokens of the conversation so far, which the prompt goes on with. */
	readonly before: readonly number[];
	/** The prompt as a text, in place of the messages. */
	readonly text: string | undefined;
}

/**
 * Earlier tokens, then those of the text, else those of the template.
 * @param rendered what the template has made of the messages
 * @throws AppError `invalid_request` for tokens the model does not have
 */
export async function continuedTokens(
	host: ModelHost,
	info: ModelInfo,
	{ before, text }: ContinuedPrompt,
	vocabularySize: number,
	rendered: readonly number[] = [],
	signal?: AbortSignal,
): Promise<readonly number[]> {
	const wrong = before.find((id) => id >= vocabularySize);
	if (wrong !== undefined)
		throw new AppError(
			'invalid_request',
			`'context' holds token ${wrong}, but the model has ${vocabularySize} tokens.`,
			{ param: 'context' },
		);
	const tokens = text === undefined ? rendered : await tokensOf(host, info, text, signal);
	// A conversation begins once.
	const [first] = tokens;
	const again = before.length > 0 && first !== undefined && first === before[0];
	return before.concat(again ? tokens.slice(1) : tokens);
}

async function tokensOf(
	host: ModelHost,
	{ id, contextLength = Number.POSITIVE_INFINITY }: ModelInfo,
	text: string,
	signal: AbortSignal | undefined,
): Promise<readonly number[]> {
	const model = await host.textModel(id);
	return model.request('prompt', { prompt: { kind: 'text', text }, contextLength }, signal);
}
