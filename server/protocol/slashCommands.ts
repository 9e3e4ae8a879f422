/** What `/explain` and the others put before a question. */

export interface SlashCommand {
	/** Sent to the model before what is attached and written. */
	readonly instruction: string;
	/** Whether the selection of the editor is attached by itself. */
	readonly attaches: boolean;
}

/** Name without the slash → command. `/translate` is not here: it asks no chat model. */
export const slashCommands: ReadonlyMap<string, SlashCommand> = new Map(
	Object.entries<SlashCommand>({
		explain: { instruction: 'Explain what this code does and why.', attaches: true },
		fix: {
			instruction:
				'Find the mistakes in this code. Give the corrected code and say what was wrong.',
			attaches: true,
		},
		tests: { instruction: 'Write unit tests for this code.', attaches: true },
		docs: { instruction: 'Write a documentation comment for this code.', attaches: true },
		commit: {
			instruction: 'Write a commit message for this change: a short imperative subject, then why.',
			attaches: true,
		},
	}),
);

/** Splits `/name rest`; `undefined` when the text begins with no known command. */
export function readSlashCommand(
	text: string,
): { readonly name: string; readonly rest: string } | undefined {
	const match = /^\/(\w+)(?:\s([\s\S]*))?$/.exec(text.trim());
	const name = match?.[1]?.toLowerCase() ?? '';
	if (name !== 'translate' && !slashCommands.has(name)) return undefined;
	return { name, rest: match?.[2]?.trimStart() ?? '' };
}
