/**
 * Recording a microphone into text. `POST /nearglot/recorder` (key) opens a session and answers with its
 * events until the text is complete; closing that request ends the session. The sound comes from the
 * recorder page (`url` of the first event, opened in a browser on this machine) or from whoever holds the
 * `token`: a program that runs `pw-record`, `arecord`, `sox` or `ffmpeg`. Text follows in every pause.
 */

import type { openRecorder, setRecorderState } from './routes/recorder.ts';
import type { BodyOf, EventOf, RequestOf } from './routes/route.ts';

/** Body of `POST /nearglot/recorder`; every field may be absent. */
export type RecorderRequest = BodyOf<typeof openRecorder>;

/** `data:` of the events of a session, in order; then `[DONE]`, or one `{"error":{…}}` and the end. */
export type RecorderEvent = EventOf<typeof openRecorder>;

/**
 * `waiting`: nobody has opened the page · `ready`: the page is there, the microphone is not on ·
 * `recording` · `paused` · `stopped`: the rest is being transcribed.
 */
export type RecorderState = Extract<RecorderEvent, { type: 'recorder.state' }>['state'];

/** What the page, or the program that brings the sound, tells with `POST /recorder/state`. */
export type RecorderCommand = RequestOf<typeof setRecorderState>['state'];
