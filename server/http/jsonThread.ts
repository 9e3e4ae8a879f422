/** JSON bodies as values: small ones at once, large ones in a thread, so that they hold nobody up. */

import { Worker } from 'node:worker_threads';
import { fromErrorWire } from '../protocol/errors.ts';
import { parseJson } from './jsonText.ts';
import type { JsonMessage } from './jsonWorker.ts';

/** Larger bodies in bytes are parsed aside. */
const largeBody = 256 * 1024;

/** As {@link parseJson}, of UTF-8. The bytes of a large body are gone afterwards. */
export async function jsonOf(bytes: Uint8Array<ArrayBuffer>): Promise<unknown> {
	if (bytes.byteLength <= largeBody) return parseJson(new TextDecoder().decode(bytes));
	const bundled = import.meta.url.endsWith('.cjs');
	const file = new URL(bundled ? './json-worker.cjs' : './jsonWorker.ts', import.meta.url);
	const worker = new Worker(file, { workerData: bytes, transferList: [bytes.buffer] });
	try {
		const message = await new Promise<JsonMessage>((resolve, reject) => {
			worker.once('message', resolve);
			worker.once('error', reject);
			worker.once('exit', () => reject(new Error('The thread that parses JSON has ended.')));
		});
		if ('error' in message) throw fromErrorWire(message.error);
		if ('syntax' in message) throw new SyntaxError(message.syntax);
		return message.value;
	} finally {
		await worker.terminate();
	}
}
