/** Prompts that people keep as `*.prompt.md`: a head of settings, then the words. Needs no editor. */

export interface PromptFile {
	/** By this it is called: `/NAME`. */
	readonly name: string;
	readonly description: string;
	readonly words: string;
}

/** What the variables of a prompt stand for. */
export interface PromptValues {
	/** What was typed after the name. */
	readonly input: string;
	readonly selection: string;
	readonly file: string;
}

const ending = '.prompt.md';

/** Reads one; `undefined` when nothing is in it or its name cannot be typed. */
export function readPromptFile(fileName: string, text: string): PromptFile | undefined {
	const name = fileName.endsWith(ending) ? fileName.slice(0, -ending.length) : '';
	const head = /^\uFEFF?---\r?\n([\s\S]*?)\r?\n---\r?\n?/.exec(text);
	const words = text.slice(head?.[0].length ?? 0).trim();
	if (!/^[\w][\w.-]*$/.test(name) || words === '') return undefined;
	const line = /^description:[ \t]*(.*?)[ \t]*$/m.exec(head?.[1] ?? '')?.[1] ?? '';
	const description = /^(["'])(.*)\1$/.exec(line)?.[2] ?? line;
	return { name, description: description.slice(0, 200), words };
}

/** The words with what their variables stand for; unknown ones stay. */
export function fillPrompt(words: string, { input, selection, file }: PromptValues): string {
	return words.replace(/\$\{([^}\n]{1,80})\}/g, (all, variable: string) => {
		if (/^(?:selection|selectedText)$/.test(variable)) return selection;
		if (/^file$/.test(variable)) return file;
		return /^input(?::|$)/.test(variable) ? input : all;
	});
}

/** Splits `/name words`, for names of prompt files. */
export function readPromptCall(
	text: string,
): { readonly name: string; readonly rest: string } | undefined {
	const [, name, rest] = /^\/([\w][\w.-]*)(?:\s+([\s\S]*))?$/.exec(text.trim()) ?? [];
	return name === undefined ? undefined : { name, rest: rest ?? '' };
}
