/** Parses one large body in a thread of its own; what it is started with are the bytes. */

import { parentPort, workerData } from 'node:worker_threads';
import { type ErrorWire, toErrorWire } from '../protocol/errors.ts';
import { parseJson } from './jsonText.ts';

/** The value, an error for the caller, or why it is no JSON. */
export type JsonMessage =
	| { readonly value: unknown }
	| { readonly error: ErrorWire }
	| { readonly syntax: string };

function answer(bytes: Uint8Array): JsonMessage {
	try {
		return { value: parseJson(new TextDecoder().decode(bytes)) };
	} catch (error) {
		return error instanceof SyntaxError ? { syntax: error.message } : { error: toErrorWire(error) };
	}
}

parentPort?.postMessage(answer(workerData as Uint8Array));
