/** Parses one large body in a thread of its own; it is started with the bytes. */

import { parentPort, workerData } from 'node:worker_threads';
import { type ErrorWire, toErrorWire } from '../protocol/errorWire.ts';
import { type BodyKind, parseBytes } from './parseBytes.ts';

/** The value, an error for the caller, or why it is no JSON. */
export type BodyMessage =
	| { readonly value: unknown }
	| { readonly error: ErrorWire }
	| { readonly syntax: string };

function answer(job: { readonly bytes: Uint8Array; readonly body: BodyKind }): BodyMessage {
	try {
		return { value: parseBytes(job.bytes, job.body) };
	} catch (error) {
		return error instanceof SyntaxError ? { syntax: error.message } : { error: toErrorWire(error) };
	}
}

parentPort?.postMessage(answer(workerData));
