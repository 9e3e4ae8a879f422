/** `nearglot/complete`: fills the gap at the cursor, through the daemon's completion route. */

import { isRecord } from '../protocol/errorBody.ts';
import { AppError, type CompleteParams } from '../protocol/index.ts';
import type { Caller } from './daemonLink.ts';

/** Text for the gap; likely rather than varied. */
export async function completeCode(
	link: Caller,
	params: CompleteParams,
	signal: AbortSignal,
): Promise<{ text: string }> {
	const { model, prefix, suffix, maxTokens, stop } = params;
	const body = await link.json(
		'/v1/completions',
		{
			model,
			prompt: prefix,
			suffix,
			max_tokens: maxTokens,
			temperature: 0,
			...(stop?.length ? { stop } : {}),
		},
		signal,
	);
	const choice = isRecord(body) && Array.isArray(body['choices']) ? body['choices'][0] : undefined;
	if (!isRecord(choice) || typeof choice['text'] !== 'string') {
		throw new AppError('internal', 'The model server sent no completion.');
	}
	return { text: choice['text'] };
}
