/** A file as part of a form: the one place that writes its name into a header. */

import { visibleText } from './visibleText.ts';

/**
 * Puts a file into a form under the name `file`.
 * @param name without folders; what no header may hold is left out of it
 * @param otherwise its name where nothing of it is left
 */
export function setFormFile(
	form: FormData,
	file: Blob,
	name: string,
	otherwise = 'recording',
): void {
	form.set('file', file, visibleText(name).replace(/\s+/g, ' ') || otherwise);
}
