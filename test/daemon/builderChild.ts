/** A process that speaks as a builder does, and does what the origin of its task says. */

import { createServer } from 'node:net';
import type { FromBuilder, ToBuilder } from '../../server/daemon/builderProtocol.ts';

const say = (message: FromBuilder) => process.send?.(message);
const facts = {
	architecture: 'llama',
	parameters: 1,
	sizeBytes: 2,
	memoryBytes: 3,
	storedAs: 'f32',
};
let asksMemory = false;
let asksTooMuch = false;
let received = 0;
let sum = 0;

process.once('disconnect', () => process.exit(0));
process.on('message', (message: ToBuilder) => {
	if (message.type === 'start') {
		const { source } = message.task.origin;
		if (source === 'crash') process.exit(7);
		if (source === 'memory') {
			process.stderr.write('FATAL ERROR: out of memory\n', () => process.exit(1));
			return;
		}
		if (source === 'silent') return;
		asksMemory = source === 'usable';
		asksTooMuch = source === 'greedy';
		if (source === 'stubborn') {
			process.removeAllListeners('disconnect');
			// An open port keeps a process alive, whatever else it is told.
			createServer().listen(0, '127.0.0.1');
		}
		say({ type: 'plan', facts });
	}
	if (message.type === 'go' && asksTooMuch)
		say({ type: 'read', id: 1, file: 0, offset: 0, length: 2 ** 34 });
	else if (message.type === 'go' && asksMemory) say({ type: 'memory' });
	else if (message.type === 'go')
		say({ type: 'read', id: 1, file: 0, offset: 1, length: 2_500_000 });
	if (message.type === 'memory') {
		const { usableBytes } = message;
		say({
			type: 'progress',
			progress: { phase: 'check', doneBytes: usableBytes, totalBytes: usableBytes },
		});
		say({ type: 'done' });
	}
	if (message.type === 'unread') say({ type: 'error', error: message.error });
	if (message.type === 'bytes') {
		received += message.bytes.length;
		for (const byte of message.bytes) sum += byte;
		if (received < 2_500_000) return;
		say({ type: 'progress', progress: { phase: 'build', doneBytes: received, totalBytes: sum } });
		say({ type: 'done' });
	}
});
