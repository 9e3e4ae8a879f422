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

/** Shells that take what is pasted as one text, in every version that VS Code's shell integration knows. */
const takesPaste: ReadonlySet<string> = new Set(['zsh', 'fish']);

/**
 * Several lines as a terminal pastes them (bracketed paste: nothing of it runs by itself), for a shell that takes it
 * like that. `undefined` for others: bash does so since 5.1 and nobody can see which one it is, PowerShell and cmd do not.
 *
 * @param text what {@link terminalText} has made: without characters that could end the paste
 * @param shell name of the shell that stands at its prompt, where the editor knows it
 */
export function pasted(text: string, shell: string | undefined): string | undefined {
	return takesPaste.has(shell ?? '') ? `\u001b[200~${text}\u001b[201~` : undefined;
}
