/** Whoever watches a batch is told of its end, also when its server ended before. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { followedBatch } from '../../server/cli/followedBatch.ts';
import type { DaemonConnection } from '../../server/daemon/daemonConnection.ts';
import { AppError } from '../../server/protocol/index.ts';

type Daemon = Pick<DaemonConnection, 'stream'>;
type Heard = string | AppError;

/** A server that says the same each time that it is asked, one list after the other. */
function serverOf(lists: readonly (readonly Heard[])[]): Daemon & { readonly asked: number } {
	let asked = 0;
	const stream = async function* () {
		const list = lists[Math.min(asked++, lists.length - 1)] ?? [];
		for (const heard of list) {
			if (heard instanceof AppError) throw heard;
			yield { status: heard };
		}
	};
	return {
		stream: stream as unknown as Daemon['stream'],
		get asked() {
			return asked;
		},
	};
}

async function heardOf(daemon: Daemon, signal = new AbortController().signal): Promise<string[]> {
	const heard: string[] = [];
	for await (const { status } of followedBatch(daemon, 'batch', signal, 0)) heard.push(status);
	return heard;
}

const away = new AppError('daemon_unavailable');

test('a server that ends, in order or not, is followed by its successor until the batch has ended', async () => {
	const daemon = serverOf([
		['validating', 'in_progress'],
		['in_progress', away],
		[away],
		[new AppError('store_unavailable')],
		['finalizing', 'completed', 'never'],
	]);
	assert.deepEqual(await heardOf(daemon), [
		...['validating', 'in_progress', 'in_progress', 'finalizing', 'completed'],
	]);
});

test('a server of which nothing is heard is given up, and what no waiting mends is said at once', async () => {
	const silent = serverOf([['in_progress', away], [away]]);
	await assert.rejects(heardOf(silent), away);
	assert.equal(silent.asked, 6);
	const gone = serverOf([[new AppError('not_found')]]);
	await assert.rejects(heardOf(gone), { code: 'not_found' });
	assert.equal(gone.asked, 1);
	const stop = new AbortController();
	stop.abort();
	await assert.rejects(heardOf(serverOf([[away]]), stop.signal), { name: 'AbortError' });
});
