/** What authors of messages say to translators in comments. */

const kept =
	/\b(?:do not|don['’]?t|never) (?:translate|localize|localise)\b|\b(?:not to be|must not be) (?:translated|localized|localised)\b|\bno-?translate\b|\{Locked\}|\bnicht übersetzen\b|\bne pas traduire\b|\bno traducir\b/i;

/** Whether a remark asks to leave a message as it is. */
export function asksToKeep(remark: string): boolean {
	return kept.test(remark);
}

/** Characters above an entry that are looked through for its comments. */
const maxAbove = 2000;
const comment = /^[ \t]*(?:\/\/|#|!|\/?\*)/;

/**
 * Tells of the entries of a text, by their offsets and descriptions, whether the comments right above
 * them, or the descriptions, ask to leave them as they are.
 */
export function remarksIn(text: string): (entryStart: number, description: string) => boolean {
	let lineStart = 0;
	let lineEnd = -1;
	let isKept = false;
	return (entryStart, description) => {
		if (asksToKeep(description)) return true;
		// Entries of one line have the same comments above them.
		if (entryStart < lineStart || entryStart > lineEnd) {
			lineStart = text.lastIndexOf('\n', entryStart - 1) + 1;
			const end = text.indexOf('\n', entryStart);
			lineEnd = end < 0 ? text.length : end;
			isKept = asksToKeep(commentsAbove(text, lineStart));
		}
		return isKept;
	};
}

/** Lines that are comments and end where a line starts. */
function commentsAbove(text: string, lineStart: number): string {
	const least = Math.max(0, lineStart - 1 - maxAbove);
	let start = lineStart;
	while (start > least) {
		const above = Math.max(least, text.lastIndexOf('\n', start - 2) + 1);
		if (!comment.test(text.slice(above, start))) break;
		start = above;
	}
	return text.slice(start, lineStart);
}
