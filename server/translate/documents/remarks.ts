/** What authors of messages say to translators in comments. */

const kept =
	/\b(?:do not|don['’]?t|never) (?:translate|localize|localise)\b|\b(?:not to be|must not be) (?:translated|localized|localised)\b|\bno-?translate\b|\{Locked\}|\bnicht übersetzen\b|\bne pas traduire\b|\bno traducir\b/i;

/** Whether a remark asks to leave a message as it is. */
export function asksToKeep(remark: string): boolean {
	return kept.test(remark);
}

/** Whether the comments right above an entry, or its description, ask to leave it as it is. */
export function isKeptByRemark(text: string, entryStart: number, description: string): boolean {
	if (asksToKeep(description)) return true;
	const line = text.lastIndexOf('\n', entryStart - 1);
	const before = text.slice(text.lastIndexOf('\n', line - 1) + 1, Math.max(0, line)).trimStart();
	if (!/^(?:\/\/|#|!|\/?\*)/.test(before)) return false;
	const above =
		/(?:^|\n)((?:[ \t]*(?:\/\/|#|!|\/?\*)[^\n]*(?:\n|$))+)$/.exec(
			text.slice(Math.max(0, line - 2000), line + 1),
		)?.[1] ?? '';
	return asksToKeep(above);
}
