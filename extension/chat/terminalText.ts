/** A block of an answer as it is put into a terminal, where nothing of it may run by itself. Needs no editor. */

/** The text without prompts (`$ `, `> `, `PS> `) and without control characters, which a terminal would obey. */
export function terminalText(block: string): string {
	const lines = block
		.replace(/\r\n?/g, '\n')
		.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, '')
		.split('\n')
		.filter((line) => line.trim() !== '');
	const prompt = /^\s*(?:[$#%>]|PS[^>]*>)\s+/;
	const prompted = lines.filter((line) => /^\s*(?:[$%>]|PS[^>]*>)\s+/.test(line));
	// Where some lines have a prompt, the others are what was printed.
	const commands = prompted.length > 0 ? prompted.map((line) => line.replace(prompt, '')) : lines;
	return commands.join('\n').trim();
}
