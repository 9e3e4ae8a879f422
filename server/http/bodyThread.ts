/** Bodies as values: small ones at once, large ones in a thread, so that they hold nobody up. */

import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { fromErrorWire } from '../protocol/errorWire.ts';
import { Places } from '../work/places.ts';
import type { BodyMessage } from './bodyWorker.ts';
import type { FormTextFields } from './formText.ts';
import type { JsonLimits } from './jsonText.ts';
import { type BodyKind, parseBytes } from './parseBytes.ts';

/** Larger bodies in bytes are parsed aside. */
const largeBody = 256 * 1024;

/** As {@link parseJson}, of UTF-8. The bytes of a large body are gone afterwards. */
export const jsonOf = (bytes: Uint8Array<ArrayBuffer>, limits: JsonLimits): Promise<unknown> =>
	parsed(bytes, { kind: 'json', limits });

/** As {@link parseForm}. */
export const formOf = (
	bytes: Uint8Array<ArrayBuffer>,
	names: readonly string[],
	limits: JsonLimits,
): Promise<FormTextFields> =>
	parsed(bytes, { kind: 'form', names, limits }) as Promise<FormTextFields>;

/** As many are parsed at once as there are processors. */
const places = new Places(availableParallelism());

async function parsed(bytes: Uint8Array<ArrayBuffer>, body: BodyKind): Promise<unknown> {
	if (bytes.byteLength <= largeBody) return parseBytes(bytes, body);
	using _ = await places.take();
	const bundled = import.meta.url.endsWith('.cjs');
	const file = new URL(bundled ? './body-worker.cjs' : './bodyWorker.ts', import.meta.url);
	const worker = new Worker(file, { workerData: { bytes, body }, transferList: [bytes.buffer] });
	try {
		const message = await new Promise<BodyMessage>((resolve, reject) => {
			worker.once('message', resolve);
			worker.once('error', reject);
			worker.once('exit', () => reject(new Error('The thread that parses a body has ended.')));
		});
		if ('error' in message) throw fromErrorWire(message.error);
		if ('syntax' in message) throw new SyntaxError(message.syntax);
		return message.value;
	} finally {
		await worker.terminate();
	}
}
