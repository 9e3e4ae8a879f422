/** What the agent has changed, question by question, so that all of it can be taken back. Knows no editor. */

/** A file as it was before a question's answer changed it first. */
export interface FileBefore {
	/** Id of the question. */
	readonly question: string;
	readonly uri: string;
	/** Null: there was no such file. */
	readonly before: string | null;
	/** What the agent left there last. */
	readonly after: string | null;
}

/** A file that is to be as it was. */
export type FileToRestore = Pick<FileBefore, 'uri' | 'before' | 'after'>;

/** The changes of one chat, the oldest first. */
export class TurnChanges {
	#files: readonly FileBefore[];

	constructor(files: readonly FileBefore[] = []) {
		this.#files = files;
	}

	get all(): readonly FileBefore[] {
		return this.#files;
	}

	/** Each changed file once: as it was before the first change, and as the agent left it. */
	get files(): FileToRestore[] {
		return merged(this.#files);
	}

	/** Questions whose changes can be taken back. */
	get questions(): string[] {
		return [...new Set(this.#files.map(({ question }) => question))];
	}

	/** A question's answer is about to change a file. */
	remember(question: string, uri: string, before: string | null): void {
		if (this.#files.some((one) => one.question === question && one.uri === uri)) return;
		this.#files = [...this.#files, { question, uri, before, after: before }];
	}

	/** It has been changed. */
	changed(question: string, uri: string, after: string): void {
		this.#files = this.#files.map((one) =>
			one.question === question && one.uri === uri ? { ...one, after } : one,
		);
	}

	/** Leaves a file as it is; all when none is named. */
	keep(uri?: string): void {
		this.#files = uri === undefined ? [] : this.#files.filter((one) => one.uri !== uri);
	}

	/** What taking back a question and all that came after it restores. */
	since(question: string, order: readonly string[]): FileToRestore[] {
		const from = order.indexOf(question);
		return merged(this.#files.filter((one) => from !== -1 && order.indexOf(one.question) >= from));
	}

	/** The changes of a question and of those after it are gone. */
	forgetSince(question: string, order: readonly string[]): void {
		const from = order.indexOf(question);
		this.#files = this.#files.filter((one) => from === -1 || order.indexOf(one.question) < from);
	}
}

function merged(files: readonly FileBefore[]): FileToRestore[] {
	const found = new Map<string, FileToRestore>();
	for (const { uri, before, after } of files) {
		const first = found.get(uri);
		found.set(uri, { uri, before: first ? first.before : before, after });
	}
	return [...found.values()];
}
