/** Tokens of texts that a model only reads, counted before it does where somebody's tokens are limited. */

import type { ModelHost } from '../host.ts';
import type { Account } from './account.ts';

/**
 * Tokens of texts as the model's tokenizer makes them, and of what are tokens already; 0 where the caller has no limit
 * of tokens: then nobody needs to know before.
 */
export async function inputTokens(
	host: ModelHost,
	model: string,
	inputs: readonly (string | readonly number[])[],
	account: Account | undefined,
	signal: AbortSignal | undefined,
): Promise<number[]> {
	if (account?.isLimited('tokens') !== true) return inputs.map(() => 0);
	const texts = inputs.filter((input) => typeof input === 'string');
	const service = await host.textModel(model);
	const encoded =
		texts.length === 0 ? [] : await service.request('encode', { texts, addSpecial: true }, signal);
	let next = 0;
	return inputs.map((input) =>
		typeof input === 'string' ? (encoded[next++]?.length ?? 0) : input.length,
	);
}

export const sumOf = (numbers: readonly number[]): number =>
	numbers.reduce((sum, each) => sum + each, 0);
