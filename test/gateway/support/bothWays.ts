/** Runs one request as a plain request and as a WebSocket upgrade: both must be treated alike. */

import type { SeenRequest } from './app.ts';
import type { Harness } from './harness.ts';
import { type RawAnswer, type RawCall, rawUpgrade } from './rawHttp.ts';

export interface Outcome {
	readonly way: 'plain' | 'upgrade';
	readonly answer: RawAnswer;
	/** What the app saw of this request. */
	readonly seen: SeenRequest | undefined;
}

export async function bothWays(h: Harness, call: RawCall): Promise<Outcome[]> {
	const before = h.app.seen.length;
	const answer = await h.call(call);
	const plain: Outcome = { way: 'plain', answer, seen: h.app.seen[before] };
	const between = h.app.seen.length;
	const upgraded = await rawUpgrade(h.gateway.port, { ...call, method: 'GET' });
	upgraded.socket.destroy();
	return [plain, { way: 'upgrade', answer: upgraded.answer, seen: h.app.seen[between] }];
}
