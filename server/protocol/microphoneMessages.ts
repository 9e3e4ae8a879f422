/** Messages of the page that records for an editor in a browser. */

import { isRecord } from './errorBody.ts';

/** From the page to the editor. */
export type MicrophoneMessage =
	| { readonly type: 'ready' | 'finish' | 'refused' }
	/** Signed 16-bit little-endian mono samples, as base64. */
	| { readonly type: 'sound'; readonly rate: number; readonly data: string };

/** Checks what came out of a page: it is input like any other. `undefined` when it is not valid. */
export function parseMicrophoneMessage(value: unknown): MicrophoneMessage | undefined {
	if (!isRecord(value)) return undefined;
	const { type, rate, data } = value;
	const valid =
		type === 'ready' ||
		type === 'finish' ||
		type === 'refused' ||
		(type === 'sound' && Number.isInteger(rate) && typeof data === 'string');
	return valid ? (value as unknown as MicrophoneMessage) : undefined;
}
