/** The wire of live sessions: others have their turn between the messages of one. */

import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { test } from 'node:test';
import type { WebSocket } from 'ws';
import { serveRealtime } from '../../server/http/realtimeSocket.ts';
import { realtimeLimits } from '../../server/services/speech/realtime/realtimeLimits.ts';

class FakeSocket extends EventEmitter {
	readonly OPEN = 1;
	readonly readyState = 1;
	isPaused = false;
	pause(): void {
		this.isPaused = true;
	}
	resume(): void {
		this.isPaused = false;
	}
	close(): void {}
	terminate(): void {}
	ping(): void {}
}

test('thousands of small messages that came at once leave the loop to others in between', async () => {
	const socket = new FakeSocket();
	const total = 4000;
	let handled = 0;
	let turns = 0;
	const peer = {
		busy: false,
		fail: () => {},
		close: async () => {},
		handle: async () => {
			handled++;
			// About 50 µs of work each: more than a turn of the loop may take, all together.
			const from = performance.now();
			while (performance.now() - from < 0.05);
			if (handled === total) socket.emit('close');
		},
	};
	const served = serveRealtime(
		socket as unknown as WebSocket,
		peer,
		realtimeLimits(60),
		new AbortController().signal,
	);
	const count = () => {
		if (handled === total) return;
		turns++;
		setImmediate(count);
	};
	setImmediate(count);
	for (let sent = 0; sent < total; sent++) socket.emit('message', Buffer.from('{}'), false);
	await served;
	assert.equal(handled, total);
	assert.ok(turns > 3, `${turns} turns of the loop`);
});
