/** What is said into the microphone, as the draft of a question. */

import type { HostMessage } from '../../webview/protocol.ts';

/** Where what is said goes. */
export interface DictationTarget {
	/** The text before the place, at most this long. */
	before(characters: number): string;
	/** Takes a piece, in the order of what was said. */
	add(text: string): Promise<void>;
	/** All has come. */
	end(): Promise<void>;
	/** The dictation was given up, or has failed: what came goes again. */
	takeBack(): Promise<void>;
}

/** The microphone of a window: one dictation at a time. */
export interface Dictation {
	readonly isRunning: boolean;
	/** Dictates to a place, and resolves when all that was said is there. */
	dictate(target: DictationTarget): Promise<void>;
	/** Ends the recording; what was said is still written. */
	finish(): Promise<void>;
}

/** Dictates to a page's input; finishes the dictation that is running. */
export async function dictateQuestion(
	dictation: Dictation,
	post: (message: HostMessage) => void,
): Promise<void> {
	if (dictation.isRunning) return dictation.finish();
	post({ type: 'dictating', state: 'on' });
	let end: 'off' | 'takenBack' = 'off';
	try {
		await dictation.dictate({
			before: () => '',
			add: async (text) => post({ type: 'dictated', text }),
			end: async () => undefined,
			takeBack: async () => {
				end = 'takenBack';
			},
		});
	} finally {
		post({ type: 'dictating', state: end });
	}
}
