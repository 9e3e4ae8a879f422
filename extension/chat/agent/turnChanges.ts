/** What the agent has changed, question by question, so that all of it can be taken back. Knows no editor. */

import { plainLines } from './textEdit.ts';

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
		return filesOf(this.#files);
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

	/** The changes of a file; of all when none is named. */
	of(uri?: string): readonly FileBefore[] {
		return this.#files.filter((one) => uri === undefined || one.uri === uri);
	}

	/** The changes of a question and of all that came after it. */
	since(question: string, order: readonly string[]): readonly FileBefore[] {
		const from = order.indexOf(question);
		return this.#files.filter((one) => from !== -1 && order.indexOf(one.question) >= from);
	}

	/** These are decided on: what came to them since, of another window, stays to be decided on. */
	drop(decided: readonly FileBefore[]): void {
		const isSame = (one: FileBefore, other: FileBefore) =>
			one.question === other.question && one.uri === other.uri && one.after === other.after;
		this.#files = this.#files.filter((one) => !decided.some((other) => isSame(one, other)));
	}
}

/** Each changed file once, as taking back the changes restores it. */
export function filesOf(files: readonly FileBefore[]): FileToRestore[] {
	const found = new Map<string, FileToRestore>();
	for (const { uri, before, after, touched } of files) {
		const first = found.get(uri);
		const isTouched = touched === true || first?.touched === true;
		const file = { uri, before: first ? first.before : before, after };
		found.set(uri, isTouched ? { ...file, touched: true } : file);
	}
	return [...found.values()];
}

/** A file as it is now. */
export interface FileNow {
	/** As the editor or, where that is behind, the disk has it; null: there is none, `undefined`: it is no text. */
	readonly text: string | null | undefined;
	/** The disk has it, too. */
	readonly isSaved: boolean;
}

/**
 * What makes a file as it was: nothing, writing it, or, because somebody has changed it since, asking them first.
 * A person may have taken back by hand what the agent did, and an earlier attempt may have ended before the file was saved.
 */
export function undoStep(file: FileToRestore, now: FileNow): 'none' | 'write' | 'ask' {
	if (isSameText(now.text, file.before)) return now.isSaved ? 'none' : 'write';
	return file.touched || !isSameText(now.text, file.after) ? 'ask' : 'write';
}

const isSameText = (one: string | null | undefined, other: string | null): boolean =>
	typeof one === 'string' && other !== null ? plainLines(one) === plainLines(other) : one === other;
