/** A recording as part of a form: the one place that writes its file name into a header. */

import { visibleText } from './visibleText.ts';

/**
 * Puts a recording into a form for the transcription routes.
 * @param name its file name without folders; what no header may hold is left out of it
 */
export function setRecording(form: FormData, recording: Blob, name: string): void {
	form.set('file', recording, visibleText(name).replace(/\s+/g, ' ') || 'recording');
}
