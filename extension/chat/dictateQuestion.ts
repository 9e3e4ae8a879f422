/** What is said into the microphone, as the draft of a question. */

import type { HostMessage } from '../../webview/protocol.ts';
import type { EditorDictation } from '../transcripts/dictation.ts';

/** Dictates to a page's input; finishes the dictation that is running. */
export async function dictateQuestion(
	dictation: EditorDictation,
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
