/** A translated message file without some of its translations, which are missing then. */

import { applyEdits } from './edits.ts';
import type { MessageState } from './messageStates.ts';

/** @param states of the file; those whose value nothing else can stand for (of gettext) stay */
export function emptyMessages(targetText: string, states: readonly MessageState[]): string {
	const edits = states.flatMap(({ value }) => {
		if (!value) return [];
		const { start, end, empty } = value;
		// A block of YAML ends with its line.
		return [{ start, end, text: targetText[end - 1] === '\n' ? `${empty}\n` : empty }];
	});
	return applyEdits(targetText, edits).text;
}
