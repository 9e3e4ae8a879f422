/** A batch as it gets on, until it has ended: a server that ends meanwhile has a successor, which goes on with it. */

import { setTimeout as sleep } from 'node:timers/promises';
import type { DaemonConnection } from '../daemon/daemonConnection.ts';
import { AppError } from '../protocol/index.ts';
import { followBatch } from '../protocol/routeAddresses.ts';
import type { BatchAnswer } from '../protocol/routes/batches.ts';
import type { CommandIo } from './command.ts';

/** Times in a row that nothing is heard of it. */
const maxFailures = 5;
const pauseMs = 1000;
const ends: readonly BatchAnswer['status'][] = ['completed', 'failed', 'expired', 'cancelled'];

/** How it stands whenever that changes; the last one has ended. */
export async function* followedBatch(
	daemon: Pick<DaemonConnection, 'stream'>,
	id: string,
	signal: CommandIo['signal'],
	pause = pauseMs,
): AsyncIterable<BatchAnswer> {
	for (let failures = 0; ; ) {
		try {
			const options = { of: 'batch', signal } as const;
			for await (const batch of daemon.stream(followBatch, { params: { id } }, options)) {
				failures = 0;
				yield batch;
				if (ends.includes(batch.status)) return;
			}
		} catch (error) {
			signal.throwIfAborted();
			const mayPass = error instanceof AppError && error.kind.retryable;
			if (!mayPass || ++failures > maxFailures) throw error;
		}
		await sleep(pause, undefined, { signal });
	}
}
