/**
 * Recording a microphone into text. `POST /nearglot/recorder` (key) opens a session and answers with its
 * events until the text is complete; closing that request ends the session. The sound comes from the
 * recorder page (`url` of the first event, opened in a browser on this machine) or from whoever holds the
 * `token`: a program that runs `pw-record`, `arecord`, `sox` or `ffmpeg`. Text follows in every pause.
 */

import type { TranscriptSegment, TranscriptWord } from './speech.ts';

/** Body of `POST /nearglot/recorder`; every field may be absent. */
export interface RecorderRequest {
	/** Id or alias of a speech model; absent = the loaded or the largest downloaded one. */
	readonly model?: string;
	/** ISO 639-1; absent = detect. */
	readonly language?: string;
	/** Names and spellings that occur, or the text before the cursor. */
	readonly prompt?: string;
	/** Into English instead of the language that is spoken. */
	readonly translate?: boolean;
	/** Also give the times of words. */
	readonly words?: boolean;
}

/**
 * `waiting`: nobody has opened the page · `ready`: the page is there, the microphone is not on ·
 * `recording` · `paused` · `stopped`: the rest is being transcribed.
 */
export type RecorderState = 'waiting' | 'ready' | 'recording' | 'paused' | 'stopped';

/** `data:` of the events of a session, in order; then `[DONE]`, or one `{"error":{…}}` and the end. */
export type RecorderEvent =
	| {
			/** First event. */
			readonly type: 'recorder.session';
			readonly id: string;
			/** Opens the page, once: a second page with this link is refused. */
			readonly url: string;
			/** `X-Recorder-Token` for a program that brings the sound itself; opens no other route. */
			readonly token: string;
	  }
	| { readonly type: 'recorder.state'; readonly state: RecorderState }
	| {
			/** A few times per second while sound comes. */
			readonly type: 'recorder.level';
			/** Seconds recorded. */
			readonly seconds: number;
			/** Loudest sample of the last moment, 0…1. */
			readonly level: number;
	  }
	| { readonly type: 'transcript.text.delta'; readonly delta: string }
	| ({ readonly type: 'transcript.text.segment' } & TranscriptSegment)
	| {
			readonly type: 'transcript.text.done';
			readonly text: string;
			readonly language: string;
			readonly language_code: string;
			/** Seconds. */
			readonly duration: number;
			readonly segments: readonly TranscriptSegment[];
			readonly words?: readonly TranscriptWord[];
	  };

/** What the page, or the program that brings the sound, tells with `POST /recorder/state`. */
export type RecorderCommand = 'ready' | 'recording' | 'paused' | 'stopped' | 'cancelled';
