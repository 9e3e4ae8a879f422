/** Longest block of the daemon's event loop, and of the runner's, while eight streams are generated. */

import { Client } from './soak/client.ts';
import { startDaemon } from './soak/daemon.ts';

export interface Blocks {
	readonly daemonMs: number;
	readonly runnerMs: number;
	/** The same without what the system took: computed in one go. */
	readonly daemonBusyMs: number;
	readonly runnerBusyMs: number;
}

/** `folder`: the model; returns the longest block of each of `rounds` rounds. */
export async function measureEventLoop(folder: string, rounds: number): Promise<Blocks[]> {
	const daemon = await startDaemon({ models: { bench: folder } });
	try {
		const client = new Client(daemon.url, daemon.key);
		const streams = (tokens: number) =>
			Promise.all(
				Array.from({ length: 8 }, (_, k) =>
					client.post('/v1/completions', {
						model: 'bench',
						prompt: `number ${k} of eight prompts that differ`,
						max_tokens: tokens,
						temperature: 0,
						// The weights are random: nothing must end an answer early.
						logit_bias: { 257: -100 },
					}),
				),
			);
		await streams(4);
		const found: Blocks[] = [];
		for (let round = 0; round < rounds; round++) {
			// Blocks are noted once a second, so the seconds of a round lie wholly inside it.
			const since = Date.now();
			await streams(48);
			await new Promise((resolve) => setTimeout(resolve, 1100));
			const most = (role: string, part: 'longestMs' | 'busyMs'): number =>
				Math.max(0, ...daemon.blocks(role, since).map((block) => block[part]));
			found.push({
				daemonMs: most('serve', 'longestMs'),
				runnerMs: most('runner', 'longestMs'),
				daemonBusyMs: most('serve', 'busyMs'),
				runnerBusyMs: most('runner', 'busyMs'),
			});
		}
		return found;
	} finally {
		await daemon.stop();
	}
}
