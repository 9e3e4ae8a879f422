/** What an editor and the language server tell each other of a dictation. */

import type { RecorderState } from './recorderTypes.ts';
import type { openRecorder } from './routes/recorder.ts';
import type { BodyOf } from './routes/route.ts';

/** `prompt` is the text before the cursor: names and spellings are taken from it. */
export interface DictateParams
	extends Pick<BodyOf<typeof openRecorder>, 'model' | 'language' | 'prompt'> {
	/** Chosen by the editor, to stop this dictation or to bring its sound. */
	readonly id: string;
	/**
	 * Who records: a program of this computer, the editor through `nearglot/dictate/audio`, or the
	 * recorder page in a browser.
	 */
	readonly source: 'program' | 'editor' | 'page';
	/** Token of the `$/progress` notifications that carry {@link DictationEvent}. */
	readonly partialResultToken?: string | number;
}

/** What happens in a dictation. */
export type DictationEvent =
	/** The page to open in a browser of the user. */
	| { readonly type: 'page'; readonly url: string }
	/** The program that records; what a person should know while it does. */
	| { readonly type: 'microphone'; readonly program: string }
	| { readonly type: 'notice'; readonly text: string }
	| { readonly type: 'state'; readonly state: RecorderState }
	/** Seconds recorded, and how loud it is, 0…1. */
	| { readonly type: 'level'; readonly seconds: number; readonly level: number }
	/** Continues the text so far. */
	| { readonly type: 'text'; readonly delta: string };
