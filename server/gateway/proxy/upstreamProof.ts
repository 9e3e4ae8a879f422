/** Whether the app behind the layer takes connections, for probes. However many requests come, it is tried about once a second. */

import type { Socket } from 'node:net';
import { maxProbeMs, ProbedState } from '../observe/probedState.ts';
import type { Upstream } from './upstream.ts';

export type UpstreamState = 'ok' | 'unreachable';

/** Tries a connection and closes it: any app can be asked that, whatever paths it has. */
export function upstreamProof(
	upstream: Pick<Upstream, 'connect'>,
	now?: () => number,
): ProbedState<UpstreamState> {
	return new ProbedState('ok', 'unreachable', () => connected(upstream.connect()), now);
}

function connected(socket: Socket): Promise<void> {
	return new Promise<void>((resolve, reject) => {
		// A host that says nothing would keep each of them for minutes.
		socket.setTimeout(maxProbeMs, () => socket.destroy());
		socket.once('connect', resolve);
		socket.once('error', reject);
		socket.once('close', () => reject(new Error('The connection was closed.')));
	}).finally(() => socket.destroy());
}
