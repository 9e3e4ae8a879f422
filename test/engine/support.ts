/** Requests of the engine's tests. */

import type { GenerateRequest } from '../../server/engine/api.ts';
import { greedy } from '../fixtures/greedy.ts';

/** A request for tokens after tokens. */
export function tokensRequest(
	tokens: readonly number[],
	more: Partial<GenerateRequest> = {},
): GenerateRequest {
	return {
		prompt: { kind: 'tokens', tokens },
		owner: 'local',
		sampling: greedy,
		maxTokens: 24,
		stop: [],
		n: 1,
		priority: 'interactive',
		...more,
	};
}
