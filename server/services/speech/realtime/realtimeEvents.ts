/** What the events of a live session carry: sound as bytes, errors and log-probabilities in their published form. */

import { AppError } from '../../../protocol/index.ts';
import { check } from '../../../protocol/routes/check.ts';
import {
	type RealtimeClientEventType,
	realtimeClientEvents,
} from '../../../protocol/routes/realtime.ts';

/** Sound shorter than this cannot be committed. */
export const minCommitS = 0.1;

export type RealtimeClientEvent<T extends RealtimeClientEventType> = ReturnType<
	(typeof realtimeClientEvents)[T]['parse']
>;

/** The published clients know an empty commit by a code of its own. */
export class EmptyCommit extends AppError {
	constructor(seconds: number) {
		super(
			'invalid_request',
			`There is too little sound to commit: at least ${minCommitS * 1000} ms are needed, and ${Math.round(seconds * 1000)} ms have come since the last turn.`,
		);
	}
}

/** @throws AppError `invalid_request` */
export const readEvent = <T extends RealtimeClientEventType>(
	type: T,
	event: object,
): RealtimeClientEvent<T> => check(realtimeClientEvents[type], event) as RealtimeClientEvent<T>;

export const plainLogprob = ({
	token,
	logprob,
	bytes,
}: {
	readonly token: string;
	readonly logprob: number;
	readonly bytes: readonly number[];
}) => ({ token, logprob, bytes: [...bytes] });

/** An error as events carry it. */
export const realtimeError = (error: AppError) => ({
	type: error.kind.type,
	code: error instanceof EmptyCommit ? 'input_audio_buffer_commit_empty' : (error.code as string),
	message: error.message,
	param: error.param,
});

/** What is said of a type that no event of a client has. */
export function unknownEventType(type: unknown): string {
	const known = Object.keys(realtimeClientEvents).join(', ');
	if (typeof type !== 'string') return `An event has a 'type', one of ${known}.`;
	return `Events of type '${type.slice(0, 80)}' are not for transcription sessions. Known: ${known}.`;
}

/** The bytes of sound. @throws AppError `invalid_request` for what is no base64 */
export function soundBytes(audio: string): Uint8Array {
	// The decoder passes over what is no base64, and comes out shorter then.
	const bytes = Buffer.from(audio, 'base64');
	const pads = audio.endsWith('==') ? 2 : audio.endsWith('=') ? 1 : 0;
	const digits = audio.length - pads;
	if (digits % 4 !== 1 && bytes.length === Math.floor((digits * 3) / 4)) return bytes;
	throw new AppError('invalid_request', "'audio' must be base64 and nothing else.", {
		param: 'audio',
	});
}

/** One block of samples after another. */
export function concatenatedSamples(
	left: Float32Array,
	right: Float32Array,
): Float32Array<ArrayBuffer> {
	const whole = new Float32Array(left.length + right.length);
	whole.set(left);
	whole.set(right, left.length);
	return whole;
}
