/** `nearglot/complete`: fills the gap at the cursor, through the daemon's completion route. */

import type { CompleteParams } from '../protocol/index.ts';
import { completions } from '../protocol/routeAddresses.ts';
import type { Client } from '../protocol/routeClient.ts';

/** Text for the gap; likely rather than varied. */
export async function completeCode(
	client: Client,
	{ model, prefix, suffix, maxTokens, stop }: CompleteParams,
	signal: AbortSignal,
): Promise<{ text: string }> {
	const body = {
		...{ model, prompt: prefix, suffix, max_tokens: maxTokens, temperature: 0 },
		...(stop?.length ? { stop: [...stop] } : {}),
	};
	const { choices } = await client.call(completions, { body }, { signal });
	return { text: choices[0]?.text ?? '' };
}
