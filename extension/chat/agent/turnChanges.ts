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
	/** Somebody wrote into the file between two changes of the agent. */
	readonly touched?: boolean;
}

/** A file that is to be as it was. */
export type FileToRestore = Pick<FileBefore, 'uri' | 'before' | 'after' | 'touched'>;

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
		const last = this.#files.findLast((one) => one.uri === uri);
		const touched = last !== undefined && (last.touched || last.after !== before);
		const own = this.#files.find((one) => one.question === question && one.uri === uri);
		if (own) this.#replace(own, { ...own, ...(touched ? { touched } : {}) });
		else {
			const file = { question, uri, before, after: before, ...(touched ? { touched } : {}) };
			this.#files = [...this.#files, file];
		}
	}

	/** It has been changed. */
	changed(question: string, uri: string, after: string): void {
		const own = this.#files.find((one) => one.question === question && one.uri === uri);
		if (own) this.#replace(own, { ...own, after });
	}

	/** It could not be changed: what nothing came of is not to be taken back. */
	forget(question: string, uri: string): void {
		this.#files = this.#files.filter(
			(one) => one.question !== question || one.uri !== uri || one.after !== one.before,
		);
	}

	#replace(old: FileBefore, fresh: FileBefore): void {
		this.#files = this.#files.map((one) => (one === old ? fresh : one));
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

	/** Files are again as they were before a question: its changes of them and later ones are gone. */
	restored(question: string, order: readonly string[], uris: readonly string[]): void {
		const from = order.indexOf(question);
		this.#files = this.#files.filter(
			(one) => from === -1 || order.indexOf(one.question) < from || !uris.includes(one.uri),
		);
	}
}

function merged(files: readonly FileBefore[]): FileToRestore[] {
	const found = new Map<string, FileToRestore>();
	for (const { uri, before, after, touched } of files) {
		const first = found.get(uri);
		const isTouched = touched === true || first?.touched === true;
		const file = { uri, before: first ? first.before : before, after };
		found.set(uri, isTouched ? { ...file, touched: true } : file);
	}
	return [...found.values()];
}
